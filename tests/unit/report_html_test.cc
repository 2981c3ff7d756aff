// SPDX-License-Identifier: Apache-2.0
// The HTML page: what its pictures are made of, that names cannot break out of it, and that it asks
// the network for nothing.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "check/check.h"
#include "report/html/assets.h"
#include "report/html/memory.h"
#include "report/html/race.h"
#include "report/html/slice.h"
#include "trace/case_reader.h"

namespace bohr::report::html {
namespace {

constexpr const char* kHead = R"(case 1
stream main
stream side
pool g
buffer x 4096
buffer cache 2048
buffer out 4096
capture step on main
main: kernel before reads x writes out
main: alloc qkv 4096 pool g
main: kernel qkv_gemm reads x writes qkv
main: record ready
side: wait ready
side: kernel kv_store reads qkv[2048:4096] writes cache
)";
constexpr const char* kTail = R"(end step
main: launch step
)";
// The block is dropped before the join, and its bytes are handed out again.
constexpr const char* kRace = R"(main: free qkv
main: alloc q 4096 pool g over qkv
main: kernel other reads x writes out
main: kernel q_gemm reads x writes q
side: record done
main: wait done
main: kernel attend reads q, cache writes out
main: free q
main: kernel behind reads x writes out
)";

struct Case {
  Program program;
  Verdict verdict;
  const Finding& finding() const { return verdict.findings.front(); }
};

Case read(const std::string& text) {
  auto program = trace::read_case(text, "a.case");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  auto verdict = check::check(program.value(), {});
  EXPECT_TRUE(verdict.ok());
  EXPECT_FALSE(verdict.value().findings.empty());
  return {std::move(program).value(), std::move(verdict).value()};
}

Case race() { return read(std::string(kHead) + kRace + kTail); }

std::vector<std::string> labels(const Slice& slice) {
  std::vector<std::string> list;
  for (const SliceNode& node : slice.nodes) list.push_back(node.label);
  return list;
}

TEST(ReportHtml, TheSliceReachesFromTheForkToTheJoin) {
  const Case one = race();
  const Slice slice = slice_of(one.program, one.finding());
  const std::vector<std::string> wanted = {"qkv_gemm", "kv_store", "other", "q_gemm", "attend"};
  EXPECT_EQ(labels(slice), wanted);
  EXPECT_EQ(slice.nodes[static_cast<size_t>(slice.first)].label, "kv_store");
  EXPECT_EQ(slice.nodes[static_cast<size_t>(slice.second)].label, "q_gemm");
  EXPECT_NE(slice.nodes[1].colour, slice.nodes[3].colour);
  EXPECT_EQ(slice.edges.size(), 5U);
  EXPECT_EQ(slice.left_out, 0);
}

TEST(ReportHtml, OfManyNodesTheNearestAreKept) {
  std::string text = std::string(kHead) + "main: free qkv\nmain: alloc q 4096 pool g over qkv\n";
  for (int i = 0; i < 100; ++i)
    text += "main: kernel many" + std::to_string(i) + " reads x writes out\n";
  text +=
      "main: kernel q_gemm reads x writes q\nside: record done\nmain: wait done\n"
      "main: kernel attend reads q, cache writes out\nmain: free q\n";
  const Case one = read(text + kTail);
  const Slice slice = slice_of(one.program, one.finding());
  EXPECT_EQ(slice.nodes.size(), 40U);
  EXPECT_EQ(slice.left_out, 104 - 40);
  EXPECT_EQ(slice.nodes.front().label, "qkv_gemm");
  EXPECT_EQ(slice.nodes.back().label, "attend");
}

const MemoryAccess& access(const MemoryPicture& picture, const std::string& label) {
  for (const MemoryAccess& one : picture.accesses)
    if (one.label.starts_with(label)) return one;
  ADD_FAILURE() << label;
  return picture.accesses.front();
}

TEST(ReportHtml, TheBandOfARacingReadReachesIntoTheOtherLifetime) {
  const Case one = race();
  const MemoryPicture picture = memory_picture(one.program, one.finding());
  ASSERT_EQ(picture.lifetimes.size(), 2U);
  const Span& first = picture.lifetimes[0].span;
  const Span& second = picture.lifetimes[1].span;
  EXPECT_EQ(picture.lifetimes[0].name, "qkv");
  EXPECT_EQ(picture.lifetimes[1].name, "q");
  EXPECT_EQ(first.begin, second.begin);
  EXPECT_LE(first.to, second.from);
  const MemoryAccess& read = access(picture, "kv_store");
  EXPECT_TRUE(read.racing);
  EXPECT_FALSE(read.writes);
  EXPECT_EQ(read.spans.front().begin, 2048U);
  EXPECT_EQ(read.spans.front().end, 4096U);
  EXPECT_LT(read.place, first.to);
  EXPECT_GT(read.spans.front().to, second.from);
  const MemoryAccess& write = access(picture, "q_gemm");
  EXPECT_TRUE(write.writes);
  EXPECT_GT(write.spans.front().from, second.from);
  EXPECT_FALSE(access(picture, "attend").racing);
}

Page page_of(const Case& one, const Scripts& scripts) {
  Subject subject;
  subject.name = "a.case";
  subject.program = &one.program;
  subject.verdict = &one.verdict;
  Page page;
  page.title = "A page";
  for (const Entry& entry : finding_entries({&subject, 1}))
    page.chapters.push_back(race_chapter({&subject, 1}, entry));
  page.json = R"({"name":"</script><script>alert(1)</script>"})";
  page.scripts = scripts;
  return page;
}

nlohmann::json json_in(const std::string& page, const std::string& id) {
  const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
  const size_t begin = page.find(open);
  EXPECT_NE(begin, std::string::npos) << id;
  const size_t end = page.find("</script>", begin);
  return nlohmann::json::parse(page.substr(begin + open.size(), end - begin - open.size()));
}

TEST(ReportHtml, NothingInItBreaksOut) {
  Case one = race();
  for (std::string& name : one.program.names) name += "</script><b>\"&";
  for (Lifetime& lifetime : one.program.lifetimes) lifetime.name += "<i>";
  one.verdict = check::check(one.program, {}).value();
  const std::string page = html_page(page_of(one, {"d3", "plot"}));
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_EQ(json_in(page, "document")["name"], "</script><script>alert(1)</script>");
  const nlohmann::json figures = json_in(page, "figures");
  EXPECT_EQ(figures[0]["lifetimes"][0]["name"], "qkv<i>");
}

TEST(ReportHtml, ItAsksTheNetworkForNothing) {
  const std::string page = html_page(page_of(race(), charting_scripts()));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  const std::regex reference(R"((src|href)\s*=\s*"|url\(|@import)");
  // What stands before the scripts, and the page's own script and style.
  const std::string own = page.substr(0, page.find("<script type=\"application/json\"")) +
                          std::string(page_script()) + std::string(page_style());
  EXPECT_FALSE(std::regex_search(own, reference));
  EXPECT_EQ(own.find("fetch("), std::string::npos);
}

TEST(ReportHtml, WithoutAChartingLibraryItSaysSoAndKeepsTheNumbers) {
  const std::string page = html_page(page_of(race(), {}));
  EXPECT_NE(page.find("no charting library"), std::string::npos);
  EXPECT_NE(page.find("kv_store#2 reads"), std::string::npos);
  EXPECT_EQ(page.find("data-figure"), std::string::npos);
}

TEST(ReportHtml, AGraphIsDrawnOrItSaysWhyNot) {
  const Case one = race();
  const std::string page = html_page(page_of(one, {}));
  EXPECT_EQ(page.find("<svg") != std::string::npos, has_graph_layout());
  EXPECT_EQ(page.find("no Graphviz library") == std::string::npos, has_graph_layout());
  if (!has_graph_layout()) GTEST_SKIP() << "this build has no Graphviz library";
  const std::string svg = graph_svg(slice_of(one.program, one.finding()));
  for (const char* wanted : {"kv_store", "q_gemm", "racing", "stream0", "stream1", "missing"})
    EXPECT_NE(svg.find(wanted), std::string::npos) << wanted;
}

TEST(ReportHtml, OneReportIsOnePage) {
  const Case one = race();
  EXPECT_EQ(html_page(page_of(one, {"d3", "plot"})), html_page(page_of(one, {"d3", "plot"})));
}

TEST(ReportHtml, APairOutsideGraphsHasNoPicture) {
  const Case one = read(R"(case 1
stream main
stream side
buffer x 4096
main: kernel a writes x
side: kernel b reads x
)");
  EXPECT_FALSE(is_in_one_graph(one.finding()));
  const std::string page = html_page(page_of(one, {}));
  EXPECT_NE(page.find("pictures of pairs within one graph only"), std::string::npos);
}

TEST(ReportHtml, PricesKeepTheirIntervals) {
  const Case one = race();
  Repairs repairs;
  Repair repair;
  repair.cause = 1, repair.verified = true, repair.chosen = true;
  repair.parts.push_back({});
  repair.parts.back().first = "kv_store", repair.parts.back().second = "q_gemm";
  repair.parts.back().graph = one.finding().first.graph;
  repair.parts.back().from = one.finding().first.node.value();
  repair.parts.back().to = one.finding().second.node.value();
  repair.cost.measured = true;
  repair.cost.more_us = {31.5, 31.25, 31.75};
  repair.cost.kept_known = true;
  repair.cost.kept = {0.5, 0.25, 0.75};
  repairs.proposals.push_back(repair);
  repairs.costs.as_is.measured = repairs.costs.serial.measured = true;
  Subject subject;
  subject.program = &one.program, subject.verdict = &one.verdict, subject.repairs = &repairs;
  Page page;
  page.chapters.push_back(repair_chapter({&subject, 1}));
  page.scripts = {"d3", "plot"};
  const std::string text = html_page(page);
  const nlohmann::json bars = json_in(text, "figures")[0]["bars"];
  ASSERT_EQ(bars.size(), 3U);
  EXPECT_EQ(bars[1]["label"], "A q_gemm waits for kv_store");
  EXPECT_EQ(bars[1]["value"], 31.5);
  EXPECT_EQ(bars[1]["low"], 31.25);
  EXPECT_EQ(bars[1]["high"], 31.75);
  EXPECT_NE(text.find("50 (25 to 75)"), std::string::npos);
}

}  // namespace
}  // namespace bohr::report::html

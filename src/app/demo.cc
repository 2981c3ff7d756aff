// SPDX-License-Identifier: Apache-2.0
// Each part says what it shows, shows it, and compares it with what must come out.
#include "app/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "app/check_file.h"
#include "app/demo_cases.h"
#include "app/demo_sim.h"
#include "check/judge.h"
#include "replay/symbolic/replayer.h"
#include "report/exploration_text.h"
#include "report/frames.h"
#include "report/text.h"
#include "report/words.h"
#include "trace/case_reader.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

class Story {
 public:
  Story(std::string traces, int32_t own_runs, const report::Style& style)
      : traces_(std::move(traces)), own_runs_(own_runs), style_(style), page_(style) {}

  Result<Demo> tell();

 private:
  Status race();
  Status proof(const Checked& checked);
  Status repaired();
  Status simulated();
  Status recorded();
  Status pair(const std::string& name, const std::string& mistake);
  Result<bool> trace(const std::string& path);
  void judge(const Checked& checked);
  void chapter(const std::string& title);
  void show(const Checked& checked);
  void show_entry(const Explored& explored);
  void expect_witness(const Explored& explored, bool wanted);
  void expect(bool as_expected);

  std::string traces_;
  int32_t own_runs_;
  report::Style style_;
  report::Page page_;
  Demo demo_;
  bool all_recorded_ = true;
};

void Story::chapter(const std::string& title) {
  page_.blank();
  page_.paragraph(title, report::Ink::bold);
  page_.blank();
}

void Story::show(const Checked& checked) {
  const std::vector<report::Subject> subjects = subjects_of({&checked, 1});
  report::TextOptions options;
  options.style = style_;
  options.most = 3;
  demo_.text += page_.take() + report::render_text(subjects, options);
  page_ = report::Page(style_);
}

void Story::expect(bool as_expected) {
  demo_.as_expected = demo_.as_expected && as_expected;
  page_.blank();
  page_.paragraph(as_expected ? "As expected." : "NOT AS EXPECTED.",
                  as_expected ? report::Ink::green : report::Ink::red);
}

void Story::judge(const Checked& checked) {
  const auto judgements = check::judge(checked.program, checked.verdict);
  expect(count(judgements, Judged::failed) == 0);
}

Status Story::race() {
  chapter("1  A block that goes back to the pool too early");
  page_.paragraph(
      "A side stream (side) still reads qkv when main drops it. The allocator hands the same bytes "
      "to q, and main writes them before it has waited for side. Run eagerly or watched closely, "
      "the read nearly always wins. Nothing but the recorded order is needed to see it:");
  page_.blank();
  BOHR_TRY(program, trace::read_case(kDemoRace, "demo.case"));
  BOHR_TRY(checked, check_program(std::move(program), "demo.case", {}));
  show(checked);
  judge(checked);
  return proof(checked);
}

Status Story::proof(const Checked& checked) {
  chapter("2  Another legal order, on symbolic memory");
  page_.paragraph(
      "Its steps run again in other orders that keep every wait of the program, nearest first, "
      "until "
      "one leaves other bytes. Bisection then leaves two orders that differ in one swap:");
  page_.blank();
  BOHR_TRY(replayer, replay::symbolic_replayer(checked.program));
  BOHR_TRY(explored, explore_on(*replayer, checked, {}, {}));
  show_entry(explored);
  expect_witness(explored, true);
  return Nothing{};
}

void Story::show_entry(const Explored& explored) {
  const std::vector<report::Subject> subjects = subjects_of({&explored, 1});
  report::TextOptions options;
  options.style = style_;
  for (const Cause& cause : explored.checked.verdict.causes)
    demo_.text += page_.take() + report::render_entry(subjects, cause.site, options);
  page_ = report::Page(style_);
}

void Story::expect_witness(const Explored& explored, bool wanted) {
  const auto& witnesses = explored.exploration->witnesses;
  const bool found = !witnesses.empty() && witnesses.front().reaches_output() &&
                     witnesses.front().identical == witnesses.front().replays;
  expect(wanted ? found : witnesses.empty());
}

Status Story::simulated() {
  chapter("4  A decode step on a simulated GPU");
  page_.paragraph(
      "Kernels that compute, a caching allocator, a captured graph, virtual time. The input of a "
      "side stream is dropped before the join. Run by itself the program mostly wins:");
  page_.blank();
  BOHR_TRY(racy, explore_demo_program(false, own_runs_));
  const Exploration& found = *racy.exploration;
  if (found.own.runs > 0) page_.field("By itself", report::own_runs_text(found.own));
  page_.field("Explored", fmt::format("{} orders, {} replays in all", found.orders, found.replays));
  page_.blank();
  show_entry(racy);
  expect_witness(racy, true);
  BOHR_TRY(repaired, explore_demo_program(true, own_runs_));
  page_.blank();
  page_.paragraph("And with the input held until the join:");
  page_.blank();
  const Exploration& clean = *repaired.exploration;
  if (clean.own.runs > 0) page_.field("By itself", report::own_runs_text(clean.own));
  page_.field("Explored",
              fmt::format("{} of {} orders left other bytes", clean.different, clean.orders));
  expect_witness(repaired, false);
  return Nothing{};
}

Status Story::repaired() {
  chapter("3  The same program with qkv kept until after the join");
  BOHR_TRY(program, trace::read_case(kDemoClean, "repaired.case"));
  BOHR_TRY(checked, check_program(std::move(program), "repaired.case", {}));
  show(checked);
  judge(checked);
  return Nothing{};
}

// Programs that were recorded with and without their mistake: NAME.race.bohr.zst, NAME.clean.…
struct Recorded {
  const char* name;
  const char* mistake;
};
constexpr std::array<Recorded, 6> kRecorded = {{
    {"missing_record_stream_captured",
     "PyTorch, in a graph: a tensor is dropped while a side stream still reads it."},
    {"missing_record_stream_eager", "PyTorch, eager: the same, without record_stream."},
    {"inplace_copy", "PyTorch: a buffer is overwritten in place while a side stream reads it."},
    {"pool_order", "PyTorch: two graphs share a pool and are replayed in another order."},
    {"event_reused", "CUDA: an event is recorded again before anybody waited for it."},
    {"missing_wait", "CUDA: a side stream is forked before its input is produced, not after."},
}};

std::string summary(const Finding& finding) {
  return fmt::format("{} ({}), then {} ({}), on {}", report::short_name(finding.first.label),
                     finding.first.where, report::short_name(finding.second.label),
                     finding.second.where, finding.range.name);
}

Result<bool> Story::trace(const std::string& path) {
  BOHR_TRY(checked, check_path(path, {}));
  bool found = false;
  for (const Checked& one : checked) {
    for (const Cause& cause : one.verdict.causes) {
      if (cause.findings.empty() || cause.latent) continue;
      const Finding& finding = one.verdict.findings[static_cast<size_t>(cause.findings.front())];
      page_.field(found ? "" : "with it", fmt::format("{}: {}", cause.site, summary(finding)));
      found = true;
    }
  }
  return found;
}

Status Story::pair(const std::string& name, const std::string& mistake) {
  page_.paragraph(mistake);
  BOHR_TRY(race, trace(traces_ + "/" + name + ".race.bohr.zst"));
  if (!race) page_.field("with it", "no race found");
  BOHR_TRY(again, trace(traces_ + "/" + name + ".clean.bohr.zst"));
  if (!again) page_.field("without it", "no race found");
  if (!race || again) expect(false);
  all_recorded_ = all_recorded_ && race && !again;
  return Nothing{};
}

Status Story::recorded() {
  chapter("5  Programs recorded on a GPU, with a mistake and without it");
  int64_t shown = 0;
  for (const Recorded& one : kRecorded) {
    std::error_code error;
    if (!fs::exists(traces_ + "/" + one.name + ".race.bohr.zst", error)) continue;
    BOHR_TRY_STATUS(pair(one.name, one.mistake));
    ++shown;
  }
  if (shown == 0) {
    page_.paragraph("No recorded traces are shipped with this build; skipped.");
  } else if (all_recorded_) {
    expect(true);
  }
  return Nothing{};
}

Result<Demo> Story::tell() {
  BOHR_TRY_STATUS(race());
  BOHR_TRY_STATUS(repaired());
  BOHR_TRY_STATUS(simulated());
  BOHR_TRY_STATUS(recorded());
  page_.blank();
  page_.paragraph(demo_.as_expected ? "Every verdict is the expected one."
                                    : "Some verdict is not the expected one.",
                  demo_.as_expected ? report::Ink::green : report::Ink::red);
  page_.verbatim("Yours:   bohr run -- python your_program.py");
  demo_.text += page_.take();
  return std::move(demo_);
}

}  // namespace

Result<Demo> demo(const std::string& traces, int32_t own_runs, const report::Style& style) {
  return Story(traces, own_runs, style).tell();
}

}  // namespace bohr::app

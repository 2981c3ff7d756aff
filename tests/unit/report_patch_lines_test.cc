// SPDX-License-Identifier: Apache-2.0
// What to change in the source, for each class of race.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "check/check.h"
#include "fix/fix.h"
#include "report/patch_lines.h"
#include "trace/case_reader.h"

namespace bohr {
namespace {

// The lines of the first verified repair of a kind, as "SIGN WHAT".
std::vector<std::string> lines_of(const std::string& text, RepairKind kind) {
  const auto program = trace::read_case("case 1\n" + text, "test.case");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  const auto verdict = check::check(program.value(), {});
  const auto repairs = fix::fix(program.value(), verdict.value(), {});
  std::vector<std::string> lines;
  for (const Repair& repair : repairs.value().proposals) {
    if (repair.kind != kind || !repair.verified) continue;
    for (const auto& line : report::patch_lines(program.value(), verdict.value(), repair))
      lines.push_back(std::string(1, line.sign) + " " + line.what);
    break;
  }
  return lines;
}

using Texts = std::vector<std::string>;

constexpr const char* kReuse = R"(stream main
stream side
buffer x 4K
buffer y 4K
capture g on main
main: alloc a 4K
main: kernel produce reads x writes a
main: record forked
side: wait forked
side: kernel use reads a writes y
side: record joined
main: free a
main: alloc b 4K over a
main: kernel overwrite reads x writes b
main: wait joined
main: kernel last reads b,y
end g
main: launch g
)";

TEST(PatchLines, ABlockIsDroppedLater) {
  EXPECT_EQ(lines_of(kReuse, RepairKind::lifetime),
            (Texts{"- the last reference to a is dropped",
                   "+ drop a here, before last: main has waited for side"}));
}

TEST(PatchLines, AnEdgeIsARecordAndAWaitOrTheOneThatComesLater) {
  EXPECT_EQ(lines_of(kReuse, RepairKind::edge),
            (Texts{"+ record an event on side behind use", "+ main waits for it before overwrite",
                   "  or move the wait that stands before last up to here"}));
}

TEST(PatchLines, AThreadSynchronises) {
  EXPECT_EQ(lines_of(R"(stream main
buffer staging 4K pinned
buffer x 4K
host: touch fill writes staging
main: copy up from staging to x
host: touch refill writes staging
)",
                     RepairKind::edge),
            (Texts{"+ synchronise with up (an event recorded behind it) before refill; or use "
                   "another buffer for what is next"}));
}

TEST(PatchLines, AnAgentIsTold) {
  EXPECT_EQ(lines_of(R"(stream main
agent nic
buffer page 4K
main: kernel produce writes page
nic: touch send reads page
)",
                     RepairKind::edge),
            (Texts{"+ tell nic only once produce is done"}));
}

TEST(PatchLines, AProgrammaticLaunchIsMadeFull) {
  const Texts lines = lines_of(R"(stream main
buffer x 4K
buffer y 4K
main: kernel produce writes x
main: kernel consume writes y early reads x pdl
)",
                               RepairKind::edge);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("- consume may start before produce has ended"), std::string::npos)
      << lines[0];
}

TEST(PatchLines, AnEventThatIsRecordedTooEarlyIsNamed) {
  const Texts lines = lines_of(R"(stream main
stream side
buffer x 4K
buffer y 4K
main: record ready
main: kernel produce writes x
side: wait ready
side: kernel consume reads x writes y
)",
                               RepairKind::edge);
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("is bound to an older record of its event: record it behind produce") !=
           std::string::npos;
  }));
}

TEST(PatchLines, TwoValuesOfOneBlockGetABlockEach) {
  EXPECT_EQ(lines_of(R"(stream main
stream side
buffer scratch 4K
scratch scratch
buffer x 4K
buffer y 4K
capture g on main
main: record forked
side: wait forked
main: kernel a_out writes scratch
main: kernel a_in reads scratch writes x
side: kernel b_out writes scratch
side: kernel b_in reads scratch writes y
side: record joined
main: wait joined
end g
main: launch g
)",
                     RepairKind::separate),
            (Texts{"+ a block for b_out, b_in beside scratch: one for each stream, or two in "
                   "turn"}));
}

}  // namespace
}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// An order that ends the process it runs in: told with what was found before, and an order that is
// blamed on nothing else.
#include <gtest/gtest.h>

#include "app/explore_file.h"
#include "check/check.h"
#include "explore/explore.h"
#include "explore_texts.h"
#include "forwarding_replayer.h"
#include "report/json.h"
#include "report/text.h"

namespace bohr::test {
namespace {

constexpr const char* kTwoRaces =
    "stream a\nstream b\nbuffer x 64\nbuffer y 64\nbuffer u 64\nbuffer v 64\n"
    "a: kernel produce writes x\nb: kernel consume reads x writes y\n"
    "a: kernel fill writes u\nb: kernel use reads u writes v\n";

// Ends when `use` runs before `fill`: so it would be with an index that nobody has written.
// `running_on`: only where it is not stopped at its first damage.
class Mortal : public ForwardingReplayer {
 public:
  Mortal(Program program, std::string code, bool running_on = false)
      : ForwardingReplayer(symbolic_of(std::move(program))),
        code_(std::move(code)),
        running_on_(running_on) {}
  // The order that ended it, once it has ended.
  const std::optional<explore::LostOrder>& ended_by() const { return ended_by_; }
  Result<replay::Outcome> run(const replay::Request& request) override {
    const auto place = [&](int32_t step) {
      return std::find(request.order.begin(), request.order.end(), step);
    };
    const bool stopping = !request.expected.empty();
    const bool fatal = place(3) < place(2) && !(running_on_ && stopping);
    if (fatal && !lost_)
      ended_by_ = explore::LostOrder{
          {request.order.begin(), request.order.end()}, stopping, !request.contents.empty(), code_};
    if (lost_ || fatal) {
      lost_ = true;
      return Error{code_, "a replay", "", "it ended", ""};
    }
    return ForwardingReplayer::run(request);
  }

 private:
  std::string code_;
  bool running_on_;
  bool lost_ = false;
  std::optional<explore::LostOrder> ended_by_;
};

// Searches again, each time in a new process, until none ends; gives what the last one found.
struct Searched {
  Exploration last;
  std::vector<explore::LostOrder> lost;
};
Searched search_on(bool run_on, bool running_on) {
  const Program program = program_of(kTwoRaces);
  const auto verdict = check::check(program, {});
  EXPECT_TRUE(verdict.ok());
  Searched searched;
  for (int start = 0; start < 20; ++start) {
    Mortal replayer(program, "process-lost", running_on);
    explore::Options options;
    options.run_on = run_on;
    options.lost = searched.lost;
    auto exploration = explore::explore(replayer, verdict.value(), options);
    EXPECT_TRUE(exploration.ok()) << to_string(exploration.error());
    if (!exploration.ok()) break;
    searched.last = std::move(exploration).value();
    if (!replayer.ended_by()) return searched;
    const auto& known = searched.lost;
    EXPECT_EQ(std::count(known.begin(), known.end(), *replayer.ended_by()), 0)
        << "an order that is known to end it was run again";
    searched.lost.push_back(*replayer.ended_by());
  }
  ADD_FAILURE() << "it ended each time";
  return searched;
}

app::Explored explored(const std::string& code) {
  const Program program = program_of(kTwoRaces);
  auto verdict = check::check(program, {});
  EXPECT_TRUE(verdict.ok());
  Mortal replayer(program, code);
  auto exploration = explore::explore(replayer, verdict.value(), {});
  EXPECT_TRUE(exploration.ok()) << to_string(exploration.error());
  app::Explored result{{"p", program, std::move(verdict).value()}, {}, {}, 0};
  if (exploration.ok()) result.exploration = std::move(exploration).value();
  return result;
}

TEST(ExploreLost, WhatWasFoundBeforeStands) {
  const app::Explored one = explored("process-lost");
  ASSERT_TRUE(one.exploration);
  EXPECT_EQ(witnesses_of(*one.exploration).size(), 1u) << "produce and consume";
  EXPECT_EQ(one.exploration->lost.reason, "process-lost");
  EXPECT_EQ(one.exploration->reasons, std::vector<std::string>{"process-lost"});
}

TEST(ExploreLost, TheOrderIsTold) {
  const app::Explored one = explored("process-lost");
  ASSERT_TRUE(one.exploration);
  const LostProcess& lost = one.exploration->lost;
  EXPECT_EQ(lost.order.size(), 4u);
  EXPECT_EQ(lost.early.label, "use");
  EXPECT_EQ(lost.late.label, "fill");
  const std::vector<app::Explored> all = {one};
  const std::string text = report::render_text(app::subjects_of(all), {});
  EXPECT_NE(text.find("where use(b) runs before fill(a)"), std::string::npos) << text;
  const std::string json = report::render_json(app::subjects_of(all), {});
  EXPECT_NE(json.find("\"process-lost\""), std::string::npos);
}

TEST(ExploreLost, AHangIsOneToo) {
  const app::Explored one = explored("watchdog");
  ASSERT_TRUE(one.exploration);
  EXPECT_EQ(one.exploration->lost.reason, "watchdog");
}

TEST(ExploreLost, IsAFinding) {
  app::Explored one = explored("process-lost");
  one.checked.verdict = Verdict();
  one.exploration->witnesses.clear();
  const std::vector<app::Explored> all = {one};
  EXPECT_EQ(app::status_of(all, {}), app::ExitStatus::findings);
}

// What ends without the process, as when it is told to stop, is no loss.
TEST(ExploreLost, AnInterruptionIsNone) {
  const app::Explored one = explored("interrupted");
  ASSERT_TRUE(one.exploration);
  EXPECT_TRUE(one.exploration->lost.reason.empty());
  EXPECT_EQ(one.exploration->reasons, std::vector<std::string>{"interrupted"});
}

TEST(ExploreLost, AnotherStartFindsThePairWithoutLosingItAgain) {
  const Searched searched = search_on(false, false);
  const LostProcess& lost = searched.last.lost;
  EXPECT_TRUE(lost.earlier);
  EXPECT_EQ(lost.reason, "process-lost");
  EXPECT_EQ(lost.early.label, "use");
  EXPECT_EQ(lost.late.label, "fill");
  EXPECT_EQ(searched.last.witnesses.size(), 1u) << "produce and consume";
  EXPECT_TRUE(searched.last.pairs_covered);
  EXPECT_TRUE(searched.last.reasons.empty());
}

TEST(ExploreLost, WhatWasLostRunningOnIsProvedWithAStop) {
  const Searched searched = search_on(true, true);
  ASSERT_GE(searched.lost.size(), 1u);
  EXPECT_LE(searched.lost.size(), explore::kMostRunOnLosses);
  EXPECT_FALSE(searched.lost.front().stopping);
  ASSERT_EQ(searched.last.witnesses.size(), 2u);
  const auto stopped = [](const Witness& witness) { return witness.stopped; };
  const auto& witnesses = searched.last.witnesses;
  const auto found = std::find_if(witnesses.begin(), witnesses.end(), stopped);
  ASSERT_NE(found, witnesses.end());
  EXPECT_EQ(found->first.label, "fill");
  EXPECT_EQ(found->second.label, "use");
  EXPECT_EQ(found->identical, found->replays);
  EXPECT_TRUE(searched.last.pairs_covered);
}

TEST(ExploreLost, WhereStopsSaveItNothingIsLost) {
  const Searched searched = search_on(false, true);
  EXPECT_TRUE(searched.lost.empty());
  EXPECT_TRUE(searched.last.lost.reason.empty());
  EXPECT_EQ(searched.last.witnesses.size(), 2u);
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
#include "app/demo.h"

#include <fmt/format.h>

#include <algorithm>

namespace bohr::app::demo {

Result<Measured> measure(const Options& options) {
  Measured measured;
  measured.options = options;
  BOHR_TRY(learned, learn_answers());
  BOHR_TRY(right, reference(learned));
  for (const Arm arm : kArms) {
    BOHR_TRY(count, count_wrong(arm, learned, right, options.steps, options.seed));
    BOHR_TRY(recorded, record(arm, learned));
    measured.ways.push_back({count, recorded.checked});
    if (arm == Arm::two_streams) {
      if (count.wrong_sequence >= 0)
        measured.right_answer = answer_text(right.tokens, count.wrong_sequence);
      BOHR_TRY(explored, explore_recorded(recorded, options.seed));
      BOHR_TRY(fixed, fix_recorded(recorded, std::move(explored), options.seed));
      measured.race = std::move(fixed);
    } else if (arm == Arm::repaired) {
      BOHR_TRY(explored, explore_recorded(recorded, options.seed));
      measured.repaired = std::move(explored);
    }
  }
  BOHR_TRY(traces, check_traces(options.traces));
  measured.traces = std::move(traces);
  return measured;
}

namespace {

bool goes_wrong(Arm arm) { return arm == Arm::two_streams; }
// Eager hides the race and has it all the same.
bool has_race(Arm arm) { return arm == Arm::two_streams || arm == Arm::eager; }

bool is_race(const Verdict& verdict) {
  return verdict.outcome == Outcome::findings &&
         std::all_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& finding) {
           return finding.cls == HazardClass::reuse && finding.first.label.starts_with("k_rope");
         });
}

bool is_proved(const Explored& explored) {
  if (!explored.exploration) return false;
  const auto& witnesses = explored.exploration->witnesses;
  return !witnesses.empty() &&
         std::all_of(witnesses.begin(), witnesses.end(), [](const Witness& witness) {
           return witness.cause != 0 && (witness.stopped || witness.reaches_output()) &&
                  witness.replays > 0 && witness.identical == witness.replays;
         });
}

// Where nothing is suspicious no launch is held, and there is no exploration.
bool nothing_differs(const Explored& explored) {
  return !explored.exploration || explored.exploration->different == 0;
}

bool is_repaired(const Fixed& fixed) {
  return fixed.repairs && fixed.repairs->complete &&
         std::any_of(fixed.repairs->proposals.begin(), fixed.repairs->proposals.end(),
                     [](const Repair& repair) { return repair.chosen && repair.verified; });
}

bool is_priced(const Fixed& fixed) {
  return fixed.repairs && fixed.repairs->costs.as_is.measured &&
         std::all_of(fixed.repairs->proposals.begin(), fixed.repairs->proposals.end(),
                     [](const Repair& one) { return !one.verified || one.cost.measured; });
}

}  // namespace

std::vector<std::string> unexpected(const Measured& measured) {
  std::vector<std::string> list;
  const auto demand = [&](bool holds, std::string otherwise) {
    if (!holds) list.push_back(std::move(otherwise));
  };
  for (const Way& way : measured.ways) {
    const Arm arm = way.count.arm;
    // On a GPU the race may be won every time: that is what makes it hard to see.
    demand(
        goes_wrong(arm) ? measured.on_gpu() || way.count.wrong > 0 : way.count.wrong == 0,
        fmt::format("{}: {} of {} steps wrong", to_string(arm), way.count.wrong, way.count.steps));
    const Verdict& verdict = way.checked.verdict;
    // There who writes is known from replays alone, and eager work is not replayed.
    if (measured.on_gpu()) continue;
    demand(has_race(arm) ? is_race(verdict) : verdict.outcome == Outcome::clean,
           fmt::format("{}: the check gives another verdict", to_string(arm)));
  }
  demand(is_proved(measured.race.explored), "the race is not proved");
  demand(is_repaired(measured.race), "no repair holds");
  demand(measured.on_gpu() || is_priced(measured.race), "what the repairs cost was not measured");
  demand(nothing_differs(measured.repaired), "an order of the repaired program differs");
  demand(measured.repaired.checked.verdict.findings.empty(), "the repaired program has findings");
  for (const TracePair& pair : measured.traces) demand(pair.as_expected(), pair.mistake);
  return list;
}

}  // namespace bohr::app::demo

// SPDX-License-Identifier: Apache-2.0
// What the demo measured, as JSON: every number that its text and its page show comes from here or
// from the document of findings in it.
#include <nlohmann/json.hpp>

#include "app/demo.h"
#include "app/demo_words.h"
#include "report/json.h"

namespace bohr::app::demo {

namespace {

using Json = nlohmann::ordered_json;

Json way_json(const Way& way) {
  const ArmCount& count = way.count;
  return {{"way", to_string(count.arm)}, {"steps", count.steps},
          {"wrong", count.wrong},        {"share", count.share.share},
          {"low", count.share.low},      {"high", count.share.high},
          {"runs", count.runs},          {"wrong_runs", count.wrong_runs},
          {"step_us", count.step_us},    {"findings", way.checked.verdict.findings.size()},
          {"result", check_word(way)}};
}

Json answer_json(const Measured& measured) {
  const ArmCount& two = measured.way(Arm::two_streams).count;
  if (two.wrong_sequence < 0) return nullptr;
  return {{"question", question(two.wrong_sequence)},
          {"right", measured.right_answer},
          {"wrong", two.wrong_answer}};
}

Json findings_json(const Fixed& fixed) {
  const std::vector<report::Subject> subjects = subjects_of({&fixed, 1});
  return Json::parse(report::render_json(subjects, {}));
}

// Where nothing in it is suspicious no launch is held.
Json repaired_json(const Explored& repaired) {
  if (!repaired.exploration) return nullptr;
  const Exploration& again = *repaired.exploration;
  return {
      {"orders", again.orders}, {"different", again.different}, {"exhaustive", again.exhaustive}};
}

}  // namespace

std::string story_json(const Measured& measured) {
  Json json = {{"schema", "bohr.demo/1"},
               {"device", measured.on_gpu() ? measured.device : "simulated GPU"},
               {"seed", measured.options.seed},
               {"as_expected", unexpected(measured).empty()}};
  Json& ways = json["ways"] = Json::array();
  for (const Way& way : measured.ways) ways.push_back(way_json(way));
  json["answer"] = answer_json(measured);
  json["repaired"] = repaired_json(measured.repaired);
  Json& traces = json["traces"] = Json::array();
  for (const TracePair& pair : measured.traces)
    traces.push_back(
        {{"mistake", pair.mistake}, {"with_it", pair.with_it}, {"without_it", pair.without_it}});
  json["findings"] = findings_json(measured.race);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bohr::app::demo

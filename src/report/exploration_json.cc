// SPDX-License-Identifier: Apache-2.0
// Field names are a contract with users' scripts: add, never rename.
#include "report/exploration_json.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/hash.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;

Json name_json(const StepName& name) { return {{"label", name.label}, {"stream", name.where}}; }

Json range_json(const NamedRange& range) {
  return {{"name", range.name}, {"begin", range.begin}, {"end", range.end}};
}

const char* baseline_word(BaselineKind kind) {
  constexpr std::array<const char*, 4> kWords = {"issue-order", "reordered", "own-launches",
                                                 "none"};
  return kWords[static_cast<size_t>(kind)];
}

const char* own_launches_word(OwnLaunches state) {
  constexpr std::array<const char*, 4> kWords = {"not-run", "unstable", "different", "equal"};
  return kWords[static_cast<size_t>(state)];
}

Json held_json(const Held& held) {
  if (held.count == 0) return nullptr;
  return {{"count", held.count},
          {"restarts", held.restarts},
          {"restored", held.restored},
          {"longest_ns", held.longest_ns},
          {"all_ns", held.all_ns},
          {"saved_bytes", held.saved_bytes},
          {"compared_bytes", held.compared_bytes},
          {"own_device_bytes", held.own_device_bytes},
          {"own_host_bytes", held.own_host_bytes}};
}

Json lost_json(const LostProcess& lost) {
  if (lost.reason.empty()) return nullptr;
  Json order = Json::array();
  for (const Step& step : lost.order) order.push_back({step.op.value(), step.node.value()});
  return {{"reason", lost.reason},
          {"earlier", lost.earlier},
          {"early", name_json(lost.early)},
          {"late", name_json(lost.late)},
          {"order", order}};
}

Json bytes_json(const NamedBytes& bytes) {
  Json json = range_json(bytes.name);
  json["address"] = bytes.range.begin;
  return json;
}

Json canary_json(const Canary& canary, const Program& program) {
  const Step& step = canary.step.step;
  Json json = name_json(canary.step);
  if (step.node.valid()) {
    json["graph"] = program.graphs[program.ops[step.op.index()].graph.index()].name;
    json["node"] = step.node.value();
  }
  json["page"] = canary.page;
  json["offset"] = canary.offset;
  json["bytes"] = canary.bytes;
  json["range"] = range_json(canary.range);
  return json;
}

Json watched_json(const Watched& watched, const Program& program) {
  Json json = {{"watch", watched.watch.text},  {"listed", watched.watch.listed},
               {"contents", watched.contents}, {"ranges", Json::array()},
               {"expected", Json::array()},    {"canaries", Json::array()},
               {"unseen", Json::array()}};
  for (const NamedBytes& piece : watched.watch.pieces) json["ranges"].push_back(bytes_json(piece));
  for (const StepName& name : watched.expected) json["expected"].push_back(name_json(name));
  for (const Canary& one : watched.canaries) json["canaries"].push_back(canary_json(one, program));
  for (const NamedBytes& one : watched.unseen) json["unseen"].push_back(bytes_json(one));
  return json;
}

const char* arm_word(ArmState state) {
  constexpr std::array<const char*, 5> kWords = {"racy", "ordered", "apart", "not-reached",
                                                 "not-compared"};
  return kWords[static_cast<size_t>(state)];
}

}  // namespace

const char* trial_word(TrialResult result) {
  constexpr std::array<const char*, 6> kWords = {"same-bytes",    "diverges", "elsewhere",
                                                 "never-written", "outside",  "not-tried"};
  return kWords[static_cast<size_t>(result)];
}

Json witness_json(const Witness& witness, int64_t cause) {
  Json json = {{"critical_pair", {witness.first.label, witness.second.label}},
               {"replays", witness.replays},
               {"identical", witness.identical},
               {"reaches_output", witness.reaches_output()},
               {"cause", cause},
               {"first", name_json(witness.first)},
               {"second", name_json(witness.second)},
               {"range", range_json(witness.range)},
               {"right_is_baseline", witness.right_is_baseline},
               {"stopped", witness.stopped},
               {"right_digest", hex(witness.right_digest, 16)},
               {"wrong_digest", hex(witness.wrong_digest, 16)}};
  if (!witness.damaged.label.empty()) json["damaged"] = name_json(witness.damaged);
  json["outputs"] = Json::array();
  for (const NamedRange& output : witness.outputs) json["outputs"].push_back(range_json(output));
  json["ignored"] = Json::array();
  for (const Ignored& one : witness.ignored) json["ignored"].push_back(range_json(one.name));
  return json;
}

Json exploration_json(const Exploration& exploration, const Verdict& verdict,
                      const Program& program) {
  Json json = {{"baseline", baseline_word(exploration.baseline)},
               {"broken_reads", exploration.broken_reads},
               {"steps", exploration.steps},
               {"chains", exploration.chains},
               {"calibration_replays", exploration.calibration_replays},
               {"masked", exploration.masked},
               {"orders", exploration.orders},
               {"different", exploration.different},
               {"equivalent", exploration.equivalent},
               {"pairs_covered", exploration.pairs_covered},
               {"exhaustive", exploration.exhaustive},
               {"random_orders", exploration.random_orders},
               {"random_depth", exploration.random_depth},
               {"random_bound", exploration.random_bound},
               {"own_launches", own_launches_word(exploration.own_launches)},
               {"own_runs", exploration.own.runs},
               {"own_different", exploration.own.different},
               {"replays", exploration.replays},
               {"budget", exploration.budget},
               {"seed", exploration.seed},
               {"held", held_json(exploration.held)},
               {"lost", lost_json(exploration.lost)},
               {"reasons", exploration.reasons}};
  json["pinned"] = Json::array();
  for (const StepName& name : exploration.pinned) json["pinned"].push_back(name_json(name));
  json["ignored"] = Json::array();
  for (const Ignored& one : exploration.ignored) json["ignored"].push_back(range_json(one.name));
  json["watched"] = Json::array();
  for (const Watched& one : exploration.watched)
    json["watched"].push_back(watched_json(one, program));
  json["arms"] = Json::array();
  for (const bohr::Arm& arm : exploration.arms) {
    Json states = Json::object();
    for (size_t i = 0; i < arm.states.size() && i < verdict.causes.size(); ++i)
      states[verdict.causes[i].site] = arm_word(arm.states[i]);
    json["arms"].push_back({{"name", arm.name}, {"states", states}});
  }
  json["trials"] = Json::array();
  for (const Trial& trial : exploration.trials) {
    const Finding& finding =
        (trial.candidate ? verdict.candidates : verdict.findings)[static_cast<size_t>(trial.index)];
    json["trials"].push_back({{"first", finding.first.label},
                              {"second", finding.second.label},
                              {"candidate", trial.candidate},
                              {"result", trial_word(trial.result)},
                              {"contents", trial.contents},
                              {"slack_ns", trial.slack_ns},
                              {"no_slack", trial.no_slack}});
  }
  return json;
}

}  // namespace bohr::report

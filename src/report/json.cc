// SPDX-License-Identifier: Apache-2.0
// Field names are a contract with users' scripts: add, never rename. Causes are numbered over all
// subjects by their site, so a finding's `cause` is an id of this document; stacks are written once
// and named.
#include "report/json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "report/exploration_json.h"
#include "report/frames.h"
#include "report/hides.h"
#include "report/repairs.h"
#include "report/words.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;

class Document {
 public:
  explicit Document(std::span<const Subject> subjects) : subjects_(subjects) {}
  Json build(const JsonOptions& options);

 private:
  std::string stack(const Program& program, StackId id);
  Json side(const Program& program, const Side& side);
  Json finding(size_t subject, const Finding& finding, const std::string& site);
  Json list(bool candidates);
  void add_causes(Json* causes, bool candidates);
  Json coverage() const;
  Json verdict() const;
  Json subjects() const;
  Json diagnostics() const;
  Json suppressions() const;
  Json witnesses() const;
  Json explorations() const;

  std::span<const Subject> subjects_;
  std::map<std::pair<bool, std::string>, int64_t> cause_ids_;
  std::map<std::vector<std::string>, std::string> stack_names_;
  Json stacks_ = Json::object();
};

std::string Document::stack(const Program& program, StackId id) {
  if (!id.valid() || id.index() >= program.stacks.size()) return {};
  std::vector<std::string> frames;
  for (const Frame& frame : program.stacks[id.index()].frames) {
    frames.push_back(full_frame_text(frame));
  }
  if (frames.empty()) return {};
  const auto [at, added] =
      stack_names_.try_emplace(frames, "s" + std::to_string(stack_names_.size() + 1));
  if (added) stacks_[at->second] = frames;
  return at->second;
}

Json Document::side(const Program& program, const Side& side) {
  Json json = {{"label", side.label}, {"stream", side.where}};
  if (side.graph.valid()) json["graph"] = program.graphs[side.graph.index()].name;
  if (side.node.valid()) json["node"] = side.node.value();
  if (side.launch > 0) json["launch"] = side.launch;
  if (side.op.valid()) json["op"] = side.op.value();
  json["mode"] = mode_word(side.mode);
  json["source"] = source_word(side.source);
  if (!side.block.empty()) json["block"] = side.block;
  if (side.lifetime.valid()) {
    const Lifetime& lifetime = program.lifetimes[side.lifetime.index()];
    json["block_bytes"] = lifetime.bytes;
    if (const std::string name = stack(program, lifetime.alloc_stack); !name.empty()) {
      json["alloc_stack"] = name;
    }
    if (const std::string name = stack(program, lifetime.free_stack); !name.empty()) {
      json["free_stack"] = name;
    }
  }
  if (const Frame* frame = useful_frame(program, side.stack)) json["at"] = frame_text(*frame);
  if (const std::string name = stack(program, side.stack); !name.empty()) json["stack"] = name;
  return json;
}

Json Document::finding(size_t subject, const Finding& finding, const std::string& site) {
  const Program& program = *subjects_[subject].program;
  Json kinds = Json::array();
  for (Hazard hazard : {Hazard::raw, Hazard::waw, Hazard::war}) {
    if (finding.kinds & (1 << static_cast<int>(hazard))) kinds.push_back(to_string(hazard));
  }
  Json json = {
      {"hazard", to_string(finding.hazard)},
      {"class", to_string(finding.cls)},
      {"cause", 0},
      {"site", site},
      {"latent", finding.latent},
      {"suppressed", finding.suppressed},
      {"first", side(program, finding.first)},
      {"second", side(program, finding.second)},
      {"range",
       {{"name", finding.range.name}, {"begin", finding.range.begin}, {"end", finding.range.end}}},
      {"kinds", kinds},
      {"names", finding.names},
      {"order",
       {{"stream", finding.order.stream},
        {"other_stream", finding.order.other_stream},
        {"known", finding.order.known},
        {"needed", finding.order.needed},
        {"join", finding.order.join}}}};
  if (subjects_.size() > 1) json["subject"] = subjects_[subject].name;
  return json;
}

// Findings or candidates of all subjects, sorted by cause, then as the verdict lists them.
Json Document::list(bool candidates) {
  std::vector<std::pair<int64_t, Json>> items;
  for (size_t i = 0; i < subjects_.size(); ++i) {
    const Verdict& verdict = *subjects_[i].verdict;
    std::map<int32_t, std::string> sites;
    for (const Cause& cause : candidates ? verdict.candidate_causes : verdict.causes) {
      sites[cause.id] = cause.site;
    }
    for (const Finding& one : candidates ? verdict.candidates : verdict.findings) {
      const std::string& site = sites[one.cause];
      Json json = finding(i, one, site);
      const int64_t cause = cause_ids_[{candidates, site}];
      json["cause"] = cause;
      if (candidates) {
        json["reasons"] = one.reasons;
        json["suspicion"] = one.suspicion;
      }
      items.emplace_back(cause, std::move(json));
    }
  }
  std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
  Json array = Json::array();
  for (auto& [cause, json] : items) array.push_back(std::move(json));
  return array;
}

void Document::add_causes(Json* causes, bool candidates) {
  for (const Entry& entry :
       candidates ? candidate_entries(subjects_) : finding_entries(subjects_)) {
    const int64_t id = static_cast<int64_t>(cause_ids_.size()) + 1;
    cause_ids_[{candidates, entry.cause->site}] = id;
    const Program& program = *subjects_[entry.subject].program;
    Json json = {{"id", id},
                 {"site", entry.cause->site},
                 {"class", to_string(entry.cause->cls)},
                 {"places", entry.places},
                 {"graphs", entry.graphs},
                 {"processes", entry.subjects.size()},
                 {"latent", entry.latent},
                 {"suppressed", entry.suppressed}};
    if (entry.cause->freed.valid()) {
      json["freed"] = program.lifetimes[entry.cause->freed.index()].name;
    }
    if (Json hides = hides_json(subjects_, entry); !hides.is_null())
      json["hides"] = std::move(hides);
    causes->push_back(std::move(json));
  }
}

Json Document::coverage() const {
  Json json = Json::object();
  const auto merged = merged_coverage(subjects_);
  for (size_t i = 0; i < kHazardClasses; ++i) {
    const Coverage& one = merged[i];
    Json entry = {{"state", state_word(one.state)}};
    if (one.state == CoverageState::undecided) entry["count"] = one.count;
    if (one.state != CoverageState::complete) entry["reasons"] = one.reasons;
    entry["examined"] = one.examined;
    json[to_string(static_cast<HazardClass>(i))] = std::move(entry);
  }
  return json;
}

Json Document::verdict() const {
  std::vector<std::string> assumptions;
  for (const Subject& subject : subjects_) {
    const auto& more = subject.verdict->assumptions;
    assumptions.insert(assumptions.end(), more.begin(), more.end());
  }
  std::ranges::sort(assumptions);
  assumptions.erase(std::unique(assumptions.begin(), assumptions.end()), assumptions.end());
  return {{"result", outcome_word(merged_outcome(subjects_))},
          {"coverage", coverage()},
          {"assumptions", assumptions}};
}

Json Document::subjects() const {
  Json array = Json::array();
  for (const Subject& subject : subjects_) {
    int64_t nodes = 0;
    for (const Graph& graph : subject.program->graphs) {
      nodes += static_cast<int64_t>(graph.nodes.size());
    }
    Json provenance = Json::object();
    for (const Provenance& one : subject.program->provenance) provenance[one.name] = one.value;
    array.push_back({{"name", subject.name},
                     {"result", outcome_word(subject.verdict->outcome)},
                     {"device", subject.program->device},
                     {"graphs", subject.program->graphs.size()},
                     {"nodes", nodes},
                     {"ops", subject.program->ops.size()},
                     {"streams", subject.program->streams.size()},
                     {"provenance", std::move(provenance)}});
  }
  return array;
}

Json Document::diagnostics() const {
  Json array = Json::array();
  for (const Subject& subject : subjects_) {
    for (const Diagnostic& diagnostic : subject.program->diagnostics) {
      array.push_back({{"subject", subject.name},
                       {"reason", diagnostic.reason},
                       {"text", diagnostic.text},
                       {"count", diagnostic.count},
                       {"loses_order", diagnostic.loses_order}});
    }
  }
  return array;
}

Json Document::suppressions() const {
  Json array = Json::array();
  if (subjects_.empty()) return array;
  const std::vector<Suppression>& rules = subjects_.front().verdict->suppressions;
  for (size_t i = 0; i < rules.size(); ++i) {
    int64_t used = 0;
    for (const Subject& subject : subjects_) used += subject.verdict->suppressions[i].used;
    array.push_back({{"match", rules[i].match}, {"reason", rules[i].reason}, {"used", used}});
  }
  return array;
}

// One for each cause of the document, then those of pairs that are no finding.
Json Document::witnesses() const {
  std::map<int64_t, Json> by_cause;
  Json array = Json::array(), others = Json::array();
  for (const Subject& subject : subjects_) {
    if (!subject.exploration) continue;
    for (const Witness& witness : subject.exploration->witnesses) {
      int64_t id = 0;
      for (const Cause& cause : subject.verdict->causes)
        if (witness.cause == cause.id) id = cause_ids_.at({false, cause.site});
      if (id == 0)
        others.push_back(witness_json(witness, 0));
      else
        by_cause.try_emplace(id, witness_json(witness, id));
    }
  }
  for (auto& [id, json] : by_cause) array.push_back(std::move(json));
  for (Json& json : others) array.push_back(std::move(json));
  return array;
}

Json Document::explorations() const {
  Json array = Json::array();
  for (const Subject& subject : subjects_) {
    Json json;
    if (subject.exploration)
      json = exploration_json(*subject.exploration, *subject.verdict, *subject.program);
    else if (!subject.not_explored.empty())
      json = {{"refused", subject.not_explored}};
    else
      continue;
    json["subject"] = subject.name;
    array.push_back(std::move(json));
  }
  return array;
}

Json Document::build(const JsonOptions& options) {
  Json causes = Json::array();
  Json candidate_causes = Json::array();
  add_causes(&causes, false);
  add_causes(&candidate_causes, true);
  Json json = {{"schema", "bohr.findings/1"}, {"verdict", verdict()}};
  json["findings"] = list(false);
  json["candidates"] = list(true);
  json["causes"] = std::move(causes);
  Json all_witnesses = witnesses();
  json["witness"] = all_witnesses.empty() ? Json(nullptr) : all_witnesses.front();
  json["witnesses"] = std::move(all_witnesses);
  json["fixes"] = repairs_json(subjects_);
  for (const AppliedFix& fix : options.applied)
    json["applied"].push_back({{"process", fix.process},
                               {"applied", fix.applied},
                               {"not_needed", fix.not_needed},
                               {"unresolved", fix.unresolved},
                               {"why", fix.whys}});
  if (Json costs = repair_costs_json(subjects_); !costs.empty()) json["costs"] = std::move(costs);
  json["program_exit"] = nullptr;
  if (options.program_exit) {
    const ProgramExit& end = *options.program_exit;
    json["program_exit"] = {{"code", end.code}, {"signal", nullptr}};
    if (end.signal != 0) json["program_exit"] = {{"code", nullptr}, {"signal", end.signal}};
  }
  json["candidate_causes"] = std::move(candidate_causes);
  json["subjects"] = subjects();
  json["diagnostics"] = diagnostics();
  json["suppressions"] = suppressions();
  if (Json all = explorations(); !all.empty()) json["explorations"] = std::move(all);
  json["stacks"] = std::move(stacks_);
  return json;
}

}  // namespace

std::string render_json(std::span<const Subject> subjects, const JsonOptions& options) {
  return Document(subjects).build(options).dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace bohr::report

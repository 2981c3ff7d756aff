// SPDX-License-Identifier: Apache-2.0
// Told of the process that an entry was found in first: the others run the same program.
#include "report/hides.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/absence_text.h"
#include "report/frames.h"
#include "report/words.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostGraphs = 6;

std::string slack_text(const Slack& slack, const Finding& finding) {
  const std::string first = label_text(finding.first.label);
  const std::string second = label_text(finding.second.label);
  if (slack.overlapped > 0) {
    return fmt::format("It does not always: in {} of {} timed runs {} began before {} had ended.",
                       count(slack.overlapped), count(slack.samples), second, first);
  }
  std::string text =
      fmt::format("{} normally ends {} before {} begins", first, duration(slack.median_ns), second);
  if (slack.samples > 1) {
    text += fmt::format(" (at least {}, in {} timed runs)", duration(slack.least_ns),
                        count(slack.samples));
  }
  return text + ".";
}

std::string graph_list(const Program& program, const std::vector<GraphId>& graphs) {
  std::string text = graphs.size() == 1 ? "" : "graphs ";
  const size_t shown = graphs.size() > kMostGraphs ? kMostGraphs : graphs.size();
  for (size_t i = 0; i < shown; ++i) {
    const std::string& name = program.graphs[graphs[i].index()].name;
    text += (i == 0 ? "" : ", ") + (graphs.size() == 1 ? noun("graph", name) : name);
  }
  if (shown < graphs.size()) text += fmt::format(" and {} more", graphs.size() - shown);
  return text;
}

// Without "absent: ", which the list of graphs says.
std::string reason_text(const Absence& absence) {
  std::string text = absence_text(absence);
  constexpr std::string_view kAbsent = "absent: ";
  if (text.starts_with(kAbsent)) text.erase(0, kAbsent.size());
  return text;
}

}  // namespace

std::string why_it_hides(std::span<const Subject> subjects, const Entry& entry) {
  const Program& program = *subjects[entry.subject].program;
  std::string text;
  if (entry.cause->slack.samples > 0) text = slack_text(entry.cause->slack, *entry.finding);
  for (const NotIn& one : entry.cause->not_in) {
    text += fmt::format("{}Not in {}: {}.", text.empty() ? "" : " ",
                        graph_list(program, one.graphs), reason_text(one.absence));
  }
  return text;
}

Json hides_json(std::span<const Subject> subjects, const Entry& entry) {
  const Program& program = *subjects[entry.subject].program;
  Json json;
  if (const Slack& slack = entry.cause->slack; slack.samples > 0) {
    json["slack"] = {{"samples", slack.samples},
                     {"overlapped", slack.overlapped},
                     {"least_ns", slack.least_ns},
                     {"median_ns", slack.median_ns}};
  }
  for (const NotIn& one : entry.cause->not_in) {
    Json graphs = Json::array();
    for (const GraphId graph : one.graphs) graphs.push_back(program.graphs[graph.index()].name);
    json["not_in"].push_back({{"graphs", std::move(graphs)},
                              {"why", absence_word(one.absence.kind)},
                              {"text", reason_text(one.absence)}});
  }
  return json;
}

}  // namespace bohr::report

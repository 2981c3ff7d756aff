// SPDX-License-Identifier: Apache-2.0
#include "report/repairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/costs.h"
#include "report/frames.h"
#include "report/patch_lines.h"
#include "report/words.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;

std::string site_of(const Subject& subject, int32_t cause) {
  for (const Cause& one : subject.verdict->causes)
    if (one.id == cause) return one.site;
  return {};
}

std::string graph_text(const Program& program, GraphId id) {
  const Graph& graph = program.graphs[id.index()];
  const auto number = graph.recorded > 0 ? graph.recorded : static_cast<uint32_t>(id.value());
  return " in " + (graph.name.empty() ? "graph " + std::to_string(number) : printable(graph.name));
}

}  // namespace

std::string part_text(const Program& program, const RepairPart& part) {
  const std::string first = printable(part.first), second = printable(part.second);
  switch (part.kind) {
    case RepairKind::edge:
      return fmt::format("let {}{} wait for {}{}", second, at_stack(program, part.second_stack),
                         first, part.graph.valid() ? graph_text(program, part.graph) : "");
    case RepairKind::lifetime:
      if (!part.until.known())
        return fmt::format("keep {} for good: no join comes after its last use", first);
      if (second.empty())
        return fmt::format("keep {}{} until {}", first, at_stack(program, part.first_stack),
                           part.until.graph.valid() ? "the capture ends"
                                                    : "its stream has waited for all that use it");
      return fmt::format("keep {}{} until {}, which comes after all that use it", first,
                         at_stack(program, part.first_stack), second);
    case RepairKind::separate:
      break;
  }
  if (!part.accesses.empty()) return fmt::format("give {} another block than {}", second, first);
  return fmt::format("give {}{} memory of its own", first, at_stack(program, part.first_stack));
}

namespace {

// Layers and launches repeat a part: each text once, in the order of the parts.
std::vector<std::pair<std::string, int64_t>> counted_parts(const Program& program,
                                                           const Repair& repair) {
  std::vector<std::pair<std::string, int64_t>> list;
  for (const RepairPart& part : repair.parts) {
    std::string text = part_text(program, part);
    const auto known =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.first == text; });
    if (known == list.end())
      list.emplace_back(std::move(text), 1);
    else
      ++known->second;
  }
  return list;
}

std::string state_text(const Repair& repair) {
  if (repair.covered) return "not needed: the repairs of other causes mend this one as well";
  if (!repair.verified) return "NOT verified: " + repair.refuted;
  std::string text = repair.by_check  ? "holds in the check"
                     : repair.in_copy ? "verified in a copy"
                                      : "verified";
  if (repair.graphs_by_check > 0)
    text +=
        fmt::format(" where it was tried; in {} it holds in the check",
                    repair.graphs_by_check == 1 ? "one more graph"
                                                : count(repair.graphs_by_check) + " more graphs");
  if (repair.more_bytes > 0) text += ", " + bytes(repair.more_bytes) + " more at most";
  return text;
}

// What the words for a proposal's state mean, as far as they were used.
void add_meanings(Page* page, const Repairs& repairs) {
  if (!repairs.complete)
    page->paragraph("No choice of these repairs together leaves nothing.", Ink::dim);
  const auto any = [&](auto is) { return std::ranges::any_of(repairs.proposals, is); };
  const auto checked = [](const Repair& one) { return one.by_check || one.graphs_by_check > 0; };
  const auto run = [](const Repair& one) { return one.verified && !one.by_check; };
  if (any(run))
    page->paragraph(
        "verified = with the chosen repair of every other cause the check finds nothing, no order "
        "that was tried differs, and taking any part away brings a race back",
        Ink::dim);
  if (any(checked))
    page->paragraph(
        "holds in the check = with the chosen repair of every other cause the check finds nothing, "
        "and taking any part away brings a race back; no order of it was run",
        Ink::dim);
  if (any([](const Repair& one) { return one.in_copy; }))
    page->paragraph(
        "in a copy = the same in a copy of the work, the block's address rewritten in the "
        "parameters of what uses it; record the patched program once to confirm (bohr check "
        "--confirm)",
        Ink::dim);
}

char letter(size_t proposal) { return static_cast<char>('A' + proposal); }

// Layers and launches repeat a line; beyond a few the rest is in the JSON.
void add_patch(Page* page, const Subject& subject, const Repair& repair) {
  constexpr size_t kMost = 6;
  const std::vector<PatchLine> lines = patch_lines(*subject.program, *subject.verdict, repair);
  for (size_t i = 0; i < std::min(lines.size(), kMost); ++i) {
    const PatchLine& line = lines[i];
    const std::string where = line.where.empty() ? "" : line.where + "   ";
    page->field(i == 0 ? "  in source" : "", fmt::format("{} {}{}", line.sign, where, line.what));
  }
  if (lines.size() > kMost) page->field("", fmt::format("({} more)", lines.size() - kMost));
}

void add_cause(Page* page, const Subject& subject, int32_t cause,
               std::span<const Repair> proposals) {
  page->blank();
  page->heading("Repairs for " + site_of(subject, cause), "", Ink::bold);
  for (size_t i = 0; i < proposals.size(); ++i) {
    const Repair& repair = proposals[i];
    std::string name(1, letter(i));
    for (const auto& [text, times] : counted_parts(*subject.program, repair)) {
      page->field(name, times == 1 ? text : fmt::format("{} ({} times)", text, count(times)));
      name.clear();
    }
    page->field(name, state_text(repair));
    if (repair.verified) add_patch(page, subject, repair);
  }
}

std::vector<NamedCost> costs_of(const Subject& subject) {
  std::vector<NamedCost> costs;
  size_t of_cause = 0;
  const std::vector<Repair>& all = subject.repairs->proposals;
  for (size_t i = 0; i < all.size(); ++i) {
    of_cause = i > 0 && all[i - 1].cause == all[i].cause ? of_cause + 1 : 0;
    if (all[i].verified)
      costs.emplace_back(site_of(subject, all[i].cause) + " " + letter(of_cause), &all[i].cost);
  }
  return costs;
}

}  // namespace

void add_repairs(Page* page, std::span<const Subject> subjects) {
  const auto told = [](const Subject& one) {
    return !one.not_repaired.empty() || (one.repairs && !one.repairs->proposals.empty());
  };
  const bool several = std::ranges::count_if(subjects, told) > 1;
  for (const Subject& subject : subjects) {
    if (several && told(subject)) {
      page->blank();
      page->field("Repairs of", subject.name);
    }
    if (!subject.not_repaired.empty()) page->field("No repairs", subject.not_repaired);
    if (subject.repairs == nullptr) continue;
    const std::vector<Repair>& all = subject.repairs->proposals;
    for (size_t begin = 0; begin < all.size();) {
      size_t end = begin;
      while (end < all.size() && all[end].cause == all[begin].cause) ++end;
      add_cause(page, subject, all[begin].cause, {all.data() + begin, end - begin});
      begin = end;
    }
    add_costs(page, subject.repairs->costs, costs_of(subject));
    page->blank();
    add_meanings(page, *subject.repairs);
    for (const std::string& reason : subject.repairs->reasons) {
      const std::string_view words = reason_words(reason);
      page->field("Limited", words.empty() ? reason : fmt::format("{} ({})", words, reason));
    }
  }
}

namespace {

Json patch_json(const Subject& subject, const Repair& repair, const RepairPart& part) {
  Json list = Json::array();
  for (const Cause& cause : subject.verdict->causes) {
    if (cause.id != repair.cause) continue;
    for (const PatchLine& line : patch_lines(*subject.program, *subject.verdict, cause, part))
      list.push_back({{"sign", std::string(1, line.sign)},
                      {"where", line.where.empty() ? Json(nullptr) : Json(line.where)},
                      {"what", line.what}});
  }
  return list;
}

}  // namespace

Json repairs_json(std::span<const Subject> subjects) {
  Json list = Json::array();
  int64_t proposal = 0;
  for (const Subject& subject : subjects) {
    if (subject.repairs == nullptr) continue;
    for (const Repair& repair : subject.repairs->proposals) {
      ++proposal;
      for (const RepairPart& part : repair.parts) {
        Json json = {{"kind", to_string(part.kind)}};
        if (part.kind == RepairKind::edge)
          json["from"] = part.first, json["to"] = part.second;
        else
          json["block"] = part.first;
        if (!part.accesses.empty()) json["for"] = part.second;
        if (part.kind == RepairKind::lifetime)
          json["until"] = part.until.known() ? Json(part.second) : Json(nullptr);
        json["patch"] = patch_json(subject, repair, part);
        json["verified"] = repair.verified && !repair.in_copy && !repair.by_check;
        if (repair.in_copy || repair.by_check)
          json["verified_in"] = repair.by_check ? "check" : "copy";
        if (repair.graphs_by_check > 0) json["graphs_by_check"] = repair.graphs_by_check;
        json["proposal"] = proposal;
        json["site"] = site_of(subject, repair.cause);
        json["chosen"] = repair.chosen;
        json["more_bytes"] = repair.more_bytes;
        if (!repair.verified) json["refuted"] = repair.refuted;
        if (repair.verified) json["cost"] = cost_json(repair.cost);
        if (part.graph.valid()) {
          json["graph"] = subject.program->graphs[part.graph.index()].name;
          json["nodes"] = {part.from, part.to};
        }
        json["subject"] = subject.name;
        list.push_back(std::move(json));
      }
    }
  }
  return list;
}

Json repair_costs_json(std::span<const Subject> subjects) {
  Json list = Json::array();
  for (const Subject& subject : subjects) {
    if (subject.repairs == nullptr || costs_of(subject).empty()) continue;
    Json json = costs_json(subject.repairs->costs);
    json["subject"] = subject.name;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace bohr::report

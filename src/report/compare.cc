// SPDX-License-Identifier: Apache-2.0
// A table where the arms fit side by side, else a list; and the same as JSON.
//
// The conclusion is drawn from cells alone, and only where all rows agree on which arms have them.
// Of the others it says what their cells say: that something is missing there, that they do not run
// the two side by side, or that they order them. Nothing is concluded from a cell that says
// nothing.
#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/absence_text.h"
#include "report/words.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLeastColumn = 14;  // narrower than this, arms stand below each other
constexpr size_t kMostColumn = 24;
constexpr size_t kMostTitle = 34;

const char* state_word(const Cell& cell) {
  switch (cell.state) {
    case CellState::found:
      return "found";
    case CellState::latent:
      return "latent";
    case CellState::undecided:
      return "undecided";
    case CellState::absent:
      break;
  }
  switch (cell.absence.kind) {
    case AbsenceKind::unknown:
    case AbsenceKind::unrecorded:
      return "not-found";
    case AbsenceKind::not_reached:
    case AbsenceKind::side_unused:
      return "not-reached";
    default:
      return by_order(cell.absence.kind) || cell.absence.kind == AbsenceKind::one_stream ? "ordered"
                                                                                         : "absent";
  }
}

std::string cell_text(const Cell& cell) {
  if (cell.state == CellState::absent) return absence_text(cell.absence);
  std::string text = count(cell.places, "place");
  if (cell.state == CellState::latent) text = "latent: " + text;
  if (cell.state == CellState::undecided) {
    text = "undecided: " + text;
    for (const std::string& reason : cell.reasons) text += ", " + reason;
  }
  if (cell.suppressed) text += ", suppressed";
  if (!cell.site.empty()) text += " as " + cell.site;
  return text;
}

std::string row_title(const Row& row) {
  return row.site + "  " + shortened(row.title, 2 * kMostTitle);
}

bool has_it(const Cell& cell) { return cell.state == CellState::found; }

std::string name_list(const std::vector<Arm>& arms, const std::vector<size_t>& which) {
  std::string text;
  for (size_t i = 0; i < which.size(); ++i) {
    if (i > 0) text += i + 1 == which.size() ? " and " : ", ";
    text += arms[which[i]].name;
  }
  return text;
}

// Which arms have each row, where they agree.
bool same_arms_in_all_rows(const Comparison& comparison, std::vector<size_t>* having) {
  std::set<std::vector<size_t>> sets;
  for (const Row& row : comparison.rows) {
    std::vector<size_t> these;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      if (has_it(row.cells[i])) these.push_back(i);
    }
    sets.insert(std::move(these));
  }
  if (sets.size() != 1 || sets.begin()->empty()) return false;
  *having = *sets.begin();
  return true;
}

// What the arms without it change: behind "Only x has it".
std::string change_text(const Comparison& comparison) {
  std::set<AbsenceKind> kinds;
  for (const Row& row : comparison.rows) {
    for (const Cell& cell : row.cells) {
      if (cell.state == CellState::absent) kinds.insert(cell.absence.kind);
      if (cell.state == CellState::latent || cell.state == CellState::undecided) return {};
    }
  }
  const auto any_of = [&](std::initializer_list<AbsenceKind> some) {
    return std::ranges::any_of(some, [&](AbsenceKind kind) { return kinds.count(kind) > 0; });
  };
  // Of these nothing follows for the order.
  if (any_of({AbsenceKind::unknown, AbsenceKind::unrecorded, AbsenceKind::own_bytes,
              AbsenceKind::reused})) {
    return {};
  }
  const bool ordered = std::ranges::any_of(kinds, by_order);
  if (ordered) {
    return std::ranges::all_of(kinds, by_order) ? "the others order the two" : std::string();
  }
  if (any_of({AbsenceKind::no_block, AbsenceKind::not_freed})) {
    return "the arms change whether the block exists, not whether the order is right";
  }
  if (any_of({AbsenceKind::not_shared, AbsenceKind::sizes})) {
    return "the arms change whether bytes are shared, not whether the order is right";
  }
  if (any_of({AbsenceKind::no_work, AbsenceKind::not_reached})) {
    return "the arms change what runs, not whether the order is right";
  }
  return "the arms change whether the two run side by side, not whether the order is right";
}

struct Table {
  size_t title = 0;
  size_t column = 0;
  bool fits = false;
};

Table table_of(const Comparison& comparison, size_t width) {
  Table table;
  for (const Row& row : comparison.rows)
    table.title = std::max(table.title, columns(row_title(row)));
  table.title = std::min(table.title, kMostTitle);
  const size_t arms = comparison.arms.size();
  const size_t used = 2 + table.title + 2 * arms;
  if (arms == 0 || used >= width) return table;
  table.column = std::min((width - used) / arms, kMostColumn);
  table.fits =
      table.column >= kLeastColumn && std::ranges::all_of(comparison.arms, [&](const Arm& arm) {
        return columns(arm.name) <= table.column;
      });
  return table;
}

// Cells side by side, each wrapped in its column.
void add_cells(Page* page, const Table& table, const std::string& title,
               const std::vector<std::string>& cells) {
  std::vector<std::vector<std::string>> parts = {wrap(printable(title), table.title)};
  size_t lines = parts.front().size();
  for (const std::string& cell : cells) {
    parts.push_back(wrap(printable(cell), table.column));
    lines = std::max(lines, parts.back().size());
  }
  for (size_t i = 0; i < lines; ++i) {
    std::string line;
    for (size_t column = 0; column < parts.size(); ++column) {
      const std::string text = i < parts[column].size() ? parts[column][i] : std::string();
      line += padded(text, (column == 0 ? table.title : table.column) + 2);
    }
    page->verbatim(line, 2);
  }
}

void add_table(Page* page, const Comparison& comparison, const Table& table) {
  std::vector<std::string> names;
  for (const Arm& arm : comparison.arms) names.push_back(arm.name);
  add_cells(page, table, "", names);
  for (const Row& row : comparison.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row.cells) cells.push_back(cell_text(cell));
    add_cells(page, table, row_title(row), cells);
  }
}

void add_list(Page* page, const Comparison& comparison) {
  size_t widest = 0;
  for (const Arm& arm : comparison.arms) widest = std::max(widest, columns(arm.name));
  widest = std::min(widest, page->width() / 3);
  for (const Row& row : comparison.rows) {
    page->paragraph(row_title(row), Ink::bold, 2);
    for (size_t i = 0; i < row.cells.size(); ++i) {
      page->row({shortened(comparison.arms[i].name, std::max<size_t>(widest, 4))},
                {std::max<size_t>(widest, 4)}, cell_text(row.cells[i]), 4);
    }
  }
}

std::vector<std::string> keys_of(const Comparison& comparison) {
  std::vector<std::string> keys;
  for (const Arm& arm : comparison.arms) {
    for (const auto& [key, value] : arm.provenance) {
      if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
    }
  }
  return keys;
}

std::vector<std::string> values_of(const Comparison& comparison, const std::string& key) {
  std::vector<std::string> values;
  for (const Arm& arm : comparison.arms) {
    std::string value;
    for (const auto& [name, text] : arm.provenance) {
      if (name == key) value = text;
    }
    values.push_back(std::move(value));
  }
  return values;
}

bool differ(const std::vector<std::string>& values) {
  return std::ranges::any_of(values, [&](const std::string& v) { return v != values.front(); });
}

void add_provenance(Page* page, const Comparison& comparison, const Table& table) {
  bool first = true;
  for (const std::string& key : keys_of(comparison)) {
    std::vector<std::string> values = values_of(comparison, key);
    if (!differ(values)) continue;
    if (first) page->blank(), page->paragraph("What else differs", Ink::bold);
    first = false;
    for (std::string& value : values) {
      if (value.empty()) value = "-";
    }
    if (table.fits) {
      add_cells(page, table, key, values);
      continue;
    }
    page->paragraph(key, Ink::plain, 2);
    for (size_t i = 0; i < values.size(); ++i)
      page->paragraph(comparison.arms[i].name + ": " + values[i], Ink::plain, 4);
  }
}

Json cell_json(const Arm& arm, const Cell& cell) {
  Json json = {{"arm", arm.name}, {"state", state_word(cell)}, {"places", cell.places}};
  if (cell.suppressed) json["suppressed"] = true;
  if (!cell.site.empty()) json["site"] = cell.site;
  if (!cell.reasons.empty()) json["reasons"] = cell.reasons;
  if (cell.state == CellState::absent) {
    json["why"] = absence_word(cell.absence.kind);
    if (!cell.absence.detail.empty()) json["detail"] = cell.absence.detail;
    if (!cell.absence.to.empty()) json["to"] = cell.absence.to;
  }
  json["text"] = cell_text(cell);
  return json;
}

}  // namespace

std::string conclusion(const Comparison& comparison) {
  std::vector<size_t> having;
  if (comparison.arms.size() < 2 || !same_arms_in_all_rows(comparison, &having)) return {};
  const bool one = comparison.rows.size() == 1;
  if (having.size() == comparison.arms.size()) {
    return fmt::format("Every arm has {}: what differs between them does not matter to {}.",
                       one ? "it" : "them", one ? "it" : "them");
  }
  std::string text = fmt::format("Only {} {} {}", name_list(comparison.arms, having),
                                 having.size() == 1 ? "has" : "have", one ? "it" : "them");
  const std::string change = change_text(comparison);
  return text + (change.empty() ? "." : ": " + change + ".");
}

std::string render_comparison(const Comparison& comparison, const Style& style) {
  Page page(style);
  const Table table = table_of(comparison, page.width());
  if (comparison.rows.empty()) {
    page.paragraph("No arm has a race.", Ink::bold);
  } else if (table.fits) {
    add_table(&page, comparison, table);
  } else {
    add_list(&page, comparison);
  }
  if (const std::string text = conclusion(comparison); !text.empty())
    page.paragraph(text, Ink::plain, 2);
  add_provenance(&page, comparison, table);
  page.blank();
  for (const Arm& arm : comparison.arms) {
    std::string text = outcome_word(arm.outcome);
    if (arm.processes > 1) text += fmt::format(", {}", count(arm.processes, "process"));
    page.field(arm.name, text + (arm.path == arm.name ? "" : "   " + arm.path));
  }
  return page.take();
}

std::string comparison_json(const Comparison& comparison) {
  Json json = {{"schema", "bohr.comparison/1"}, {"arms", Json::array()}, {"causes", Json::array()}};
  for (const Arm& arm : comparison.arms) {
    Json provenance = Json::object();
    for (const auto& [key, value] : arm.provenance) provenance[key] = value;
    json["arms"].push_back({{"name", arm.name},
                            {"path", arm.path},
                            {"result", outcome_word(arm.outcome)},
                            {"processes", arm.processes},
                            {"provenance", std::move(provenance)}});
  }
  for (const Row& row : comparison.rows) {
    Json cells = Json::array();
    for (size_t i = 0; i < row.cells.size(); ++i)
      cells.push_back(cell_json(comparison.arms[i], row.cells[i]));
    json["causes"].push_back({{"site", row.site},
                              {"class", to_string(row.cls)},
                              {"title", row.title},
                              {"arms", std::move(cells)}});
  }
  Json differs = Json::array();
  for (const std::string& key : keys_of(comparison)) {
    if (differ(values_of(comparison, key))) differs.push_back(key);
  }
  json["differs"] = std::move(differs);
  const std::string text = conclusion(comparison);
  json["conclusion"] = text.empty() ? Json(nullptr) : Json(text);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bohr::report

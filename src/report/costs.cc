// SPDX-License-Identifier: Apache-2.0
// A difference that the noise is as large as is told in words, not as a number.
#include "report/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/words.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;
using Cells = std::array<std::string, 6>;

constexpr double kPercent = 100;

double half(const Interval& interval) { return (interval.high - interval.low) / 2; }

bool is_zero(const Interval& interval) {
  return interval.value == 0 && interval.low == 0 && interval.high == 0;
}

std::string run_text(const Cost& cost) {
  if (!cost.measured) return "unknown";
  return fmt::format("{:.1f} +-{:.1f}", cost.step_us.value, half(cost.step_us));
}

std::string more_text(const Cost& cost, double noise_us) {
  if (!cost.measured) return "unknown";
  const Interval& more = cost.more_us;
  if (is_zero(more)) return "0";
  if (std::abs(more.value) <= noise_us || (more.low <= 0 && 0 <= more.high)) return "in the noise";
  return fmt::format("{:+.1f} +-{:.1f}", more.value, half(more));
}

std::string kept_text(const Cost& cost) {
  if (!cost.measured || !cost.kept_known) return "unknown";
  return fmt::format("{:.0f} +-{:.0f}%", kPercent * cost.kept.value, kPercent * half(cost.kept));
}

std::string critical_text(const Cost& cost) {
  return cost.critical_us > 0 ? fmt::format("{:.1f}", cost.critical_us) : "unknown";
}

std::string memory_text(uint64_t now, uint64_t as_is) {
  if (now == as_is) return "+0";
  return now > as_is ? "+" + bytes(now - as_is) : "-" + bytes(as_is - now);
}

// Columns that nothing is known for are left out.
class CostTable {
 public:
  explicit CostTable(const Costs& costs)
      : shown_{true,
               costs.as_is.measured,
               costs.as_is.measured,
               costs.as_is.measured,
               costs.as_is.critical_us > 0,
               true} {
    rows_.push_back({"", "run, us", "more, us", "overlap kept", "critical", "memory"});
  }

  void add(Cells cells) { rows_.push_back(std::move(cells)); }

  void print(Page* page) const {
    Cells::size_type column = 0;
    std::array<size_t, std::tuple_size_v<Cells>> widths{};
    for (; column < widths.size(); ++column)
      for (const Cells& row : rows_)
        widths[column] = std::max(widths[column], columns(row[column]));
    for (const Cells& row : rows_) {
      std::string line;
      for (column = 0; column < widths.size(); ++column)
        if (shown_[column]) line += padded(row[column], widths[column] + 2);
      page->verbatim(line.substr(0, line.find_last_not_of(' ') + 1), 2);
    }
  }

 private:
  std::array<bool, std::tuple_size_v<Cells>> shown_;
  std::vector<Cells> rows_;
};

void add_notes(Page* page, const Costs& costs) {
  const Cost& as_is = costs.as_is;
  if (!as_is.measured) return;
  const double share = kPercent * costs.noise_us / std::max(as_is.step_us.value, 1e-9);
  page->paragraph(
      fmt::format(
          "Medians of {}{}, with what holds them in 95% of cases; the program against "
          "itself: {:.1f} us ({:.1f}%). critical: how long the longest path of steps takes.",
          count(costs.pairs, "round"),
          costs.virtual_time ? " in the virtual time of the simulated GPU" : "", costs.noise_us,
          share),
      Ink::dim);
  if (!as_is.kept_known)
    page->paragraph("Overlap gains no more than the noise, so no share of it can be told.",
                    Ink::dim);
}

Json interval_json(bool known, const Interval& interval) {
  if (!known) return nullptr;
  return {{"value", interval.value}, {"low", interval.low}, {"high", interval.high}};
}

}  // namespace

void add_costs(Page* page, const Costs& costs, const std::vector<NamedCost>& repairs) {
  if (repairs.empty()) return;
  page->blank();
  page->heading("What repairs cost" + (costs.of.empty() ? "" : " in " + printable(costs.of)), "",
                Ink::bold);
  CostTable table(costs);
  table.add({"as it is", run_text(costs.as_is), "", "100%", critical_text(costs.as_is),
             bytes(costs.as_is.pool_bytes)});
  for (const auto& [name, cost] : repairs)
    table.add({name, run_text(*cost), more_text(*cost, costs.noise_us), kept_text(*cost),
               critical_text(*cost), memory_text(cost->pool_bytes, costs.as_is.pool_bytes)});
  if (costs.serial.measured)
    table.add({"overlap off", run_text(costs.serial), more_text(costs.serial, costs.noise_us), "0%",
               critical_text(costs.serial), ""});
  table.print(page);
  add_notes(page, costs);
}

Json cost_json(const Cost& cost) {
  return {{"step_us", interval_json(cost.measured, cost.step_us)},
          {"more_us", interval_json(cost.measured, cost.more_us)},
          {"kept", interval_json(cost.measured && cost.kept_known, cost.kept)},
          {"critical_us", cost.critical_us > 0 ? Json(cost.critical_us) : Json(nullptr)},
          {"pool_bytes", cost.pool_bytes > 0 ? Json(cost.pool_bytes) : Json(nullptr)}};
}

Json costs_json(const Costs& costs) {
  return {{"as_is", cost_json(costs.as_is)},
          {"serial", cost_json(costs.serial)},
          {"noise_us", costs.as_is.measured ? Json(costs.noise_us) : Json(nullptr)},
          {"rounds", costs.pairs},
          {"graph", costs.of.empty() ? Json(nullptr) : Json(costs.of)},
          {"virtual_time", costs.virtual_time}};
}

}  // namespace bohr::report

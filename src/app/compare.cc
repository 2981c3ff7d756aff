// SPDX-License-Identifier: Apache-2.0
// A row is a mistake: a site, or two sites of two arms whose sides stand on the same lines. Sites
// are made of whole stacks, and an arm that captures calls a layer from elsewhere than one that
// does not; within one arm sites stay apart, as they do in its own report.
#include "app/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "check/absence.h"
#include "report/frames.h"

namespace bohr::app {

namespace {

using report::Cell;
using report::CellState;

// A cause, and whose it is.
struct Place {
  const Checked* process = nullptr;
  const Cause* cause = nullptr;
};

std::string line(const Program& program, StackId stack) {
  const Frame* frame = useful_frame(program, stack);
  return frame == nullptr ? std::string() : report::frame_text(*frame);
}

std::string side_key(const Program& program, const Side& side) {
  const Op* op = check::op_of(program, side);
  if (op == nullptr) return "|";
  return fmt::format("|{}|{}", label_of(program, *op), line(program, op->stack));
}

// What a mistake has in common over arms.
std::string key_of(const Place& place) {
  const Program& program = place.process->program;
  const Finding& finding = first_finding(place.process->verdict, *place.cause);
  std::string key = to_string(finding.cls) + side_key(program, finding.first);
  if (place.cause->freed.valid()) {
    const Lifetime& block = program.lifetimes[place.cause->freed.index()];
    return fmt::format("{}|{}|{}|{}", key, program.recorded ? "" : block.name,
                       line(program, block.alloc_stack), line(program, block.free_stack));
  }
  return key + side_key(program, finding.second);
}

std::string title_of(const Place& place) {
  const Finding& finding = first_finding(place.process->verdict, *place.cause);
  if (finding.cls == HazardClass::data || finding.first.block.empty() ||
      finding.first.block == finding.range.name) {
    return report::label_text(finding.first.label) + " -> " +
           report::label_text(finding.second.label);
  }
  return finding.first.block + " -> " + finding.range.name;
}

// Of all processes; where they differ, each value once.
std::vector<Provenance> provenance_of(const std::vector<Checked>& processes) {
  std::vector<Provenance> all;
  std::map<std::string, std::vector<std::string>> values;
  for (const Checked& process : processes) {
    for (const Provenance& one : process.program.provenance) {
      std::vector<std::string>& those = values[one.name];
      if (those.empty()) all.push_back({one.name, {}});
      if (std::ranges::find(those, one.value) == those.end()) those.push_back(one.value);
    }
  }
  for (Provenance& one : all) {
    for (const std::string& value : values[one.name])
      one.value += (one.value.empty() ? "" : ", ") + value;
  }
  return all;
}

struct Row {
  std::string key;
  Place shown;
  std::vector<std::string> sites;  // of each arm; empty: it has none
};

class Comparing {
 public:
  Comparing(const std::vector<CheckedArm>& arms, bool strict_threads)
      : arms_(arms), strict_threads_(strict_threads) {}

  Result<report::Comparison> run() {
    for (size_t arm = 0; arm < arms_.size(); ++arm) collect(arm);
    report::Comparison comparison;
    add_arms(&comparison);
    for (const Row& row : rows_) {
      report::Row out;
      out.site = row.shown.cause->site;
      out.title = title_of(row.shown);
      out.cls = row.shown.cause->cls;
      for (size_t arm = 0; arm < arms_.size(); ++arm) {
        BOHR_TRY(cell, cell_of(row, arm));
        if (cell.site == out.site) cell.site.clear();
        out.cells.push_back(std::move(cell));
      }
      comparison.rows.push_back(std::move(out));
    }
    tell_apart(&comparison.rows);
    return comparison;
  }

 private:
  // The same lines, run eagerly and captured, are two mistakes of one title.
  void tell_apart(std::vector<report::Row>* rows) const {
    std::map<std::string, int> times;
    for (const report::Row& row : *rows) ++times[row.title];
    for (size_t i = 0; i < rows->size(); ++i) {
      report::Row& row = (*rows)[i];
      if (times[row.title] < 2) continue;
      const Place& shown = rows_[i].shown;
      row.title += first_finding(shown.process->verdict, *shown.cause).first.graph.valid()
                       ? " (in a graph)"
                       : " (outside graphs)";
    }
  }

  template <class F>
  void each_cause(size_t arm, bool candidates, F f) const {
    for (const Checked& process : arms_[arm].processes) {
      const Verdict& verdict = process.verdict;
      for (const Cause& cause : candidates ? verdict.candidate_causes : verdict.causes) {
        if (!cause.findings.empty()) f(Place{&process, &cause});
      }
    }
  }

  void collect(size_t arm) {
    std::vector<Place> left;
    each_cause(arm, false, [&](const Place& place) {
      const auto same = std::ranges::find_if(rows_, [&](const Row& row) {
        return std::ranges::find(row.sites, place.cause->site) != row.sites.end();
      });
      if (same == rows_.end())
        left.push_back(place);
      else
        same->sites[arm] = place.cause->site;
    });
    for (const Place& place : left) place_in_a_row(arm, place);
  }

  void place_in_a_row(size_t arm, const Place& place) {
    const std::string key = key_of(place);
    for (Row& row : rows_) {
      const bool mine = row.sites[arm] == place.cause->site;
      if (!mine && (row.key != key || !row.sites[arm].empty())) continue;
      row.sites[arm] = place.cause->site;
      return;
    }
    rows_.push_back({key, place, std::vector<std::string>(arms_.size())});
    rows_.back().sites[arm] = place.cause->site;
  }

  void add_arms(report::Comparison* comparison) const {
    std::vector<std::string> paths;
    for (const CheckedArm& arm : arms_) paths.push_back(arm.path);
    const std::vector<std::string> names = arm_names(paths);
    for (size_t i = 0; i < arms_.size(); ++i) {
      report::Arm arm;
      arm.name = names[i];
      arm.path = paths[i];
      arm.outcome = report::merged_outcome(subjects_of(arms_[i].processes));
      arm.processes = static_cast<int64_t>(arms_[i].processes.size());
      arm.provenance = provenance_of(arms_[i].processes);
      comparison->arms.push_back(std::move(arm));
    }
  }

  Result<Cell> cell_of(const Row& row, size_t arm) {
    Cell cell;
    if (!row.sites[arm].empty()) {
      count_places(row.sites[arm], arm, false, &cell);
      return cell;
    }
    if (count_candidates(row, arm, &cell)) return cell;
    BOHR_TRY(absence, absence_in(row, arm));
    cell.absence = std::move(absence);
    return cell;
  }

  void count_places(const std::string& site, size_t arm, bool candidates, Cell* cell) const {
    bool latent = true, suppressed = true;
    each_cause(arm, candidates, [&](const Place& place) {
      if (place.cause->site != site) return;
      cell->places += place.cause->places;
      latent = latent && place.cause->latent;
      suppressed = suppressed && place.cause->suppressed;
      if (candidates) cell->reasons = first_finding(place.process->verdict, *place.cause).reasons;
    });
    cell->site = site;
    cell->suppressed = suppressed;
    cell->state = candidates ? CellState::undecided : latent ? CellState::latent : CellState::found;
  }

  bool count_candidates(const Row& row, size_t arm, Cell* cell) const {
    std::string site;
    each_cause(arm, true, [&](const Place& place) {
      const bool same = place.cause->site == row.shown.cause->site || key_of(place) == row.key;
      if (site.empty() && same) site = place.cause->site;
    });
    if (!site.empty()) count_places(site, arm, true, cell);
    return !site.empty();
  }

  // Over the processes of an arm: what says most, unless one of them says nothing.
  Result<Absence> absence_in(const Row& row, size_t arm) {
    std::optional<Absence> most;
    for (const Checked& process : arms_[arm].processes) {
      BOHR_TRY(elsewhere, elsewhere_of(process));
      const Absence one =
          elsewhere->why(row.shown.process->program, row.shown.process->verdict, *row.shown.cause);
      if (one.kind <= AbsenceKind::unrecorded) return one;
      if (!most || one.kind > most->kind) most = one;
    }
    return most.value_or(Absence());
  }

  struct Known {
    check::Arenas arenas;
    std::unique_ptr<check::Elsewhere> elsewhere;
  };

  Result<const check::Elsewhere*> elsewhere_of(const Checked& process) {
    std::unique_ptr<Known>& known = known_[&process];
    if (known == nullptr) {
      BOHR_TRY(arenas, check::make_arenas(process.program, strict_threads_));
      known = std::make_unique<Known>();
      known->arenas = std::move(arenas);
      known->elsewhere =
          std::make_unique<check::Elsewhere>(process.program, process.verdict, known->arenas);
    }
    return static_cast<const check::Elsewhere*>(known->elsewhere.get());
  }

  const std::vector<CheckedArm>& arms_;
  bool strict_threads_;
  std::vector<Row> rows_;
  std::map<const Checked*, std::unique_ptr<Known>> known_;
};

std::string without_endings(std::string name) {
  for (const char* ending : {".zst", ".bohr", ".case", ".db"}) {
    if (name.size() > std::string_view(ending).size() && name.ends_with(ending))
      name.resize(name.size() - std::string_view(ending).size());
  }
  return name;
}

}  // namespace

std::vector<std::string> arm_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::filesystem::path file(path);
    if (!file.has_filename()) file = file.parent_path();
    names.push_back(path == "-" ? "standard input" : without_endings(file.filename().string()));
  }
  const std::vector<std::string> first = names;
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(first, first[i]) > 1) names[i] = paths[i];
  }
  return names;
}

Result<report::Comparison> compare(const std::vector<CheckedArm>& arms, bool strict_threads) {
  return Comparing(arms, strict_threads).run();
}

}  // namespace bohr::app

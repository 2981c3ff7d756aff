// SPDX-License-Identifier: Apache-2.0
// What a report lists: one entry per site, gathered over the processes of a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/exploration.h"
#include "model/program.h"
#include "model/repair.h"
#include "model/verdict.h"

namespace bohr::report {

// One checked program: a file, or one process of a run.
struct Subject {
  std::string name;  // for people
  const Program* program = nullptr;
  const Verdict* verdict = nullptr;
  const Exploration* exploration = nullptr;  // null: it was not explored
  std::string not_explored;                  // why, where it was asked for
  const Repairs* repairs = nullptr;          // null: none were looked for
  std::string not_repaired;                  // why, where they were asked for
};

struct Entry {
  size_t subject = 0;  // where it was found first
  const Cause* cause = nullptr;
  const Finding* finding = nullptr;  // the first place; of candidates the most suspicious one
  int64_t places = 0;
  int64_t graphs = 0;
  std::vector<size_t> subjects;  // in which it was found
  bool latent = false;
  bool suppressed = false;
};

// Entries of findings, latent ones last; otherwise in the order of the verdicts.
std::vector<Entry> finding_entries(std::span<const Subject> subjects);
// Entries of candidates, most suspicious first; of equally suspicious ones those inside graphs,
// where orders can be tried, then those with more places.
std::vector<Entry> candidate_entries(std::span<const Subject> subjects);

// The verdicts of all subjects as one: for each class the least that holds for all of them.
std::array<Coverage, kHazardClasses> merged_coverage(std::span<const Subject> subjects);
Outcome merged_outcome(std::span<const Subject> subjects);

}  // namespace bohr::report

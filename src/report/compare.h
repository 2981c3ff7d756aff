// SPDX-License-Identifier: Apache-2.0
// Several arms of one program side by side: which mistake is in which, and why not in the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/absence.h"
#include "model/program.h"
#include "model/verdict.h"
#include "report/layout.h"

namespace bohr::report {

enum class CellState : uint8_t { found, latent, undecided, absent };

struct Cell {
  CellState state = CellState::absent;
  int64_t places = 0;
  bool suppressed = false;
  std::string site;                  // where the arm has another one than the row
  std::vector<std::string> reasons;  // of undecided ones
  Absence absence;                   // of absent ones
};

struct Row {
  std::string site;
  std::string title;  // "logits -> q"
  HazardClass cls = HazardClass::data;
  std::vector<Cell> cells;  // one for each arm
};

struct Arm {
  std::string name;
  std::string path;
  Outcome outcome = Outcome::clean;
  int64_t processes = 1;
  std::vector<Provenance> provenance;
};

struct Comparison {
  std::vector<Arm> arms;
  std::vector<Row> rows;
};

// What holds of all rows together, in a sentence; empty where nothing does.
std::string conclusion(const Comparison& comparison);

std::string render_comparison(const Comparison& comparison, const Style& style);
// One document of schema bohr.comparison/1. Equal arguments give equal bytes.
std::string comparison_json(const Comparison& comparison);

}  // namespace bohr::report

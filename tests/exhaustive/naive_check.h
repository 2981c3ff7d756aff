// SPDX-License-Identifier: Apache-2.0
// The findings of a program as the case format defines them, by looking at every pair: to check
// src/check against.
#pragma once

#include <set>
#include <string>

#include "exhaustive/naive_order.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::naive {

struct NaiveFinding {
  std::string first;
  std::string second;
  HazardClass cls = HazardClass::data;
  Hazard kind = Hazard::raw;
  auto operator<=>(const NaiveFinding&) const = default;
};

std::set<NaiveFinding> findings_of(const Program& program);

// The parts of it.
std::set<NaiveFinding> hazards_of(const Program& program, const Order& order);
std::set<NaiveFinding> lifetimes_of(const Program& program, const Order& order);
std::set<NaiveFinding> pools_of(const Program& program, const Order& order);

// Pairs of step indices that conflict and are unordered, whatever finding they belong to.
std::vector<std::pair<size_t, size_t>> unordered_conflicts(const Program& program,
                                                           const Order& order);

std::string describe(const NaiveFinding& finding);

}  // namespace bohr::naive

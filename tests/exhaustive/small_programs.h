// SPDX-License-Identifier: Apache-2.0
// All small programs: one captured graph of a few kernels over a few ranges, launched once.
//
// A shape is a set of forward edges, one bit for each pair of nodes; a filling is a digit for each
// node, and in it a choice for each range. Together they number every program of that size.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "model/program.h"

namespace bohr::naive {

struct Size {
  int nodes;
  int ranges;
  std::vector<AccessMode> modes;  // besides none

  uint64_t shapes() const { return uint64_t{1} << (nodes * (nodes - 1) / 2); }
  uint64_t fillings() const;
};

class SmallProgram {
 public:
  SmallProgram(const Size& size, uint64_t shape);

  void fill(uint64_t filling);
  const Program& program() const { return program_; }
  // All orders of the nodes that its edges allow.
  const std::vector<std::vector<int32_t>>& extensions() const { return extensions_; }
  // Pairs of nodes that conflict and that two of the extensions order differently.
  std::set<std::pair<int32_t, int32_t>> hazards() const;

 private:
  void extend(std::vector<int32_t>* prefix);
  bool conflict(int a, int b) const;
  const Graph& graph() const { return program_.graphs[0]; }

  Size size_;
  Program program_;
  std::vector<std::vector<int32_t>> extensions_;
  std::vector<std::vector<bool>> seen_before_;  // in some extension
};

}  // namespace bohr::naive

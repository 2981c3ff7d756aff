// SPDX-License-Identifier: Apache-2.0
// Vector clocks over chains.
//
// A chain is a set of steps that are totally ordered. Each step has a place: a chain and a position
// in it, counted from 1. Its row holds, for each chain, the highest position on that chain that
// happens before the step or is the step itself. Since everything below a position on a chain is
// ordered before that position, `a` happens before `b` exactly when b's row has reached a's
// position on a's chain: one look-up.
//
// Two steps may share a place: the early part of a programmatic kernel and its rest. What follows
// the early part follows it only through the rest, so for "what comes after" the two are one; they
// differ in their rows, that is in what comes before.
//
// Rows may be shorter than the number of chains: a missing entry is 0, nothing known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::order {

using Position = uint32_t;
using Row = std::vector<Position>;

inline void join(Row& into, std::span<const Position> other) {
  if (into.size() < other.size()) into.resize(other.size(), 0);
  for (size_t i = 0; i < other.size(); ++i)
    if (other[i] > into[i]) into[i] = other[i];
}

class Clocks {
 public:
  // Steps are numbered in the order in which they are added.
  int32_t add(int32_t chain, Position position, std::span<const Position> row);
  void reserve(size_t steps, size_t row_width);

  size_t size() const { return places_.size(); }
  size_t entries() const { return rows_.size(); }  // of all rows
  int32_t chain(int32_t step) const { return places_[static_cast<size_t>(step)].chain; }
  Position position(int32_t step) const { return places_[static_cast<size_t>(step)].position; }
  std::span<const Position> row(int32_t step) const;
  // What `step` knows of `chain`.
  Position known(int32_t step, int32_t chain) const;
  // Whether a happens before b; a step does not happen before itself.
  bool before(int32_t a, int32_t b) const {
    return a != b && known(b, chain(a)) >= position(a) && chain(a) >= 0;
  }
  bool ordered(int32_t a, int32_t b) const { return a == b || before(a, b) || before(b, a); }

 private:
  struct Place {
    int32_t chain;
    Position position;
  };
  std::vector<Place> places_;
  std::vector<uint64_t> begins_ = {0};
  std::vector<Position> rows_;
};

// What memory is worth spending on: rows are as long as a program is wide, so that one of 10^5
// steps may have 5,000 side by side. Whoever adds steps refuses more (`order-too-large`).
constexpr size_t kMostEntries = size_t{1} << 29;  // 2 GiB
Error order_too_large(const std::string& what, const Clocks& clocks);

}  // namespace bohr::order

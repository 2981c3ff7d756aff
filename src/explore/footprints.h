// SPDX-License-Identifier: Apache-2.0
// What each step does to memory, cell by cell.
//
// Memory is cut at every end of an access, so that an access covers whole cells; accesses of one
// step to one cell are one use. An access of unknown direction counts as an update, so two steps
// that do not conflict here do not conflict at all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "order/step_order.h"

namespace bohr::explore {

struct Use {
  int32_t step = 0;
  int32_t cell = 0;
  LifetimeId lifetime;
  bool reads = false;
  bool writes = false;
  bool atomic = false;  // all of the step's accesses to the cell are atomic updates
  bool known = true;    // false: the direction is not known
};

inline bool conflict(const Use& a, const Use& b) {
  return (a.writes || b.writes) && !(a.atomic && b.atomic);
}

class Footprints {
 public:
  // Refuses (`explore-too-large`) more uses than memory is worth spending on.
  static Result<Footprints> of(const Program& program, const order::StepOrder& order);

  size_t cells() const { return cell_begin_.size() - 1; }
  ByteRange range(int32_t cell) const;
  // The first cell that ends behind an address; cells() when none does.
  size_t first_cell(uint64_t address) const;
  std::span<const Use> of_step(int32_t step) const;  // by cell
  std::span<const Use> of_cell(int32_t cell) const;  // by step, that is in issue order
  // Cells on which some two uses conflict and are unordered.
  const std::vector<int32_t>& racy_cells() const { return racy_; }
  // Whether the direction of every access is known.
  bool all_known() const;
  // The first cell on which two steps conflict, or -1.
  int32_t conflict_cell(int32_t a, int32_t b) const;

 private:
  void find_racy_cells(const order::StepOrder& order);

  std::vector<uint64_t> ends_;
  std::vector<Use> by_step_;
  std::vector<Use> by_cell_;
  std::vector<uint64_t> step_begin_;
  std::vector<uint64_t> cell_begin_;
  std::vector<int32_t> racy_;
};

}  // namespace bohr::explore

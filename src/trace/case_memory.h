// SPDX-License-Identifier: Apache-2.0
// The address space of a case. Every buffer and every allocation without `over` gets a range of
// its own; an allocation `over` another lies on the old one's pieces, and what reaches beyond the
// old end gets fresh addresses, so it overlaps nothing else. Ranges of different origin never
// touch.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/program.h"
#include "trace/case_budget.h"
#include "trace/case_names.h"
#include "trace/case_statement.h"

namespace bohr::trace::text {

// Bytes [begin, end) of a lifetime.
struct Part {
  LifetimeId lifetime;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Memory {
 public:
  Memory(Program* program, const Names& names, Budget* budget)
      : program_(*program), names_(names), budget_(*budget) {}

  // Gives `bytes` fresh addresses.
  Status place(LifetimeId lifetime, int32_t line);

  // Puts a lifetime on `old` from `offset` on. Fails when a live allocation has these bytes.
  Status place_over(LifetimeId lifetime, LifetimeId old, uint64_t offset, int32_t line);

  void free(LifetimeId lifetime);

  // Follows views down to the lifetime; refuses what is empty or reaches outside.
  Result<Part> resolve(const RangeRef& range, int32_t line) const;

  // Appends one access per contiguous piece.
  Status add_accesses(const Part& part, AccessMode mode, bool early, int32_t line,
                      std::vector<Access>* accesses);

 private:
  Status take_fresh(uint64_t bytes, int32_t line, ByteRange* range);
  Status check_unused(const Lifetime& lifetime, int32_t line) const;

  Program& program_;
  const Names& names_;
  Budget& budget_;
  uint64_t next_ = uint64_t{1} << 20;
  struct Live {
    uint64_t end;
    LifetimeId lifetime;
  };
  std::map<uint64_t, Live> live_;  // pieces of allocations that are not freed, by first address
};

}  // namespace bohr::trace::text

// SPDX-License-Identifier: Apache-2.0
// Decides what an unordered conflict is: a finding, or a candidate with the reasons why the trace
// cannot decide it.
//
// Declared, copied and observed accesses are exact: such a conflict is a finding. A pointer in a
// kernel's parameters says only that the kernel may touch a block. Of those, two rules decide:
// the first access of a lifetime is a write, so an unordered use of an older lifetime of its bytes
// is a hazard whatever that use was; and an access unordered with the first access of its own
// lifetime through the same address is one, unless an unseen kernel may have been first. Between an
// exact write and a parameter touch the bytes must surely meet, that is the write covers the whole
// block. Everything else is a candidate, unless replays have settled it. docs/method.md argues each
// rule.
#pragma once

#include <string>
#include <vector>

#include "check/facts.h"
#include "check/pairs.h"
#include "model/verdict.h"

namespace bohr::check {

enum class Decision : uint8_t { nothing, candidate, finding };

struct Decided {
  Decision decision = Decision::nothing;
  uint8_t kinds = 0;  // bit (1 << Hazard)
  HazardClass cls = HazardClass::data;
  Conflict conflict;                         // the one that decided
  AccessMode first_mode = AccessMode::read;  // as far as known: a first access is a write
  AccessMode second_mode = AccessMode::read;
  std::vector<std::string> reasons;  // candidates
};

Decided decide(const Program& program, const Facts& facts, const Pair& pair);

// Class of one conflict: external before host before launch before reuse before data.
HazardClass class_of(const Program& program, const Place& first, const Access& a,
                     const Place& second, const Access& b);

// The kinds that hold between two modes; `touch` may be either.
uint8_t kinds_of(AccessMode first, AccessMode second);

Hazard first_kind(uint8_t kinds);

}  // namespace bohr::check

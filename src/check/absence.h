// SPDX-License-Identifier: Apache-2.0
// Says why a finding of one place does not exist in another: in the program of another arm, or in
// another graph of the same program.
//
// The sides are looked for there (alike.h). Where one is missing, or the block is, that is the
// answer. Otherwise each first side is held against the second side that is issued next after it,
// in the same graph or outside graphs; where no two are, the launches that run them are. Whether
// the two are on one stream, share bytes, and are ordered by what, are facts of that trace. Where a
// pair is none of these, or a part of the trace is missing, nothing is claimed.
#pragma once

#include "check/alike.h"
#include "check/arena.h"
#include "model/absence.h"
#include "model/verdict.h"

namespace bohr::check {

// Where a finding is looked for. All must outlive it.
class Elsewhere {
 public:
  Elsewhere(const Program& program, const Verdict& verdict, const Arenas& arenas);

  // `cause` is one of `verdict`'s of `from`, found or undecided, and has no finding here. `graph`:
  // only that one, if it is valid.
  Absence why(const Program& from, const Verdict& verdict, const Cause& cause,
              GraphId graph = {}) const;

 private:
  friend class Absentee;
  const Program& program_;
  const Verdict& verdict_;
  const Arenas& arenas_;
  Alike alike_;
  std::vector<bool> stream_works_;
  std::vector<std::vector<int32_t>> launches_;   // of each graph: ops
  std::vector<std::vector<int32_t>> on_stream_;  // ops outside graphs, by stream
};

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// Finds in one program, or in one of its graphs, what stands for a side of a finding of another
// one: work of the same name from the same line of source, blocks that the same line allocates.
//
// Cases name their blocks and kernels in the source, so there the name decides. In recorded
// programs it is the line of the user's own code that is nearest to the call, and of several
// callers of that line those that agree furthest outwards: an arm that captures and one that does
// not call the same layer from different places.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/pairs.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::check {

// The op or node of a side; null where it is none, as the second side of class `lifetime`.
const Op* op_of(const Program& program, const Side& side);

// "model.py:12", the function of a native frame, "line 12" of a case; empty where it is not known.
std::string line_of(const Program& program, const Op& op);

class Alike {
 public:
  explicit Alike(const Program& program);

  const Program& program() const { return program_; }
  // Of the name and kind of `op`, wherever they are called from; of one graph where it is valid.
  std::vector<Place> named(const Program& from, const Op& op, GraphId graph) const;
  // Of these, those called from the same line; those of which that is not known where there are
  // none, and all where it is not known of `op`.
  std::vector<Place> same_line(const Program& from, const Op& op,
                               const std::vector<Place>& named) const;
  // By lifetime. Nothing where it is not known where the block comes from, or, of none that is
  // alike, where one of them does.
  std::optional<std::vector<bool>> blocks(const Program& from, LifetimeId block) const;

 private:
  const Program& program_;
  std::unordered_map<std::string, std::vector<Place>> by_name_;
};

}  // namespace bohr::check

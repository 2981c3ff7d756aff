// SPDX-License-Identifier: Apache-2.0
// Ops put in and taken out of a program's issue order; everything that names an op by its place
// follows.
#pragma once

#include <set>
#include <vector>

#include "model/program.h"

namespace bohr::fix {

// An op to put in before the one of an index (ops.size(): at the end); of several at one place the
// one that is listed first comes first.
struct NewOp {
  int32_t before = 0;
  Op op;
};
struct Edits {
  std::vector<NewOp> added;
  std::set<int32_t> removed;
};

// What stands in Op::bound for another new op, by its index in Edits::added.
OpId new_op(size_t index);

// Where each op went; of a removed one the op that came behind it.
struct Moved {
  std::vector<int32_t> place;      // of old op i; one more for the end
  std::vector<int32_t> new_place;  // of new op i
};
Moved edit_ops(Program* program, const Edits& edits);

}  // namespace bohr::fix

// SPDX-License-Identifier: Apache-2.0
#include "fix/edit_ops.h"

#include <algorithm>
#include <numeric>

namespace bohr::fix {

namespace {

constexpr int32_t kNewOps = 1 << 30;  // ids from here on are indices of new ops

class Editor {
 public:
  Editor(Program* program, const Edits& edits) : program_(*program), edits_(edits) {}

  Moved run() {
    place_all();
    for (Op& op : ops_) op.bound = moved(op.bound);
    program_.ops = std::move(ops_);
    for (Lifetime& lifetime : program_.lifetimes) {
      move(&lifetime.alloc), move(&lifetime.free);
      lifetime.made = moved(lifetime.made);
      for (OpId& record : lifetime.use_records) record = moved(record);
    }
    for (Graph& graph : program_.graphs) move(&graph.begin), move(&graph.end);
    return std::move(moved_);
  }

 private:
  void place_all() {
    std::vector<size_t> order(edits_.added.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return edits_.added[a].before < edits_.added[b].before;
    });
    moved_.new_place.resize(order.size());
    auto next = order.begin();
    const auto count = static_cast<int32_t>(program_.ops.size());
    for (int32_t i = 0; i <= count; ++i) {
      for (; next != order.end() && edits_.added[*next].before <= i; ++next) {
        moved_.new_place[*next] = static_cast<int32_t>(ops_.size());
        ops_.push_back(edits_.added[*next].op);
      }
      moved_.place.push_back(static_cast<int32_t>(ops_.size()));
      if (i < count && !edits_.removed.contains(i))
        ops_.push_back(program_.ops[static_cast<size_t>(i)]);
    }
  }

  OpId moved(OpId op) const {
    if (!op.valid()) return op;
    if (op.value() >= kNewOps)
      return OpId(moved_.new_place[static_cast<size_t>(op.value() - kNewOps)]);
    return OpId(moved_.place[op.index()]);
  }
  void move(Point* point) const {
    if (point->known() && !point->graph.valid())
      point->index = moved_.place[static_cast<size_t>(point->index)];
  }

  Program& program_;
  const Edits& edits_;
  std::vector<Op> ops_;
  Moved moved_;
};

}  // namespace

OpId new_op(size_t index) { return OpId(kNewOps + static_cast<int32_t>(index)); }

Moved edit_ops(Program* program, const Edits& edits) { return Editor(program, edits).run(); }

}  // namespace bohr::fix

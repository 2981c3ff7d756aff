// SPDX-License-Identifier: Apache-2.0
// Happens-before written down as the case format tells it, to check src/order against: one point
// for every moment that matters, one arrow for every rule, and Warshall's closure over all of them.
// Launches are unrolled into instances of their nodes. O(points^3); for small programs only.
//
// An op has four points: the host enters the call, the host returns from it, the work begins, the
// work ends. Work lies between its begin and its end as one step or two. What a stream, a graph or
// a launch orders is begins after ends, but a programmatic launch begins after its predecessor's
// begin and only its rest comes after that end.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/program.h"
#include "model/step.h"

namespace bohr::naive {

// Points and the arrows between them.
class Relation {
 public:
  int32_t add_point();
  void add_arrow(int32_t from, int32_t to);
  void close();  // transitively
  bool before(int32_t a, int32_t b) const { return bit(rows_[static_cast<size_t>(a)], b); }

 private:
  using Row = std::vector<uint64_t>;
  static bool bit(const Row& row, int32_t i) {
    const auto word = static_cast<size_t>(i) / 64;
    return word < row.size() && ((row[word] >> (i % 64)) & 1) != 0;
  }
  std::vector<Row> rows_;
};

struct WorkPoints {
  int32_t begin = -1;
  int32_t end = -1;
};

struct Order {
  Relation relation;
  std::vector<Step> steps;          // in issue order
  std::vector<int32_t> step_point;  // of each step
  std::vector<int32_t> enter;       // of each op: the host enters the call
  std::vector<int32_t> leave;       // of each op: the host returns from it
  std::vector<WorkPoints> op_work;  // of each op on a stream; a launch's spans all its nodes
  std::map<std::pair<OpId, NodeId>, WorkPoints> node_work;  // by launch and node

  bool before(size_t a, size_t b) const { return relation.before(step_point[a], step_point[b]); }
  bool unordered(size_t a, size_t b) const { return !before(a, b) && !before(b, a); }
};

Order happens_before(const Program& program);

// Points all of which precede a hypothetical op that `thread` issues to `stream` at that place
// among Program::ops, without programmatic launch.
std::vector<int32_t> predecessors_at(const Program& program, const Order& order, StreamId stream,
                                     ActorId thread, size_t place);

// A stream's items are what takes a place in its order.
bool is_stream_item(OpKind kind);

}  // namespace bohr::naive

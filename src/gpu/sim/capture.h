// SPDX-License-Identifier: Apache-2.0
// One stream capture: which streams are in it, what their next nodes come after, and the graph so
// far.
//
// A stream's frontier is the node that was last captured on it, joined with the frontiers that it
// waited for. A new node gets an edge from each of its stream's frontier and becomes the frontier.
// A programmatically launched kernel directly behind a kernel gets one programmatic edge instead.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpu/sim/tape.h"

namespace bohr::gpu::sim {

using Frontier = std::vector<int32_t>;  // nodes, ascending

class Capture {
 public:
  Capture(uint32_t number, Stream origin, Pool pool, std::string name);

  uint32_t number() const { return number_; }
  Stream origin() const { return origin_; }
  Pool pool() const { return pool_; }
  const std::string& name() const { return name_; }
  bool holds(Stream stream) const { return streams_.count(stream) != 0; }

  void add(Node node);
  const Frontier& frontier(Stream stream) { return streams_[stream].frontier; }
  // The stream joins the capture, if it was not in it.
  void wait(Stream stream, const Frontier& frontier);
  // A call that a capture does not survive was made.
  void invalidate() { valid_ = false; }
  bool valid() const { return valid_; }

  // Whether all nodes lead to the origin's frontier.
  bool joined() const;
  GraphVersion take() { return std::move(graph_); }

 private:
  struct StreamState {
    Frontier frontier;
    int32_t kernel = -1;  // that the next node comes directly behind
  };

  uint32_t number_;
  Stream origin_;
  Pool pool_;
  std::string name_;
  bool valid_ = true;
  std::map<Stream, StreamState> streams_;
  GraphVersion graph_;
};

}  // namespace bohr::gpu::sim

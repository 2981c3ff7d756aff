// SPDX-License-Identifier: Apache-2.0
// Why a pair that is a finding in one place is none in another: in another arm, or in another graph
// of the same program. Facts of that place's trace; what it does not tell is `unknown`.
#pragma once

#include <cstdint>
#include <string>

namespace bohr {

// In the order of how far the two came: of several places the last says most.
enum class AbsenceKind : uint8_t {
  unknown,      // it is none there, and the trace does not say why
  unrecorded,   // a part of the trace is missing; detail: the reason's name
  no_work,      // nothing does what a side does; detail: its label
  no_block,     // the block is never handed out
  not_reached,  // such work exists, but not from that line of source; detail: the line
  side_unused,  // all work is on one stream; detail: a stream of the mistake that has none
  not_freed,    // the block is not freed
  not_shared,   // the two use different bytes
  sizes,        // the same, and the blocks have other sizes
  own_bytes,    // bytes are shared, and every read sees the write that it is meant to see
  reused,       // the block is freed too early as well, and handed out again; detail: that site
  one_stream,   // stream order has them
  free_later,   // the block is freed behind its uses
  edge,         // edges of the graph order them; detail, to: the one that leaves the stream
  wait,         // the second one's stream waits; detail: the line
  host,         // the host waits; detail: the line
  order,        // ordered in another way
};

struct Absence {
  AbsenceKind kind = AbsenceKind::unknown;
  std::string detail;
  std::string to;
  bool operator==(const Absence&) const = default;
};

// Whether somebody asked for the order that is there.
inline bool by_order(AbsenceKind kind) { return kind >= AbsenceKind::free_later; }

}  // namespace bohr

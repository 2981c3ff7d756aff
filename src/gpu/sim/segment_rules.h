// SPDX-License-Identifier: Apache-2.0
// How large blocks and segments are: PyTorch's figures under its default settings.
//
// A request is rounded up to whole steps of 512 bytes. Small blocks, up to 1 MiB, are cut from
// segments of 2 MiB; large ones below 10 MiB from segments of 20 MiB; a larger one gets a segment
// of its own, in steps of 2 MiB. A small block leaves over any remainder; a large one only more
// than 1 MiB, else it keeps it.
#pragma once

#include <cstdint>

namespace bohr::gpu::sim {

constexpr uint64_t kBlockStep = 512;
constexpr uint64_t kLargestSmallBlock = 1 << 20;
constexpr uint64_t kSmallSegment = 2 << 20;
constexpr uint64_t kLargeSegment = 20 << 20;
constexpr uint64_t kSmallestOwnSegment = 10 << 20;
constexpr uint64_t kSegmentStep = 2 << 20;
constexpr uint64_t kLargestRequest = uint64_t{1} << 62;  // beyond it, rounding could overflow

enum class SegmentKind : uint8_t { small, large };

constexpr uint64_t in_steps(uint64_t bytes, uint64_t step) {
  return (bytes + step - 1) / step * step;
}

constexpr uint64_t block_bytes(uint64_t requested) { return in_steps(requested, kBlockStep); }

constexpr SegmentKind segment_kind(uint64_t block) {
  return block <= kLargestSmallBlock ? SegmentKind::small : SegmentKind::large;
}

constexpr uint64_t segment_bytes(uint64_t block) {
  if (segment_kind(block) == SegmentKind::small) return kSmallSegment;
  return block < kSmallestOwnSegment ? kLargeSegment : in_steps(block, kSegmentStep);
}

constexpr bool leaves_over(SegmentKind kind, uint64_t remainder) {
  return kind == SegmentKind::small ? remainder >= kBlockStep : remainder > kLargestSmallBlock;
}

}  // namespace bohr::gpu::sim

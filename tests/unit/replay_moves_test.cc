// SPDX-License-Identifier: Apache-2.0
// Where a step finds the bytes of moved blocks: each case against a copy byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "replay/moves.h"

namespace bohr::replay {
namespace {

// The new place of each byte, in the order of the old ones.
std::vector<uint64_t> bytes_seen(std::span<const ByteRange> ranges, int32_t step,
                                 std::span<const Move> moves) {
  std::vector<uint64_t> bytes;
  for (const ByteRange& range : ranges)
    for (uint64_t at = range.begin; at < range.end; ++at) {
      uint64_t place = at;
      for (const Move& move : moves)
        if (std::find(move.steps.begin(), move.steps.end(), step) != move.steps.end() &&
            move.from.begin <= at && at < move.from.end)
          place = move.to + (at - move.from.begin);
      bytes.push_back(place);
    }
  return bytes;
}

std::vector<uint64_t> bytes_of(std::span<const ByteRange> ranges) {
  std::vector<uint64_t> bytes;
  for (const ByteRange& range : ranges)
    for (uint64_t at = range.begin; at < range.end; ++at) bytes.push_back(at);
  return bytes;
}

TEST(ReplayMoves, RangesThatBeginOrEndInsideAMovedBlock) {
  const std::vector<Move> moves = {{{1}, {8, 16}, 100}, {{1, 2}, {20, 24}, 200}};
  for (uint64_t begin = 0; begin < 28; ++begin)
    for (uint64_t end = begin; end <= 28; ++end)
      for (const int32_t step : {0, 1, 2}) {
        const std::vector<ByteRange> ranges = {{begin, end}};
        EXPECT_EQ(bytes_of(seen_at(ranges, step, moves)), bytes_seen(ranges, step, moves))
            << begin << " to " << end << ", step " << step;
      }
}

TEST(ReplayMoves, SeveralRanges) {
  const std::vector<Move> moves = {{{0}, {8, 16}, 100}};
  const std::vector<ByteRange> ranges = {{0, 10}, {12, 12}, {14, 15}, {15, 30}};
  EXPECT_EQ(bytes_of(seen_at(ranges, 0, moves)), bytes_seen(ranges, 0, moves));
}

}  // namespace
}  // namespace bohr::replay

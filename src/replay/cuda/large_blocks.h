// SPDX-License-Identifier: Apache-2.0
// Allocations that are too large to be saved whole: of these only the pages that launches are seen
// to write are saved, and all others are watched by their digests.
//
// The program's own launch shows which pages those are: digests are taken before it, and compared
// after it. A page beside these that changes in a replay could not be put back, so such a replay is
// the last one.
#pragma once

#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "replay/cuda/device.h"

namespace bohr::replay::cuda {

class LargeBlocks {
 public:
  // Takes their digests as they are now.
  static Result<LargeBlocks> of(Device* device, std::vector<ByteRange> blocks);

  bool empty() const { return blocks_.empty(); }
  std::span<const ByteRange> blocks() const { return blocks_; }
  bool still_there() const;
  // Pages that changed since of() or the last settle().
  Result<std::vector<ByteRange>> changed();
  // Takes the present contents as those to compare with.
  Status settle();

 private:
  std::vector<ByteRange> blocks_;
  Device* device_ = nullptr;
  SpanList list_;
  Buffer before_;
  Buffer now_;
};

// The pages of a block that hold some of a range inside it.
ByteRange pages_around(const ByteRange& range, const ByteRange& block);
// Pages of blocks, sorted and disjoint, each inside one block; where two blocks touch a range of
// `pages` may lie in both.
std::vector<ByteRange> cut_at_blocks(std::span<const ByteRange> pages,
                                     std::span<const ByteRange> blocks);

}  // namespace bohr::replay::cuda

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

}  // namespace bohr::replay::cuda

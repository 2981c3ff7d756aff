// SPDX-License-Identifier: Apache-2.0
// Hands out addresses of one region, as a driver does: the lowest gap that fits.
#pragma once

#include <cstdint>
#include <map>

#include "base/range.h"

namespace bohr::gpu::sim {

class AddressSpace {
 public:
  explicit AddressSpace(ByteRange range) : range_(range) {}

  // 0 where no gap is left. Large requests begin at a multiple of 2 MiB from the region's begin.
  uint64_t take(uint64_t bytes);
  // The bytes that were handed out at `address`; 0 where it is no begin of a hand-out.
  uint64_t give_back(uint64_t address);
  // Whether all of the range is handed out.
  bool holds(ByteRange range) const;

 private:
  ByteRange range_;
  std::map<uint64_t, uint64_t> taken_;  // begin to end
};

}  // namespace bohr::gpu::sim

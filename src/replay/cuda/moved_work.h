// SPDX-License-Identifier: Apache-2.0
// The nodes of a launch with blocks elsewhere: memory of ours instead, whose addresses stand in the
// parameters of the steps that use it. An address that a kernel finds in memory stays what it is:
// whether all was found shows when the steps run.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "replay/cuda/device.h"
#include "replay/cuda/node.h"
#include "replay/replayer.h"

namespace bohr::replay::cuda {

class MovedWork {
 public:
  // `nodes`: by step. Refuses (`replay-moved`) a host function, whose addresses are out of reach,
  // and more memory than there is.
  static Result<std::unique_ptr<MovedWork>> of(Device* device, const GraphWork& work,
                                               std::span<const int32_t> nodes,
                                               std::span<const Move> moves);

  const GraphWork& work() const { return work_; }
  std::span<const Move> moves() const { return moves_; }
  // Puts there what stands in the old places. Waits for nothing.
  Status fill();
  // Where a range at the moves' addresses is in truth; nothing: it is none of these.
  std::optional<ByteRange> real(const ByteRange& range) const;

 private:
  explicit MovedWork(Device* device) : device_(*device) {}

  Device& device_;
  GraphWork work_;
  std::vector<Move> moves_;
  std::vector<Buffer> buffers_;   // by move
  std::vector<uint64_t> begins_;  // in them, as far from a multiple of kAlignment as `from` is
};

}  // namespace bohr::replay::cuda

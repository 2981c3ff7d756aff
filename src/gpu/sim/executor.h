// SPDX-License-Identifier: Apache-2.0
// Runs the items of a tape over an arena, whole or block by block. It knows no order and no time:
// `serial` and `concurrent` say what runs when.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "gpu/sim/arena.h"
#include "gpu/sim/tape.h"

namespace bohr::gpu::sim {

class Executor {
 public:
  // `salt` tells runs apart where a kernel reads the clock.
  Executor(const Tape& tape, Arena* arena, uint64_t salt)
      : tape_(tape), arena_(arena), salt_(salt) {}

  // How many blocks an item has; what is no kernel has one.
  uint32_t blocks(const Item& item) const;
  // The effects of one block. Fails on a kernel that breaks its declaration (code `sim-access`).
  Status run_block(const Item& item, uint32_t block);
  // All blocks of an item, in turn.
  Status run(const Item& item);

 private:
  // What an item leaves to the later item of the same work.
  struct Carried {
    std::vector<Registers> registers;
    std::vector<uint8_t> staged;
  };
  Status run_kernel(const Work& work, const Item& item, uint32_t index);
  Status run_copy(const Work& work, const Item& item);
  Status run_function(const Work& work);
  Accessor accessor(const Work& work, Declared part);
  uint64_t clock(const Item& item, uint32_t block) const;

  const Tape& tape_;
  Arena* arena_;
  uint64_t salt_;
  std::map<std::pair<int32_t, int32_t>, Carried> carried_;  // by op and node
};

}  // namespace bohr::gpu::sim

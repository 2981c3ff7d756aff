// SPDX-License-Identifier: Apache-2.0
// PyTorch's memory snapshots, as torch.cuda.memory._dump_snapshot writes them.
#pragma once

#include <string>

#include "trace/allocator_history.h"
#include "trace/plain_values.h"

namespace bohr::trace {

Result<AllocatorHistory> history_of_snapshot(const PlainValues& snapshot,
                                             const std::string& source);

}  // namespace bohr::trace

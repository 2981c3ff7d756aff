// SPDX-License-Identifier: Apache-2.0
// Tables of pointers, told by what stands in them: a kernel that is given other contents in their
// place ends its context.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/range.h"
#include "model/program.h"

namespace bohr::explore {

// All memory that the program was handed, sorted and disjoint.
std::vector<ByteRange> memory_of(const Program& program);

// Whether some aligned word of 8 bytes, other than zero, is an address within `memory`.
bool holds_addresses(std::span<const ByteRange> memory, std::span<const uint8_t> bytes);

}  // namespace bohr::explore

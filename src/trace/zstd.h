// SPDX-License-Identifier: Apache-2.0
// Files that are compressed with zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::trace {

bool is_zstd(std::span<const uint8_t> bytes);

// Refuses damage, and results of more than `most` bytes: a few bytes can stand for terabytes.
Result<std::vector<uint8_t>> decompress(std::span<const uint8_t> bytes, size_t most,
                                        const std::string& source);

// One frame with a checksum. Equal bytes give equal bytes.
Result<std::vector<uint8_t>> compress(std::span<const uint8_t> bytes);

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// The part of the tar format (POSIX ustar) that a bundle needs: plain files, one after the other.
// Equal files give equal bytes: no times, no owners.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::trace {

struct TarFile {
  std::string name;  // below 100 bytes
  std::vector<uint8_t> bytes;
};

bool is_tar(std::span<const uint8_t> bytes);

std::vector<uint8_t> write_tar(std::span<const TarFile> files);

// Refuses (`input-tar`) what is damaged or cut off. What is no plain file is passed over.
Result<std::vector<TarFile>> read_tar(std::span<const uint8_t> bytes, const std::string& source);

}  // namespace bohr::trace

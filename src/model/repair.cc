// SPDX-License-Identifier: Apache-2.0
#include "model/repair.h"

#include <array>

namespace bohr {

const char* to_string(RepairKind kind) {
  constexpr std::array<const char*, 3> kWords = {"edge", "lifetime", "separate"};
  return kWords[static_cast<size_t>(kind)];
}

}  // namespace bohr

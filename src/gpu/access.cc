// SPDX-License-Identifier: Apache-2.0
// Whether declared ranges cover a view: neighbouring ranges may do so together.
#include "gpu/access.h"

#include <algorithm>

namespace bohr::gpu {

namespace {

bool permits(Mode declared, Mode wanted) {
  return declared == wanted ||
         (declared == Mode::update && (wanted == Mode::read || wanted == Mode::write));
}

}  // namespace

// Each round moves on to the end of some range, so there are no more rounds than ranges.
bool Accessor::covered(uint64_t address, uint64_t bytes, Mode mode) const {
  const uint64_t end = address + bytes;
  if (end < address) return false;
  uint64_t at = address;
  while (at < end) {
    uint64_t reached = at;
    for (const Access& access : declared_) {
      const bool mine = part_ == Declared::all || access.early == (part_ == Declared::early);
      if (!mine || !permits(access.mode, mode) || access.address > at) continue;
      reached = std::max(reached, access.address + access.bytes);
    }
    if (reached == at) return false;
    at = reached;
  }
  return true;
}

}  // namespace bohr::gpu

// SPDX-License-Identifier: Apache-2.0
// What an op does to memory: one access is one byte range of one lifetime.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/range.h"

namespace bohr {

// `touch` is an access whose direction is not known: a pointer in a kernel's parameters.
enum class AccessMode : uint8_t { read, write, update, atomic, touch };

enum class Certainty : uint8_t { exact, may };

enum class AccessSource : uint8_t { declared, copy, params, observed, instrumented };

// Why a `params` access is weaker than a plain pointer parameter: such an access never makes a
// finding, only a candidate.
enum class Doubt : uint8_t {
  none,
  large_struct,   // a slot of a by-value parameter over 128 bytes: may be stale
  end_of_block,   // the value equals the end of another named block
  unknown_extent  // only a part of the block may be meant
};

struct Access {
  ByteRange range;       // in the program's address space
  uint64_t offset = 0;   // of range.begin from the lifetime's first byte
  uint64_t address = 0;  // the pointer value that was passed; 0 for declared accesses
  LifetimeId lifetime;
  AccessMode mode = AccessMode::read;
  Certainty certainty = Certainty::exact;
  AccessSource source = AccessSource::declared;
  Doubt doubt = Doubt::none;
  bool early = false;  // before the grid-dependency wait of a programmatic launch
};

constexpr bool reads(AccessMode mode) { return mode != AccessMode::write; }
constexpr bool writes(AccessMode mode) { return mode != AccessMode::read; }
constexpr bool direction_known(AccessMode mode) { return mode != AccessMode::touch; }

}  // namespace bohr

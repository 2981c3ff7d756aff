// SPDX-License-Identifier: Apache-2.0
// Reads a pickle without running anything. A pickle is a program for a small stack machine, and
// some of its instructions import modules and call what they find there. Those that only build
// values are followed here; all others are refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/plain_values.h"

namespace bohr::trace {

// Whether the bytes begin as a pickle of protocol 2 or later does.
bool looks_like_pickle(std::span<const uint8_t> bytes);

// Tuples are lists. Memory is linear in the bytes.
Result<PlainValues> read_pickle(std::span<const uint8_t> bytes, const std::string& source);

}  // namespace bohr::trace

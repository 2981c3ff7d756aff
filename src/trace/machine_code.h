// SPDX-License-Identifier: Apache-2.0
// What a disassembler's listing says of kernels that are launched programmatically: whether they
// wait for what comes before them ahead of their first access to global memory, and whether they
// let what comes behind them start early.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace bohr::trace {

// `first`: every path to an access leads through the wait. `later`: some access may come ahead of
// it. `unknown`: paths could not be followed.
enum class GridWait : uint8_t { unknown, first, later, never };

struct GridCode {
  GridWait wait = GridWait::unknown;
  bool triggers = false;  // holds the instruction that lets dependents start
  bool operator==(const GridCode&) const = default;
};

// By mangled name. What two pieces of code say differently of one name is unknown.
using GridCodes = std::map<std::string, GridCode, std::less<>>;

// The listings of `cuobjdump -sass` and `nvdisasm`. Code for devices without programmatic launches
// is left out.
GridCodes read_machine_code(std::string_view listing);

}  // namespace bohr::trace

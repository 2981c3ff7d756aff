// SPDX-License-Identifier: Apache-2.0
// Random programs that are right, and twins of them with one mistake: kernels on several streams
// over shared buffers and short-lived blocks, with a wait wherever one kernel needs another, eager
// or captured. A mistake is one wait left out that nothing else stands in for: a missing wait, a
// missing join, or a block that goes back to its owner before another stream is done with it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "model/program.h"

namespace bohr::naive {

struct Planted {
  Program right;
  Program wrong;           // the same steps
  std::string right_text;  // as cases
  std::string wrong_text;
};

// `kernels`: how many; at least 4.
Planted planted_program(uint64_t seed, size_t kernels, size_t streams, bool captured);

}  // namespace bohr::naive

// SPDX-License-Identifier: Apache-2.0
// What import takes from a kernel's mangled name: a short label for people, and which parameters
// its signature says are only read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bohr::trace {

// The function's name without return type, parameters and template arguments, and without the
// namespaces that say nothing ("at::native", anonymous ones). Generic kernels of PyTorch are told
// apart by the functor or operator among their template arguments: "reduce_kernel(sum_functor)".
// What is not mangled is returned as it is.
std::string kernel_label(std::string_view mangled);

// For each of `sizes.size()` parameters, whether the signature declares it a pointer to constant
// data that are no pointers themselves. Empty when the signature is not known or not understood as
// a whole, or does not agree with the parameters' number and sizes.
std::vector<bool> read_only_parameters(std::string_view mangled,
                                       const std::vector<uint64_t>& sizes);

}  // namespace bohr::trace

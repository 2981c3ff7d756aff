// SPDX-License-Identifier: Apache-2.0
// What import takes from a kernel's mangled name: a short label for people, and what its signature
// says of the parameters.
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

// What a signature says of one parameter.
struct ParameterType {
  bool read_only = false;  // a pointer to constant data that are no pointers themselves
  uint32_t same_as = 0;    // the first parameter of the same type
  bool operator==(const ParameterType&) const = default;
};

// Empty when the signature is not known or not understood as a whole, or does not agree with the
// parameters' number and sizes.
std::vector<ParameterType> parameter_types(std::string_view mangled,
                                           const std::vector<uint64_t>& sizes);

// PyTorch's element-wise kernels take an array with the first byte of each tensor, the output
// first. Whether a kernel has such an array, so that no pointer of it is an end pointer.
bool takes_tensor_array(std::string_view mangled);
// The parameter that is this array, where all tensors behind the first are only read; -1 where that
// is not known.
int element_wise_array(std::string_view mangled, const std::vector<uint64_t>& sizes);

}  // namespace bohr::trace

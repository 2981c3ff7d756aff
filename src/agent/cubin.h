// SPDX-License-Identifier: Apache-2.0
// What a cubin says of its kernels' parameters. No call of CUDA's is made, so that it can be read
// while a stream captures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bohr::agent {

struct CubinKernel {
  std::string name;  // mangled
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> sizes;
};

// How many bytes an image has that a program loads code from: a cubin, a fat binary, or the pair of
// words by which the compiler's start-up code names one. Nothing for text. `image` is what the
// driver has just accepted. `begin`: where the bytes are.
struct CodeImage {
  const uint8_t* begin = nullptr;
  size_t bytes = 0;
  bool cubin = false;
};
std::optional<CodeImage> code_image(const void* image);

// Kernels whose parameters are all there; none of what is no cubin, or damaged.
std::vector<CubinKernel> kernels_of_cubin(std::span<const uint8_t> image);

}  // namespace bohr::agent

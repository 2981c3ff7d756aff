// SPDX-License-Identifier: Apache-2.0
// Small kernels for tests and demonstrations, each with a function that makes its launch: packed
// parameters and declared accesses. Buffers hold 32-bit words; block b takes the words from
// b * kWordsPerBlock on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/types.h"

namespace bohr::gpu::sim {

constexpr uint32_t kWordsPerBlock = 64;

// Words of a buffer.
struct Words {
  uint64_t address = 0;
  uint64_t count = 0;
  uint64_t bytes() const { return count * sizeof(uint32_t); }
};

// out[i] = a hash of `tag` and of in[i] of all inputs: another value for any other input. Inputs
// are as long as the output.
KernelLaunch hash_words(const std::string& name, uint32_t tag, const std::vector<Words>& in,
                        Words out);
// The same, launched programmatically; `early_in` is read before the grid-dependency wait.
KernelLaunch hash_words_overlapping(const std::string& name, uint32_t tag, Words early_in, Words in,
                                    Words out);
// out[i] = a[i] + b[i].
KernelLaunch add_words(const std::string& name, Words a, Words b, Words out);
// data[i] = data[i] * factor.
KernelLaunch scale_words(const std::string& name, Words data, uint32_t factor);
// out[i] = table[index[i] % table.count].
KernelLaunch gather_words(const std::string& name, Words table, Words index, Words out);
// sum[0] += in[i], for all i, atomically.
KernelLaunch sum_words(const std::string& name, Words in, Words sum);
// out[i] = in[i] mixed with the device's clock: other with every run.
KernelLaunch stamp_words(const std::string& name, Words in, Words out);

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The kernels of the demo's decode layer, for the simulated GPU: what such a layer computes, in
// small. One block takes one row, which is one sequence of the batch where nothing else is said.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/types.h"

namespace bohr::app::demo {

// A matrix of floats; `stride` floats lie from one row to the next. It travels as a kernel's
// parameter, so it has no bytes that nobody sets.
struct Floats {
  uint64_t address = 0;
  uint64_t stride = 0;
  uint32_t rows = 0;
  uint32_t columns = 0;

  uint64_t row(uint64_t i) const { return address + i * stride * sizeof(float); }
  uint64_t bytes() const { return uint64_t{rows} * stride * sizeof(float); }
};

struct Ints {
  uint64_t address = 0;
  uint64_t count = 0;

  uint64_t at(uint64_t i) const { return address + i * sizeof(int32_t); }
  uint64_t bytes() const { return count * sizeof(int32_t); }
};

Floats matrix(uint64_t address, uint32_t rows, uint32_t columns);
// Columns [first, first + count) of a matrix, as a view.
Floats columns_of(const Floats& all, uint32_t first, uint32_t count);

// Weights that depend on `seed` alone, evenly spread, so that a product keeps its input's size.
gpu::KernelLaunch random_weights(const std::string& name, uint32_t seed, const Floats& out);
// out[i] = table[tokens[i]].
gpu::KernelLaunch embed(const Ints& tokens, const Floats& table, const Floats& out);
// out[i] = in[i] / its root mean square.
gpu::KernelLaunch rms_norm(const std::string& name, const Floats& in, const Floats& out);
// out[i] = weights * in[i], or with `add` that much more than it was.
gpu::KernelLaunch project(const std::string& name, const Floats& in, const Floats& weights,
                          const Floats& out, bool add);
// Turns each head of q by the angles of the position.
gpu::KernelLaunch rope(const std::string& name, const Ints& position, uint32_t head,
                       const Floats& q);
// Turns key/value row i by the angles of the position and stores it in the cache, which holds
// `capacity` positions of each sequence.
gpu::KernelLaunch rope_store(const std::string& name, const Ints& position, const Floats& kv,
                             const Floats& cache, uint32_t capacity);
// For each head the mean of the cached rows up to the position, weighted by softmax(q * row).
gpu::KernelLaunch attention(const Ints& position, const Floats& q, const Floats& cache,
                            uint32_t capacity, const Floats& out);

// What the model has learned by heart: hidden states, and the token that followed each.
struct Memory {
  Floats states;
  Ints tokens;
};
// Row position * batch + i of the memory = hidden[i], and what the script has next there. The next
// tokens are the script's.
gpu::KernelLaunch learn(const Ints& position, const Floats& hidden, const Ints& script,
                        const Memory& memory, const Ints& tokens);
// The next tokens: for each sequence what followed the learned state that is nearest to its hidden
// one. They are also written down, in `history`.
gpu::KernelLaunch answer(const Ints& position, const Floats& hidden, const Memory& memory,
                         const Ints& tokens, const Ints& history);
// position = position + 1.
gpu::KernelLaunch advance(const Ints& position);

}  // namespace bohr::app::demo

// SPDX-License-Identifier: Apache-2.0
// The program of the demo: a decode layer that answers questions it has learned by heart, written
// against the GPU runtime as any program would be, in several arms that differ in a line or two.
//
// Its shape is that of a DeepSeek-V4 layer. One projection makes q and kv in one block, qkv_a. The
// side stream rotates kv and stores it in the cache, while main goes on with q. Main drops qkv_a as
// soon as it has what it needs of it, and the allocator gives the same bytes to q.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/sim/sim.h"

namespace bohr::app::demo {

enum class Arm : uint8_t {
  eager,        // two streams, each call made by the host
  one_stream,   // one captured graph, no side stream
  two_streams,  // one captured graph with the side stream
  repaired      // the same, and qkv_a is dropped after the join
};

constexpr uint32_t kBatch = 4;
constexpr int32_t kLongest = 16;  // steps of an answer

// What the layer has learned, on the host: by position and sequence a state, and what followed.
struct Learned {
  std::vector<float> states;
  std::vector<int32_t> tokens;
};

// An arm that ran once, as its tape, and where it leaves what each step made.
struct Ran {
  gpu::sim::Tape tape;
  int32_t steps = 0;
  uint64_t history = 0;  // of its tokens, by position and sequence
  uint64_t cache = 0;    // of its key/value rows, by sequence and position
  std::vector<gpu::sim::Span> spans;
};

// The layer sees each answer once and keeps its hidden states.
Result<Learned> learn_answers();
// `log`: where its event log goes; empty: nowhere.
Result<Ran> run_arm(Arm arm, int32_t steps, const Learned& learned, const std::string& log);

gpu::sim::Timing timing();
gpu::sim::ArenaSizes memory();

// What the steps of one run left, from the memory after it.
struct Left {
  std::vector<int32_t> tokens;  // by position and sequence
  std::vector<uint64_t> steps;  // by position: a digest of its tokens and its rows of the cache
};
Left what_is_left(const Ran& ran, const gpu::sim::Arena& arena);

// The question and the answer of one sequence, as the layer gives it.
std::string question(int32_t sequence);
std::string answer_text(const std::vector<int32_t>& tokens, int32_t sequence);

}  // namespace bohr::app::demo

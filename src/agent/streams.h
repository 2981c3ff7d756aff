// SPDX-License-Identifier: Apache-2.0
// Streams and contexts by number. A stream's handle means nothing by itself: 0 is the legacy or the
// per-thread stream depending on the entry point, both of those exist once per context (and
// thread), and handles of destroyed streams come back.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <unordered_map>

#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

// What identifies a stream at one moment.
struct StreamKey {
  uint64_t handle = 0;  // CU_STREAM_LEGACY, CU_STREAM_PER_THREAD or a stream made by the guest
  uint64_t scope = 0;   // of those two: the context; per-thread: mixed with the thread's number
  bool operator==(const StreamKey&) const = default;
};

struct StreamKeyHash {
  size_t operator()(const StreamKey& key) const {
    return (key.handle ^ (key.scope << 1)) * 0x9e3779b97f4a7c15ull >> 13;
  }
};

struct Streams {
  std::unordered_map<StreamKey, uint32_t, StreamKeyHash> numbers;
  std::unordered_map<CUcontext, uint32_t> contexts;
  uint32_t last_stream = 0;
  uint32_t last_context = 0;
};

// Handle 0 spelt out: CU_STREAM_PER_THREAD for `per_thread` entry points, else CU_STREAM_LEGACY.
CUstream explicit_stream(CUstream stream, bool per_thread);

uint32_t context_number(Recorder& r, CUcontext context);
void context_destroyed(Recorder& r, CUcontext context);

// The number of `stream` (explicit), writing a Stream record the first time. One that the agent did
// not see being made is marked so, and reported once.
uint32_t stream_number(Recorder& r, CUstream stream, CUcontext context, uint32_t thread);

void stream_created(Recorder& r, CUstream stream, CUcontext context, unsigned flags, int priority);
void stream_destroyed(Recorder& r, CUstream stream);

// The number of a stream that something else than a call named, without writing anything; 0 when it
// is not known.
uint32_t known_stream(Recorder& r, CUstream stream, uint32_t context);

}  // namespace bohr::agent

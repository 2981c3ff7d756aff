// SPDX-License-Identifier: Apache-2.0
// Stacks of the calling thread as numbers. A stack is recognised by its raw words (return addresses
// and Python instructions) with one look-up; frames are named, and stacks deduplicated by what they
// say, only the first time.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace bohr::agent {

struct Recorder;

struct FrameName {
  uint32_t function = 0;  // string ids
  uint32_t file = 0;
  uint32_t line = 0;
  bool python = false;
  auto operator<=>(const FrameName&) const = default;
};

struct NativeFrame {
  FrameName name;
  bool interpreter = false;  // the Python interpreter's own code: the Python frames say more
  bool tool = false;         // the agent, CUPTI or the driver
};

using RawWords = std::vector<uintptr_t>;
struct RawWordsHash {
  size_t operator()(const RawWords& words) const;
};

struct Stacks {
  std::mutex mutex;
  std::unordered_map<RawWords, uint32_t, RawWordsHash> raw;
  std::unordered_map<uintptr_t, NativeFrame> native;  // by return address
  std::map<std::vector<FrameName>, uint32_t> numbers;
  uint32_t last = 0;
};

// 0 when there is nothing to say.
uint32_t stack_number(Recorder& r, const std::vector<FrameName>& frames);

// The calling thread's stack: native frames down to the interpreter where `native`, then Python
// frames. Must be called at the border of an API call, never inside one, since it takes the dynamic
// loader's lock.
uint32_t current_stack(Recorder& r, bool native);

// What the recording's mode wants for a call.
uint32_t stack_of_call(Recorder& r, bool captured);

}  // namespace bohr::agent

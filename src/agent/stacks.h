// SPDX-License-Identifier: Apache-2.0
// Stacks of the calling thread as numbers: frames are named once per address or code object, stacks
// are deduplicated by content.
#pragma once

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

struct Stacks {
  std::mutex mutex;
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

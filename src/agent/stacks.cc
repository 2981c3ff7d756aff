// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr int kMaxNative = 64;

std::string demangled(const char* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  if (!text) return symbol;
  std::string result = text;
  std::free(text);
  return result;
}

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

bool is_tool(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return starts_with(name, "libbohr_agent.") || starts_with(name, "libcupti.") ||
         starts_with(name, "libcuda.");
}

// The interpreter's loop, under the names that its versions and builds give it.
bool is_interpreter(const char* symbol) {
  return symbol && starts_with(symbol, "_PyEval_EvalFrameDefault");
}

NativeFrame describe(Recorder& r, uintptr_t address) {
  NativeFrame frame;
  Dl_info info{};
  // A return address may lie behind the last byte of its function.
  if (!dladdr(reinterpret_cast<void*>(address - 1), &info)) {
    frame.name.function = r.log->text("?").id;
    return frame;
  }
  const char* file = info.dli_fname ? info.dli_fname : "";
  frame.name.file = r.log->text(file).id;
  frame.tool = is_tool(file);
  frame.interpreter = is_interpreter(info.dli_sname);
  if (info.dli_sname) {
    frame.name.function = r.log->text(demangled(info.dli_sname)).id;
  } else {
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%zx",
                  static_cast<size_t>(address - reinterpret_cast<uintptr_t>(info.dli_fbase)));
    frame.name.function = r.log->text(offset).id;
  }
  return frame;
}

NativeFrame native_frame(Recorder& r, uintptr_t address) {
  {
    std::lock_guard lock(r.stacks.mutex);
    auto found = r.stacks.native.find(address);
    if (found != r.stacks.native.end()) return found->second;
  }
  const NativeFrame frame = describe(r, address);
  std::lock_guard lock(r.stacks.mutex);
  r.stacks.native[address] = frame;
  return frame;
}

// From the guest's call outwards: the tool's own frames are left out, and the interpreter's are
// replaced by the Python frames that follow.
void append_native_frames(Recorder& r, std::vector<FrameName>* frames) {
  void* addresses[kMaxNative];
  const int count = backtrace(addresses, kMaxNative);
  bool guest = false;
  for (int i = 0; i < count; ++i) {
    const NativeFrame frame = native_frame(r, reinterpret_cast<uintptr_t>(addresses[i]));
    guest = guest || !frame.tool;
    if (frame.interpreter) return;
    if (guest) frames->push_back(frame.name);
  }
}

}  // namespace

uint32_t stack_number(Recorder& r, const std::vector<FrameName>& frames) {
  if (frames.empty()) return 0;
  uint32_t number = 0;
  {
    std::lock_guard lock(r.stacks.mutex);
    auto [found, inserted] = r.stacks.numbers.try_emplace(frames, r.stacks.last + 1);
    if (!inserted) return found->second;
    number = ++r.stacks.last;
  }
  trace::Stack record;
  record.stack = number;
  for (const FrameName& frame : frames) {
    record.functions.push_back(frame.function);
    record.files.push_back(frame.file);
    record.lines.push_back(frame.line);
    record.python.push_back(frame.python);
  }
  r.log->append(record);
  return number;
}

uint32_t current_stack(Recorder& r, bool native) {
  std::vector<FrameName> frames;
  if (native) append_native_frames(r, &frames);
  append_python_frames(r, &frames);
  return stack_number(r, frames);
}

uint32_t stack_of_call(Recorder& r, bool captured) {
  switch (r.stack_mode) {
    case StackMode::none:
      return 0;
    case StackMode::python:
      return current_stack(r, false);
    case StackMode::mixed:
      return current_stack(r, captured);
    case StackMode::all:
      return current_stack(r, true);
  }
  return 0;
}

}  // namespace bohr::agent

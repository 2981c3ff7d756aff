// SPDX-License-Identifier: Apache-2.0
#include "agent/native_frames.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/recorder.h"
#include "agent/symbols.h"

namespace bohr::agent {
namespace {

constexpr size_t kMaxNative = 48;

struct Unwinder {
  decltype(&_Unwind_Backtrace) backtrace = nullptr;
  decltype(&_Unwind_GetIP) ip = nullptr;
};
Unwinder unwinder;
std::atomic<uintptr_t> interpreter_begin{0};
std::atomic<uintptr_t> interpreter_end{0};

struct Walk {
  RawWords* words;
  uintptr_t stop_begin;
  uintptr_t stop_end;
  size_t count;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto* walk = static_cast<Walk*>(data);
  const uintptr_t address = unwinder.ip(context);
  if (!address || walk->count++ == kMaxNative ||
      (address >= walk->stop_begin && address < walk->stop_end)) {
    return _URC_END_OF_STACK;
  }
  walk->words->push_back(address);
  return _URC_NO_REASON;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
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

// The main program is named as it was started, which may be relative to a folder that it left.
std::string absolute(const char* file) {
  char path[PATH_MAX];
  if (file[0] == '/') return realpath(file, path) ? path : file;
  return realpath("/proc/self/exe", path) ? path : file;
}

NativeFrame describe(Recorder& r, uintptr_t address) {
  NativeFrame frame;
  Dl_info info{};
  // A return address may lie behind the last byte of its function.
  const uintptr_t inside = address - 1;
  if (!dladdr(reinterpret_cast<void*>(inside), &info)) {
    frame.name.function = r.log->text("?").id;
    return frame;
  }
  const std::string file = absolute(info.dli_fname ? info.dli_fname : "");
  const uintptr_t offset = inside - reinterpret_cast<uintptr_t>(info.dli_fbase);
  std::string symbol = info.dli_sname ? info.dli_sname : "";
  frame.name.file = r.log->text(file).id;
  frame.tool = is_tool(file);
  frame.interpreter = starts_with(symbol, "_PyEval_EvalFrameDefault");
  if (symbol.empty() && !frame.tool) symbol = symbol_in_file(file, offset);
  if (symbol.empty()) {
    char text[32];
    std::snprintf(text, sizeof text, "+0x%zx", static_cast<size_t>(offset + 1));
    symbol = text;
  }
  frame.name.function = r.log->text(demangled(symbol)).id;
  return frame;
}

}  // namespace

// The host's libgcc, not the one linked in: it knows the host's way to find unwind tables.
void prepare_unwinder() {
  void* library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  unwinder.ip = reinterpret_cast<decltype(unwinder.ip)>(dlsym(library, "_Unwind_GetIP"));
  unwinder.backtrace =
      reinterpret_cast<decltype(unwinder.backtrace)>(dlsym(library, "_Unwind_Backtrace"));
  RawWords warm;
  append_addresses(&warm);
}

// The last byte for which dladdr still names the loop, by bisection: its size is not asked for,
// since the call that tells it is too new for old hosts.
void find_interpreter() {
  const auto begin = reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "_PyEval_EvalFrameDefault"));
  if (!begin) return;
  const auto inside = [begin](uintptr_t address) {
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(address), &info) &&
           reinterpret_cast<uintptr_t>(info.dli_saddr) == begin;
  };
  uintptr_t size = 1;
  for (uintptr_t bit = uintptr_t{1} << 20; bit > 0; bit >>= 1) {
    if (inside(begin + size + bit - 1)) size += bit;
  }
  interpreter_end.store(begin + size);
  interpreter_begin.store(begin);
}

void append_addresses(RawWords* words) {
  if (!unwinder.backtrace || !unwinder.ip) return;
  Walk walk{words, interpreter_begin.load(), interpreter_end.load(), 0};
  unwinder.backtrace(step, &walk);
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

}  // namespace bohr::agent

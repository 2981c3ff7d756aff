// SPDX-License-Identifier: Apache-2.0
// Unwinding costs microseconds, and programs issue most of their work from loops. So each thread
// remembers its last few stacks with the places where their return addresses stood: when it comes
// back to the same depth and every one of these places, from the innermost outwards, still holds
// the same address, then the stack is the same, since each frame's size follows from its address.
// The places lie between here and the stack's base, so they can be read; a stack that ends earlier
// differs before its end.
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

#include "agent/modules.h"
#include "agent/recorder.h"
#include "agent/symbols.h"

namespace bohr::agent {
namespace {

constexpr size_t kMaxNative = 48;
constexpr size_t kRemembered = 4;

struct Unwinder {
  decltype(&_Unwind_Backtrace) backtrace = nullptr;
  decltype(&_Unwind_GetIP) ip = nullptr;
  decltype(&_Unwind_GetCFA) cfa = nullptr;
};
Unwinder unwinder;
std::atomic<uintptr_t> interpreter_begin{0};
std::atomic<uintptr_t> interpreter_end{0};

// Plain data without a destructor: threads end at any time.
struct Remembered {
  uintptr_t depth = 0;  // the frame address of append_addresses
  size_t count = 0;
  uintptr_t addresses[kMaxNative];
  uintptr_t places[kMaxNative];  // of the return addresses; 0 where not known
};
struct Memory {
  Remembered stacks[kRemembered];
  size_t oldest = 0;
};
thread_local Memory memory;

struct Walk {
  Remembered* out;
  uintptr_t stop_begin;
  uintptr_t stop_end;
};

// The return address into a frame stands just below the stack pointer that it returns to; true of
// x86-64 alone.
uintptr_t place_of(_Unwind_Context* context) {
#if defined(__x86_64__)
  return unwinder.cfa(context) - sizeof(uintptr_t);
#else
  static_cast<void>(context);
  return 0;
#endif
}

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  auto* walk = static_cast<Walk*>(data);
  const uintptr_t address = unwinder.ip(context);
  Remembered& out = *walk->out;
  if (!address || out.count == kMaxNative ||
      (address >= walk->stop_begin && address < walk->stop_end)) {
    return _URC_END_OF_STACK;
  }
  out.addresses[out.count] = address;
  out.places[out.count] = place_of(context);
  ++out.count;
  return _URC_NO_REASON;
}

// The first frame is append_addresses itself: its place is not a return address.
bool unchanged(const Remembered& stack, uintptr_t depth) {
  if (stack.depth != depth || stack.count < 2) return false;
  for (size_t i = 1; i < stack.count; ++i) {
    if (stack.places[i] <= depth) return false;
    if (*reinterpret_cast<const volatile uintptr_t*>(stack.places[i]) != stack.addresses[i]) {
      return false;
    }
  }
  return true;
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
  return starts_with(name, "libbohr_") || starts_with(name, "libcupti.") ||
         starts_with(name, "libcuda.");
}

// The main program is named as it was started, which may be relative to a folder that it left.
std::string absolute(const std::string& file) {
  char path[PATH_MAX];
  if (starts_with(file, "/")) return realpath(file.c_str(), path) ? path : file;
  return realpath("/proc/self/exe", path) ? path : file;
}

NativeFrame describe(Recorder& r, uintptr_t address) {
  NativeFrame frame;
  Location location;
  // A return address may lie behind the last byte of its function.
  if (!locate(address - 1, &location)) {
    frame.name.function = r.log->text("?").id;
    return frame;
  }
  const std::string file = absolute(location.file);
  std::string& symbol = location.symbol;
  frame.name.file = r.log->text(file).id;
  frame.tool = is_tool(file);
  frame.interpreter = starts_with(symbol, "_PyEval_EvalFrameDefault");
  if (symbol.empty() && !frame.tool) symbol = symbol_in_file(file, location.offset);
  if (symbol.empty()) {
    char text[32];
    std::snprintf(text, sizeof text, "+0x%zx", static_cast<size_t>(location.offset + 1));
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
  unwinder.cfa = reinterpret_cast<decltype(unwinder.cfa)>(dlsym(library, "_Unwind_GetCFA"));
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

__attribute__((noinline)) void append_addresses(RawWords* words) {
  if (!unwinder.backtrace || !unwinder.ip || !unwinder.cfa) return;
  const auto depth = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (const Remembered& stack : memory.stacks) {
    if (!unchanged(stack, depth)) continue;
    words->insert(words->end(), stack.addresses, stack.addresses + stack.count);
    return;
  }
  Remembered& stack = memory.stacks[memory.oldest];
  memory.oldest = (memory.oldest + 1) % kRemembered;
  stack.depth = depth;
  stack.count = 0;
  Walk walk{&stack, interpreter_begin.load(), interpreter_end.load()};
  unwinder.backtrace(step, &walk);
  words->insert(words->end(), stack.addresses, stack.addresses + stack.count);
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

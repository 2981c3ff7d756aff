// SPDX-License-Identifier: Apache-2.0
// Chooses frames by where their file lies: what comes from the framework, the driver or the Python
// runtime is passed over while there is a frame of the user's.
#include "report/frames.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "report/layout.h"

namespace bohr::report {

namespace {

constexpr std::array<std::string_view, 10> kInternalPython = {
    "/torch/",        "/triton/", "/jax/",         "/jaxlib/",  "/cupy/",
    "/contextlib.py", "<frozen ", "/threading.py", "/runpy.py", "/functools.py"};
constexpr std::array<std::string_view, 10> kInternalNative = {
    "libcuda.so", "libcudart", "libtorch", "libc10",  "libbohr_",
    "libcupti",   "libpython", "libc.so",  "python3", "libstdc++"};

// The CUDA runtime linked into the program itself, and the stubs that its compiler makes.
constexpr std::array<std::string_view, 4> kInternalFunctions = {"libcudart_static_", "cudaLaunch",
                                                                "__device_stub", "__cuda"};

template <size_t n>
bool names_one_of(std::string_view file, const std::array<std::string_view, n>& parts) {
  for (std::string_view part : parts) {
    if (file.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool users_python(const Frame& frame) {
  return frame.python && !names_one_of("/" + frame.file, kInternalPython);
}

bool users_native(const Frame& frame) {
  const auto begins = [&](std::string_view part) { return frame.function.starts_with(part); };
  return !frame.python && !names_one_of(frame.file, kInternalNative) &&
         std::none_of(kInternalFunctions.begin(), kInternalFunctions.end(), begins);
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

std::string demangled(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  int status = 0;
  const std::string copy(name);
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(copy.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? std::string(text.get()) : copy;
}

// Leaves out balanced <…> and (…); text after them stays.
std::string without_brackets(std::string_view text) {
  std::string out;
  int depth = 0;
  for (char c : text) {
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) out += c;
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  return out;
}

const std::vector<Frame>* frames_of(const Program& program, StackId stack) {
  if (!stack.valid() || stack.index() >= program.stacks.size()) return nullptr;
  const std::vector<Frame>& frames = program.stacks[stack.index()].frames;
  return frames.empty() ? nullptr : &frames;
}

using Wanted = bool (*)(const Frame&);

const Frame* first_of(const std::vector<Frame>& frames, size_t from, Wanted wanted) {
  for (size_t i = from; i < frames.size(); ++i) {
    if (wanted(frames[i])) return &frames[i];
  }
  return nullptr;
}

}  // namespace

std::string short_name(std::string_view label) {
  std::string name = demangled(label);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (size_t at; (at = name.find(kAnonymous)) != std::string::npos;) {
    name.erase(at, kAnonymous.size());
  }
  const bool has_types = name.find("::") != std::string::npos ||
                         name.find('<') != std::string::npos || label.starts_with("_Z");
  if (has_types && name.find("operator") == std::string::npos) {
    const std::string bare = without_brackets(name);
    if (!bare.empty()) name = bare;
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  const size_t last = name.rfind("::");
  if (last != std::string::npos && last + 2 < name.size()) name.erase(0, last + 2);
  return name;
}

// Native code has lines where its symbols say so.
bool has_line(const Frame& frame) { return frame.python || frame.line > 0; }

std::string frame_text(const Frame& frame) {
  const std::string function = short_name(frame.function);
  if (!has_line(frame)) {
    return frame.file.empty() ? function : fmt::format("{} ({})", function, base_name(frame.file));
  }
  return fmt::format("{}:{} {}", base_name(frame.file), frame.line, function);
}

std::string full_frame_text(const Frame& frame) {
  if (!has_line(frame)) return fmt::format("{} ({})", demangled(frame.function), frame.file);
  return fmt::format("{}:{} {}", frame.file, frame.line, frame.function);
}

const Frame* useful_frame(const Program& program, StackId stack) {
  const std::vector<Frame>* frames = frames_of(program, stack);
  if (frames == nullptr) return nullptr;
  if (const Frame* frame = first_of(*frames, 0, users_python)) return frame;
  if (const Frame* frame = first_of(*frames, 0, [](const Frame& f) { return f.python; })) {
    return frame;
  }
  if (const Frame* frame = first_of(*frames, 0, users_native)) return frame;
  return &frames->front();
}

const Frame* useful_caller(const Program& program, StackId stack) {
  const Frame* inner = useful_frame(program, stack);
  if (inner == nullptr) return nullptr;
  const std::vector<Frame>& frames = *frames_of(program, stack);
  const size_t from = static_cast<size_t>(inner - frames.data()) + 1;
  return first_of(frames, from, inner->python ? users_python : users_native);
}

std::string label_text(std::string_view label) {
  constexpr size_t kLongest = 48;
  return shortened(short_name(label), kLongest);
}

std::string allocated_at(const Program& program, const Lifetime& lifetime) {
  const std::string at = at_stack(program, lifetime.alloc_stack);
  constexpr size_t kAt = 4;  // " at "
  return at.size() > kAt && lifetime.name.starts_with(at.substr(kAt)) ? std::string() : at;
}

std::string at_stack(const Program& program, StackId stack) {
  const Frame* frame = useful_frame(program, stack);
  if (frame == nullptr) return {};
  if (!has_line(*frame)) return " in " + frame_text(*frame);
  return fmt::format(" at {}:{}", base_name(frame->file), frame->line);
}

}  // namespace bohr::report

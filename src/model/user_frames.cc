// SPDX-License-Identifier: Apache-2.0
// Chooses frames by where their file lies: what comes from the framework, the driver or the Python
// runtime is passed over while there is a frame of the user's.
#include "model/user_frames.h"

#include <algorithm>
#include <array>
#include <string>

namespace bohr {

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

std::vector<const Frame*> users_frames(const Program& program, StackId stack) {
  std::vector<const Frame*> list;
  const Frame* inner = useful_frame(program, stack);
  if (inner == nullptr) return list;
  list.push_back(inner);
  const std::vector<Frame>& frames = *frames_of(program, stack);
  const Wanted wanted = inner->python ? users_python : users_native;
  for (size_t i = static_cast<size_t>(inner - frames.data()) + 1; i < frames.size(); ++i) {
    if (wanted(frames[i])) list.push_back(&frames[i]);
  }
  return list;
}

bool same_line(const Frame& a, const Frame& b) {
  const auto base = [](std::string_view path) { return path.substr(path.find_last_of('/') + 1); };
  if (a.python != b.python || a.line != b.line || a.function != b.function) return false;
  const bool named = !a.python && !a.function.empty() && a.function.front() != '+';
  return named || base(a.file) == base(b.file);
}

}  // namespace bohr

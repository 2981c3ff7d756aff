// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks.h"

#include "agent/native_frames.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

// From the guest's call outwards: the tool's own frames are left out, and the interpreter's are
// replaced by the Python frames that follow.
void append_native_frames(Recorder& r, const RawWords& addresses, std::vector<FrameName>* frames) {
  bool guest = false;
  for (uintptr_t address : addresses) {
    const NativeFrame frame = native_frame(r, address);
    guest = guest || !frame.tool;
    if (frame.interpreter) return;
    if (guest) frames->push_back(frame.name);
  }
}

}  // namespace

size_t RawWordsHash::operator()(const RawWords& words) const {
  uint64_t hash = words.size();
  for (uintptr_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15ull ^ hash >> 29;
  return hash;
}

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
  RawWords words;
  words.reserve(160);
  if (native) append_addresses(&words);
  const size_t natives = words.size();
  append_python_words(r, &words);
  if (words.empty()) return 0;
  {
    std::lock_guard lock(r.stacks.mutex);
    auto found = r.stacks.raw.find(words);
    if (found != r.stacks.raw.end()) return found->second;
  }
  std::vector<FrameName> frames;
  append_native_frames(r, RawWords(words.begin(), words.begin() + natives), &frames);
  append_python_frames(r, RawWords(words.begin() + natives, words.end()), &frames);
  const uint32_t number = stack_number(r, frames);
  std::lock_guard lock(r.stacks.mutex);
  r.stacks.raw.emplace(std::move(words), number);
  return number;
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

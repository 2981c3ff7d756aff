// SPDX-License-Identifier: Apache-2.0
// Names without what compilers add to them.
#include "report/frames.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "report/layout.h"

namespace bohr::report {

namespace {

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

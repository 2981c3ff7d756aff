// SPDX-License-Identifier: Apache-2.0
// Labels are read off the mangled name: its identifiers are preceded by their length, so they are
// found in one pass without demangling, whatever else the name holds. Signatures need the types
// behind substitutions, so there the name is demangled and the text after its last top-level
// bracket is split; any part that is not plainly a type makes the whole signature unknown, because
// a wrong "only read" would hide a race.
#include "trace/import_kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace bohr::trace {

namespace {

// Labels beyond this lose their middle.
constexpr size_t kLongestLabel = 64;
constexpr size_t kLabelEnd = 20;
constexpr std::string_view kLeftOut = "..";

// Each back reference in a mangled name can double its demangled text. Names within both limits
// demangle to some megabytes at most; signatures of kernels worth reading are far below them.
constexpr size_t kLongestName = 1024;
constexpr int kBackReferences = 18;

std::string shortened(std::string_view label) {
  if (label.size() <= kLongestLabel) return std::string(label);
  const size_t begin = kLongestLabel - kLabelEnd - kLeftOut.size();
  return std::string(label.substr(0, begin)) + std::string(kLeftOut) +
         std::string(label.substr(label.size() - kLabelEnd));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads "<length><identifier>" at *at; empty when there is none.
std::string_view read_identifier(std::string_view name, size_t* at) {
  size_t i = *at;
  size_t length = 0;
  while (i < name.size() && is_digit(name[i]) && length < name.size())
    length = length * 10 + static_cast<size_t>(name[i++] - '0');
  if (i == *at || length == 0 || length > name.size() - i) return {};
  *at = i + length;
  return name.substr(i, length);
}

bool is_anonymous(std::string_view identifier) { return identifier.substr(0, 8) == "_GLOBAL_"; }

// Skips what holds digits that are no identifier's length: literals, substitutions, template
// parameters and array bounds.
bool skip_digits(std::string_view name, size_t* at) {
  const char c = name[*at];
  size_t end = std::string_view::npos;
  if (c == 'L' && *at + 1 < name.size() && std::islower(static_cast<unsigned char>(name[*at + 1])))
    end = name.find('E', *at);
  else if ((c == 'S' || c == 'T' || c == 'A') && *at + 1 < name.size() &&
           (is_digit(name[*at + 1]) || name[*at + 1] == '_'))
    end = name.find('_', *at);
  if (end == std::string_view::npos) return false;
  *at = end + 1;
  return true;
}

bool says_functor(std::string_view identifier) {
  return identifier.find("unctor") != std::string_view::npos;
}

bool says_operator(std::string_view identifier) {
  return identifier.find("_kernel") != std::string_view::npos &&
         identifier.substr(0, 10) != "gpu_kernel" &&
         identifier.find("elementwise") == std::string_view::npos;
}

// The innermost functor, else the first operator's kernel, among template arguments.
std::string_view telling_argument(std::string_view arguments) {
  std::string_view functor;
  std::string_view op;
  size_t at = 0;
  while (at < arguments.size()) {
    if (skip_digits(arguments, &at)) continue;
    const std::string_view identifier = read_identifier(arguments, &at);
    if (identifier.empty()) {
      ++at;
      continue;
    }
    if (says_functor(identifier)) functor = identifier;
    if (op.empty() && says_operator(identifier)) op = identifier;
  }
  return functor.empty() ? op : functor;
}

// The text between the brackets that end a demangled function's type.
bool parameter_list(std::string_view demangled, std::string_view* list) {
  if (demangled.empty() || demangled.back() != ')') return false;
  int depth = 0;
  for (size_t i = demangled.size(); i-- > 0;) {
    if (demangled[i] == ')') ++depth;
    if (demangled[i] == '(' && --depth == 0) {
      *list = demangled.substr(i + 1, demangled.size() - i - 2);
      return i > 0;
    }
  }
  return false;
}

// Splits at top-level commas. False where brackets do not match or an operator's name could have
// been taken for one.
bool split_parameters(std::string_view list, std::vector<std::string_view>* parts) {
  if (list.empty()) return true;
  if (list.find("operator") != std::string_view::npos || list.find("->") != std::string_view::npos)
    return false;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0) return false;
    if (c != ',' || depth != 0) continue;
    parts->push_back(list.substr(begin, i - begin));
    begin = i + 1;
    while (begin < list.size() && list[begin] == ' ') ++begin;
  }
  parts->push_back(list.substr(begin));
  return depth == 0;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool starts_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

struct ParsedType {
  bool understood = false;
  bool pointer = false;
  bool to_const_data = false;
};

ParsedType parse_type(std::string_view text) {
  if (ends_with(text, " restrict")) text.remove_suffix(9);
  if (ends_with(text, "__restrict__")) text.remove_suffix(12);
  while (ends_with(text, " ")) text.remove_suffix(1);
  if (ends_with(text, " const")) text.remove_suffix(6);
  ParsedType type;
  if (text.empty() || text == "..." || text.back() == '&' || text.back() == ')') return type;
  type.understood = true;
  if (text.back() != '*') return type;
  type.pointer = true;
  text.remove_suffix(1);
  const bool to_const = ends_with(text, " const");
  if (to_const) text.remove_suffix(6);
  const bool to_pointer = ends_with(text, "*") || ends_with(text, "* restrict");
  const bool plain = !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) ||
                                       text.back() == '_' || text.back() == '>');
  type.to_const_data = to_const && !to_pointer && plain;
  return type;
}

std::string demangle(std::string_view mangled) {
  if (!starts_with(mangled, "_Z") || mangled.size() > kLongestName) return {};
  int references = 0;
  for (size_t i = 0; i + 1 < mangled.size(); ++i) {
    const char next = mangled[i + 1];
    references += (mangled[i] == 'S' || mangled[i] == 'T') &&
                  (next == '_' || is_digit(next) || std::isupper(static_cast<unsigned char>(next)));
  }
  if (references > kBackReferences) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

}  // namespace

std::string kernel_label(std::string_view mangled) {
  if (!starts_with(mangled, "_Z")) return shortened(mangled);
  size_t at = 2;
  while (at < mangled.size() && (mangled[at] == 'N' || mangled[at] == 'K' || mangled[at] == 'L'))
    ++at;
  std::vector<std::string_view> names;
  while (true) {
    if (mangled.substr(at, 1) == "L") ++at;
    const std::string_view identifier = read_identifier(mangled, &at);
    if (identifier.empty()) break;
    if (!is_anonymous(identifier)) names.push_back(identifier);
  }
  if (names.empty()) return shortened(mangled);
  const bool torch = names.size() > 2 && names[0] == "at" && names[1] == "native";
  std::string label;
  for (size_t i = torch ? 2 : 0; i < names.size(); ++i)
    label += (label.empty() ? "" : "::") + std::string(names[i]);
  if (torch) {
    const std::string_view telling = telling_argument(mangled.substr(at));
    if (!telling.empty()) label += "(" + std::string(telling) + ")";
  }
  return shortened(label);
}

std::vector<ParameterType> parameter_types(std::string_view mangled,
                                           const std::vector<uint64_t>& sizes) {
  const std::string demangled = demangle(mangled);
  std::string_view list;
  std::vector<std::string_view> parts;
  if (!parameter_list(demangled, &list) || !split_parameters(list, &parts)) return {};
  if (parts.size() != sizes.size()) return {};
  std::vector<ParameterType> types;
  for (size_t i = 0; i < parts.size(); ++i) {
    const ParsedType parsed = parse_type(parts[i]);
    if (!parsed.understood || (parsed.pointer && sizes[i] != sizeof(void*))) return {};
    const auto same = std::find(parts.begin(), parts.end(), parts[i]);
    types.push_back({parsed.to_const_data, static_cast<uint32_t>(same - parts.begin())});
  }
  return types;
}

bool takes_tensor_array(std::string_view mangled) {
  return starts_with(mangled, "_ZN2at6native") &&
         (mangled.find("St5arrayIPcLm") != std::string_view::npos ||
          mangled.find("6detail5ArrayIPcLi") != std::string_view::npos);
}

// kernel(int count, function, array of tensors, …): one result an element, from arguments that are
// loaded before the function is called.
int element_wise_array(std::string_view mangled, const std::vector<uint64_t>& sizes) {
  constexpr size_t kArray = 2;
  const bool known = starts_with(mangled, "_ZN2at6native29vectorized_elementwise_kernelI") ||
                     starts_with(mangled, "_ZN2at6native27unrolled_elementwise_kernelI");
  if (!known || !takes_tensor_array(mangled) || sizes.size() <= kArray) return -1;
  return sizes[kArray] % sizeof(void*) == 0 && sizes[kArray] > sizeof(void*) ? kArray : -1;
}

}  // namespace bohr::trace

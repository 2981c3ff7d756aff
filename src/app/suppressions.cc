// SPDX-License-Identifier: Apache-2.0
// Line by line; what a rule matches is the checker's business, its shape is checked here.
#include "app/suppressions.h"

#include <algorithm>
#include <array>

namespace bohr::app {

namespace {

constexpr std::array<std::string_view, 6> kKeys = {"site",  "class",  "hazard",
                                                   "first", "second", "block"};
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

// The `#` that begins the reason: kernel names may hold one, so it follows a blank.
size_t reason_mark(std::string_view line) {
  for (size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (kBlanks.find(line[at - 1]) != std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

// Why `match` is no rule; empty when it is one.
std::string fault_of(std::string_view match) {
  while (!(match = trimmed(match)).empty()) {
    const std::string_view word = match.substr(0, match.find_first_of(kBlanks));
    match.remove_prefix(word.size());
    const size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    if (equals == std::string_view::npos || equals + 1 == word.size()) {
      return "\"" + std::string(word) + "\" is not KEY=VALUE";
    }
    if (std::ranges::find(kKeys, key) == kKeys.end()) {
      return "\"" + std::string(key) + "\" is not a property of findings";
    }
    HazardClass cls{};
    const std::string_view value = word.substr(equals + 1);
    if (key == "class" && value.find('*') == std::string_view::npos &&
        !hazard_class_from(value, &cls)) {
      return "\"" + std::string(value) + "\" is not a class";
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Suppression>> parse_suppressions(std::string_view text,
                                                    const std::string& source) {
  std::vector<Suppression> rules;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::string where = source + ", line " + std::to_string(number);
    const size_t mark = reason_mark(line);
    const std::string_view match = trimmed(line.substr(0, mark));
    const std::string_view reason =
        mark == std::string_view::npos ? std::string_view() : trimmed(line.substr(mark + 1));
    if (reason.empty()) {
      return Error{"suppress-reason", "suppression", where, "it gives no reason",
                   "write it as: " + std::string(match) + "  # why this is accepted"};
    }
    if (const std::string fault = fault_of(match); !fault.empty()) {
      return Error{"suppress-syntax", "suppression", where, fault,
                   "use KEY=VALUE with site, class, hazard, first, second or block"};
    }
    rules.push_back({std::string(match), std::string(reason), 0});
  }
  return rules;
}

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// A name is looked up whole first, for names of recorded blocks may hold anything.
#include "app/ignore.h"

#include <algorithm>

#include "app/names.h"

namespace bohr::app {

namespace {

// Where `wanted` lies; nothing where the name is none of the program's, or its blocks are too
// short.
std::vector<Ignored> find(const Program& program, const WantedBytes& wanted) {
  std::vector<Ignored> result;
  for (const NamedPart& part : parts_named(program, wanted.name))
    for (NamedBytes& piece : pieces_of(part, wanted)) result.push_back(std::move(piece));
  return result;
}

Error unknown(std::span<const Checked> programs, std::string_view name) {
  Nearest nearest(name);
  for (const Checked& one : programs) nearest.add_blocks(one.program);
  return {
      "ignore-name", "--ignore", std::string(name), "no block or view has that name",
      nearest.empty() ? "the program has no blocks" : "the nearest names are " + nearest.text()};
}

Error outside(std::span<const Checked> programs, const WantedBytes& wanted) {
  uint64_t longest = 0;
  for (const Checked& one : programs)
    for (const NamedPart& part : parts_named(one.program, wanted.name))
      longest = std::max(longest, part.bytes.size());
  return {"ignore-range", "--ignore", std::string(wanted.name), range_fault(wanted, longest),
          "give bytes of it as NAME[lo:hi], from its first"};
}

}  // namespace

Result<std::vector<std::vector<Ignored>>> ignored_in(std::span<const Checked> programs,
                                                     const std::vector<std::string>& texts) {
  std::vector<std::vector<Ignored>> result(programs.size());
  for (const std::string& text : texts) {
    const auto has = [&](std::string_view name) {
      return std::any_of(programs.begin(), programs.end(), [&](const Checked& one) {
        return !parts_named(one.program, name).empty();
      });
    };
    const WantedBytes wanted = has(text) ? WantedBytes{text, std::nullopt} : take_apart(text);
    if (!has(wanted.name)) return unknown(programs, wanted.name);
    bool anywhere = false;
    for (size_t i = 0; i < programs.size(); ++i) {
      for (Ignored& one : find(programs[i].program, wanted)) {
        result[i].push_back(std::move(one));
        anywhere = true;
      }
    }
    if (!anywhere) return outside(programs, wanted);
  }
  return result;
}

}  // namespace bohr::app

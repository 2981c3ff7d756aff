// SPDX-License-Identifier: Apache-2.0
// A name is looked up whole first, for names of recorded blocks may hold anything.
#include "app/ignore.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "trace/case_lexer.h"

namespace bohr::app {

namespace {

constexpr size_t kNearest = 3;

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// NAME[lo:hi], taken apart; no range: all of it.
struct Wanted {
  std::string_view name;
  std::optional<ByteRange> bytes;
};

Wanted take_apart(std::string_view text) {
  const Wanted whole{text, std::nullopt};
  const size_t open = text.rfind('[');
  if (open == std::string_view::npos || !(text.ends_with(']') || text.ends_with(')'))) return whole;
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  const size_t middle = inside.find_first_of(":,");
  if (middle == std::string_view::npos) return whole;
  ByteRange bytes;
  const auto read = [](std::string_view word, uint64_t* size) {
    return trace::text::parse_size(trim(word), size) == trace::text::SizeFault::none;
  };
  if (!read(inside.substr(0, middle), &bytes.begin) || !read(inside.substr(middle + 1), &bytes.end))
    return whole;
  return {trim(text.substr(0, open)), bytes};
}

// A part of a lifetime that has a name: all of it, or a view's.
struct Named {
  const Lifetime* lifetime;
  ByteRange bytes;  // from the lifetime's first
};

std::vector<Named> named(const Program& program, std::string_view name) {
  std::vector<Named> found;
  for (const Lifetime& lifetime : program.lifetimes)
    if (lifetime.name == name) found.push_back({&lifetime, {0, lifetime.bytes}});
  for (const View& view : program.views)
    if (view.name == name)
      found.push_back({&program.lifetimes[view.lifetime.index()], {view.begin, view.end}});
  return found;
}

// Where `wanted` lies; nothing where the name is none of the program's, or its blocks are too
// short.
std::vector<Ignored> find(const Program& program, const Wanted& wanted) {
  std::vector<Ignored> result;
  for (const Named& one : named(program, wanted.name)) {
    ByteRange bytes = one.bytes;
    if (wanted.bytes) {
      if (wanted.bytes->empty() || wanted.bytes->end > bytes.size()) continue;
      bytes = {bytes.begin + wanted.bytes->begin, bytes.begin + wanted.bytes->end};
    }
    const uint64_t first = one.bytes.begin;
    for (const Piece& piece : one.lifetime->pieces) {
      const ByteRange held{piece.offset, piece.offset + piece.range.size()};
      if (!held.overlaps(bytes)) continue;
      const ByteRange part = held.intersection(bytes);
      const uint64_t address = piece.range.begin + part.begin - piece.offset;
      result.push_back({{std::string(wanted.name), part.begin - first, part.end - first},
                        {address, address + part.size()}});
    }
  }
  return result;
}

// How many letters have to be put in, left out or changed to make one text of another.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string nearest_names(std::span<const Checked> programs, std::string_view name) {
  std::set<std::pair<size_t, std::string>> names;
  const auto add = [&](const std::string& other) {
    if (!other.empty()) names.insert({edits(name, other), other});
    if (names.size() > kNearest) names.erase(std::prev(names.end()));
  };
  for (const Checked& one : programs) {
    for (const Lifetime& lifetime : one.program.lifetimes) add(lifetime.name);
    for (const View& view : one.program.views) add(view.name);
  }
  std::string text;
  for (const auto& [distance, other] : names) text += (text.empty() ? "" : ", ") + other;
  return text;
}

Error unknown(std::span<const Checked> programs, std::string_view name) {
  const std::string nearest = nearest_names(programs, name);
  return {"ignore-name", "--ignore", std::string(name), "no block or view has that name",
          nearest.empty() ? "the program has no blocks" : "the nearest names are " + nearest};
}

Error outside(std::span<const Checked> programs, const Wanted& wanted) {
  uint64_t longest = 0;
  for (const Checked& one : programs)
    for (const Named& block : named(one.program, wanted.name))
      longest = std::max(longest, block.bytes.size());
  return {"ignore-range", "--ignore", std::string(wanted.name),
          wanted.bytes->empty() ? std::string("the range is empty")
                                : "the range ends at " + std::to_string(wanted.bytes->end) +
                                      ", and it has " + std::to_string(longest) + " bytes",
          "give bytes of it as NAME[lo:hi], from its first"};
}

}  // namespace

Result<std::vector<std::vector<Ignored>>> ignored_in(std::span<const Checked> programs,
                                                     const std::vector<std::string>& texts) {
  std::vector<std::vector<Ignored>> result(programs.size());
  for (const std::string& text : texts) {
    const auto has = [&](std::string_view name) {
      return std::any_of(programs.begin(), programs.end(),
                         [&](const Checked& one) { return !named(one.program, name).empty(); });
    };
    const Wanted wanted = has(text) ? Wanted{text, std::nullopt} : take_apart(text);
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

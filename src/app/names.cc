// SPDX-License-Identifier: Apache-2.0
#include "app/names.h"

#include <algorithm>
#include <numeric>

#include "trace/case_lexer.h"

namespace bohr::app {

namespace {

constexpr size_t kNearest = 3;

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
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

}  // namespace

std::vector<NamedPart> parts_named(const Program& program, std::string_view name) {
  std::vector<NamedPart> found;
  for (const Lifetime& lifetime : program.lifetimes)
    if (lifetime.name == name) found.push_back({&lifetime, {0, lifetime.bytes}});
  for (const View& view : program.views)
    if (view.name == name)
      found.push_back({&program.lifetimes[view.lifetime.index()], {view.begin, view.end}});
  return found;
}

WantedBytes take_apart(std::string_view text) {
  const WantedBytes whole{text, std::nullopt};
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

std::vector<NamedBytes> pieces_of(const NamedPart& part, const WantedBytes& wanted) {
  ByteRange bytes = part.bytes;
  if (wanted.bytes) {
    if (wanted.bytes->empty() || wanted.bytes->end > bytes.size()) return {};
    bytes = {bytes.begin + wanted.bytes->begin, bytes.begin + wanted.bytes->end};
  }
  const uint64_t first = part.bytes.begin;
  std::vector<NamedBytes> result;
  for (const Piece& piece : part.lifetime->pieces) {
    const ByteRange held{piece.offset, piece.offset + piece.range.size()};
    if (!held.overlaps(bytes)) continue;
    const ByteRange shared = held.intersection(bytes);
    const uint64_t address = piece.range.begin + shared.begin - piece.offset;
    result.push_back({{std::string(wanted.name), shared.begin - first, shared.end - first},
                      {address, address + shared.size()}});
  }
  return result;
}

std::string range_fault(const WantedBytes& wanted, uint64_t longest) {
  if (wanted.bytes && wanted.bytes->empty()) return "the range is empty";
  const uint64_t end = wanted.bytes ? wanted.bytes->end : 0;
  return "the range ends at " + std::to_string(end) + ", and it has " + std::to_string(longest) +
         " bytes";
}

void Nearest::add(const std::string& other) {
  if (!other.empty()) names_.insert({edits(name_, other), other});
  if (names_.size() > kNearest) names_.erase(std::prev(names_.end()));
}

void Nearest::add_blocks(const Program& program) {
  for (const Lifetime& lifetime : program.lifetimes) add(lifetime.name);
  for (const View& view : program.views) add(view.name);
}

std::string Nearest::text() const {
  std::string text;
  for (const auto& [distance, other] : names_) text += (text.empty() ? "" : ", ") + other;
  return text;
}

}  // namespace bohr::app

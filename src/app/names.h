// SPDX-License-Identifier: Apache-2.0
// Names of memory as people write them on the command line. A name is a block's or a view's as
// reports print it; a range in it is written as in a case, NAME[lo:hi], or as reports print it,
// "NAME [lo, hi)". A name that several blocks have means all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/exploration.h"
#include "model/program.h"

namespace bohr::app {

// A part of a lifetime that has a name: all of it, or a view's.
struct NamedPart {
  const Lifetime* lifetime;
  ByteRange bytes;  // from the lifetime's first
};
std::vector<NamedPart> parts_named(const Program& program, std::string_view name);

// Bytes of a name; no range: all of it.
struct WantedBytes {
  std::string_view name;
  std::optional<ByteRange> bytes;
};
WantedBytes take_apart(std::string_view text);

// Where these bytes of the part lie; nothing where it is too short.
std::vector<NamedBytes> pieces_of(const NamedPart& part, const WantedBytes& wanted);
// Why there were none, when the longest part of that name has so many bytes.
std::string range_fault(const WantedBytes& wanted, uint64_t longest);

// Of many names the few that are nearest to one that is none of them.
class Nearest {
 public:
  explicit Nearest(std::string_view name) : name_(name) {}
  void add(const std::string& other);
  void add_blocks(const Program& program);
  bool empty() const { return names_.empty(); }
  std::string text() const;  // "out, tail, y"

 private:
  std::string name_;
  std::set<std::pair<size_t, std::string>> names_;  // by distance
};

}  // namespace bohr::app

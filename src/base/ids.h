// SPDX-License-Identifier: Apache-2.0
// Strong ids: an index into one table of a program, which no other table's index can be mistaken
// for. An id made by default names nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace bohr {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(int32_t value) : value_(value) {}
  constexpr explicit Id(size_t value) : value_(static_cast<int32_t>(value)) {}

  constexpr int32_t value() const { return value_; }
  constexpr size_t index() const { return static_cast<size_t>(value_); }
  constexpr bool valid() const { return value_ >= 0; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  int32_t value_ = -1;
};

using StreamId = Id<struct StreamTag>;
using ActorId = Id<struct ActorTag>;
using LifetimeId = Id<struct LifetimeTag>;
using PoolId = Id<struct PoolTag>;
using GraphId = Id<struct GraphTag>;
using ExecId = Id<struct ExecTag>;
using OpId = Id<struct OpTag>;      // an op issued outside a graph, by issue order
using NodeId = Id<struct NodeTag>;  // a node of one graph, by issue order
using NameId = Id<struct NameTag>;
using StackId = Id<struct StackTag>;

}  // namespace bohr

template <class Tag>
struct std::hash<bohr::Id<Tag>> {
  size_t operator()(bohr::Id<Tag> id) const noexcept { return std::hash<int32_t>()(id.value()); }
};

// SPDX-License-Identifier: Apache-2.0
// Counting sort of the accesses by lifetime, and clusters of overlapping lifetimes by a sweep.
#include "check/uses.h"

#include <algorithm>
#include <numeric>

namespace bohr::check {

namespace {

template <class Visit>
void for_each_use(const Program& program, Visit&& visit) {
  const auto slice = [&](const Place& place, const Op& op) {
    for (uint32_t a = op.access_begin; a < op.access_begin + op.access_count; ++a)
      visit(Use{place, static_cast<int32_t>(a)});
  };
  for (size_t i = 0; i < program.ops.size(); ++i)
    slice({{}, static_cast<int32_t>(i), {}}, program.ops[i]);
  for (size_t g = 0; g < program.graphs.size(); ++g)
    for (size_t n = 0; n < program.graphs[g].nodes.size(); ++n)
      slice({GraphId(g), static_cast<int32_t>(n), {}}, program.graphs[g].nodes[n]);
}

size_t root(std::vector<size_t>& parent, size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

Uses::Uses(const Program& program) : begin_(program.lifetimes.size() + 1, 0) {
  const auto lifetime = [&](const Use& use) {
    return access_at(program, use.place, use.access).lifetime.index();
  };
  for_each_use(program, [&](const Use& use) { ++begin_[lifetime(use) + 1]; });
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  uses_.resize(begin_.back());
  std::vector<uint32_t> fill(begin_);
  for_each_use(program, [&](const Use& use) { uses_[fill[lifetime(use)]++] = use; });
}

std::span<const Use> Uses::of(LifetimeId lifetime) const {
  const size_t i = lifetime.index();
  return {uses_.data() + begin_[i], uses_.data() + begin_[i + 1]};
}

Contested contested_lifetimes(const Program& program) {
  struct Part {
    ByteRange range;
    size_t lifetime;
  };
  std::vector<Part> parts;
  for (size_t i = 0; i < program.lifetimes.size(); ++i)
    for (const Piece& piece : program.lifetimes[i].pieces) parts.push_back({piece.range, i});
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.range < b.range; });

  std::vector<size_t> parent(program.lifetimes.size());
  std::iota(parent.begin(), parent.end(), size_t{0});
  uint64_t reach = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].range.begin < reach)
      parent[root(parent, parts[i].lifetime)] = root(parent, parts[i - 1].lifetime);
    reach = i > 0 && parts[i].range.begin < reach ? std::max(reach, parts[i].range.end)
                                                  : parts[i].range.end;
  }
  std::vector<int32_t> members(parent.size(), 0), number(parent.size(), -1);
  for (size_t i = 0; i < parent.size(); ++i) ++members[root(parent, i)];
  Contested result;
  result.cluster.assign(parent.size(), -1);
  for (size_t i = 0; i < parent.size(); ++i) {
    const size_t top = root(parent, i);
    if (members[top] < 2) continue;
    if (number[top] < 0) number[top] = result.clusters++;
    result.cluster[i] = number[top];
  }
  return result;
}

}  // namespace bohr::check

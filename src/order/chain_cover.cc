// SPDX-License-Identifier: Apache-2.0
// Hopcroft and Karp: rounds of shortest augmenting paths, all of one length, apart from each other.
#include "order/chain_cover.h"

#include <algorithm>
#include <queue>

namespace bohr::order {

namespace {

constexpr int32_t kNone = -1;

template <class T>
T& at(std::vector<T>& list, int32_t i) {
  return list[static_cast<size_t>(i)];
}

class Matching {
 public:
  Matching(int32_t count, const std::function<bool(int32_t, int32_t)>& before)
      : later_(static_cast<size_t>(count)),
        next_(static_cast<size_t>(count), kNone),
        previous_(static_cast<size_t>(count), kNone),
        depth_(static_cast<size_t>(count)),
        tried_(static_cast<size_t>(count)) {
    for (int32_t a = 0; a < count; ++a)
      for (int32_t b = 0; b < count; ++b)
        if (a != b && before(a, b)) at(later_, a).push_back(b);
    while (find_depths()) {
      tried_.assign(tried_.size(), 0);
      for (int32_t a = 0; a < count; ++a)
        if (at(next_, a) == kNone) augment(a);
    }
  }

  int32_t next(int32_t a) const { return next_[static_cast<size_t>(a)]; }
  bool is_first(int32_t a) const { return previous_[static_cast<size_t>(a)] == kNone; }

 private:
  // How many links each element is away from one without successor, along paths that alternate.
  // Whether a path ends at an element without predecessor.
  bool find_depths() {
    std::queue<int32_t> open;
    for (size_t a = 0; a < next_.size(); ++a) {
      depth_[a] = next_[a] == kNone ? 0 : kNone;
      if (next_[a] == kNone) open.push(static_cast<int32_t>(a));
    }
    bool found = false;
    for (; !open.empty(); open.pop()) {
      for (const int32_t b : at(later_, open.front())) {
        const int32_t owner = at(previous_, b);
        found = found || owner == kNone;
        if (owner == kNone || at(depth_, owner) != kNone) continue;
        at(depth_, owner) = at(depth_, open.front()) + 1;
        open.push(owner);
      }
    }
    return found;
  }

  // A path is as long as there are elements at most, and there are few (kMostElements).
  bool augment(int32_t a) {
    for (size_t& i = at(tried_, a); i < at(later_, a).size(); ++i) {
      const int32_t b = at(later_, a)[i];
      const int32_t owner = at(previous_, b);
      const bool deeper = owner != kNone && at(depth_, owner) == at(depth_, a) + 1;
      if (owner != kNone && !(deeper && augment(owner))) continue;
      at(next_, a) = b;
      at(previous_, b) = a;
      return true;
    }
    return false;
  }

  std::vector<std::vector<int32_t>> later_;
  std::vector<int32_t> next_;      // linked to
  std::vector<int32_t> previous_;  // linked from
  std::vector<int32_t> depth_;
  std::vector<size_t> tried_;  // of later_, in this round
};

}  // namespace

std::vector<int32_t> fewest_chains(int32_t count,
                                   const std::function<bool(int32_t, int32_t)>& before) {
  const Matching links(count, before);
  std::vector<int32_t> chain(static_cast<size_t>(count), kNone);
  int32_t chains = 0;
  for (int32_t a = 0; a < count; ++a) {
    if (!links.is_first(a)) continue;
    for (int32_t b = a; b != kNone; b = links.next(b)) chain[static_cast<size_t>(b)] = chains;
    ++chains;
  }
  return chain;
}

namespace {

// What the cover does not take apart: a stream, or a step of one that is no chain.
struct Element {
  std::vector<int32_t> steps;
  bool is_stream = false;
};

bool is_chain(const Clocks& clocks, const std::vector<int32_t>& stream) {
  for (size_t i = 1; i < stream.size(); ++i)
    if (!clocks.before(stream[i - 1], stream[i])) return false;
  return true;
}

// Too many when there are more than kMostElements.
std::vector<Element> elements_of(const Clocks& clocks,
                                 const std::vector<std::vector<int32_t>>& streams) {
  std::vector<Element> elements;
  for (const std::vector<int32_t>& stream : streams) {
    if (elements.size() > kMostElements) return elements;
    if (stream.empty()) continue;
    if (is_chain(clocks, stream)) {
      elements.push_back({stream, true});
      continue;
    }
    for (const int32_t step : stream) elements.push_back({{step}, false});
  }
  return elements;
}

}  // namespace

std::vector<int32_t> smaller_cover(const Clocks& clocks, int32_t chains,
                                   const std::vector<std::vector<int32_t>>& streams, Streams rule) {
  const std::vector<Element> elements = elements_of(clocks, streams);
  if (elements.size() > kMostElements) return {};
  const auto before = [&](int32_t a, int32_t b) {
    const Element& first = elements[static_cast<size_t>(a)];
    const Element& second = elements[static_cast<size_t>(b)];
    if (rule == Streams::stay_apart && (first.is_stream || second.is_stream)) return false;
    return clocks.before(first.steps.back(), second.steps.front());
  };
  const std::vector<int32_t> chain = fewest_chains(static_cast<int32_t>(elements.size()), before);
  std::vector<int32_t> cover(clocks.size(), kNone);
  int32_t count = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    count = std::max(count, chain[i] + 1);
    for (const int32_t step : elements[i].steps) cover[static_cast<size_t>(step)] = chain[i];
  }
  return count < chains ? cover : std::vector<int32_t>();
}

}  // namespace bohr::order

// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/observed.h"

#include <algorithm>

namespace bohr::replay::cuda {

namespace {

struct Run {
  ByteRange range;
  size_t step = 0;
  auto operator<=>(const Run&) const = default;
};

bool in_one_block(const Ranges& blocks, const ByteRange& range) {
  const auto after =
      std::upper_bound(blocks.begin(), blocks.end(), range.begin,
                       [](uint64_t begin, const ByteRange& block) { return begin < block.begin; });
  return after != blocks.begin() && std::prev(after)->contains(range);
}

// Whether some other step's run lies within the hole; `runs` by begin.
bool is_anothers(const std::vector<Run>& runs, const ByteRange& hole, size_t step) {
  auto run = std::lower_bound(runs.begin(), runs.end(), Run{{hole.begin, 0}, 0});
  for (; run != runs.end() && run->range.begin < hole.end; ++run)
    if (run->step != step && run->range.end <= hole.end) return true;
  return false;
}

}  // namespace

std::vector<Ranges> written_by(const std::vector<Ranges>& changed,
                               const std::vector<Ranges>& blocks) {
  std::vector<Run> runs;
  for (size_t step = 0; step < changed.size(); ++step)
    for (const ByteRange& range : changed[step]) runs.push_back({range, step});
  std::sort(runs.begin(), runs.end());
  std::vector<Ranges> written(changed.size());
  for (size_t step = 0; step < changed.size(); ++step) {
    Ranges& own = written[step];
    for (const ByteRange& range : changed[step]) {
      const bool joins = !own.empty() &&
                         in_one_block(blocks[step], {own.back().begin, range.end}) &&
                         !is_anothers(runs, {own.back().end, range.begin}, step);
      if (joins)
        own.back().end = range.end;
      else
        own.push_back(range);
    }
  }
  return written;
}

}  // namespace bohr::replay::cuda

// SPDX-License-Identifier: Apache-2.0
#include "explore/canaries.h"

#include <algorithm>

#include "explore/suspects.h"

namespace bohr::explore {

namespace {

constexpr uint64_t kPage = 4096;

// The watched parts of a piece that a replayer does not look at, or that a step changed.
std::vector<NamedBytes> parts_within(const NamedBytes& piece, std::span<const ByteRange> ranges) {
  std::vector<NamedBytes> parts;
  for (const ByteRange& range : ranges) {
    if (!range.overlaps(piece.range)) continue;
    const ByteRange shared = range.intersection(piece.range);
    const uint64_t begin = piece.name.begin + (shared.begin - piece.range.begin);
    parts.push_back({{piece.name.name, begin, begin + shared.size()}, shared});
  }
  return parts;
}

// One canary for each page of what a step changed.
void add_pages(const StepName& step, const NamedBytes& changed, Watched* watched) {
  for (uint64_t at = changed.range.begin; at < changed.range.end;) {
    const uint64_t page = at / kPage * kPage;
    const uint64_t end = std::min(changed.range.end, page + kPage);
    const uint64_t begin = changed.name.begin + (at - changed.range.begin);
    std::vector<Canary>& canaries = watched->canaries;
    if (!canaries.empty() && canaries.back().page == page &&
        canaries.back().step.step == step.step && canaries.back().range.end <= begin) {
      canaries.back().range.end = begin + (end - at);
      canaries.back().bytes += end - at;
    } else {
      canaries.push_back({step,
                          page,
                          begin - watched->watch.begin,
                          {changed.name.name, begin, begin + (end - at)},
                          end - at});
    }
    at = end;
  }
}

class Canaries {
 public:
  Canaries(const Program& program, const order::StepOrder& order, std::span<const Watch> watches,
           std::vector<Watched>* result)
      : program_(program), order_(order), result_(result), changed_(order.size()) {
    for (const Watch& watch : watches) {
      result_->push_back({watch, {}, 0, {}, {}});
      for (const Step& step : watch.expected)
        result_->back().expected.push_back(name_of(program, step));
    }
  }

  // Takes what was seen of another run.
  void add(const std::vector<replay::Changed>& changed) {
    for (const replay::Changed& one : changed)
      changed_[static_cast<size_t>(one.step)].push_back(one.range);
    for (std::vector<ByteRange>& ranges : changed_) ranges = merged(std::move(ranges));
    for (Watched& watched : *result_) find(&watched);
  }

 private:
  void find(Watched* watched) const {
    watched->canaries.clear();
    for (size_t i = 0; i < changed_.size(); ++i) {
      const std::vector<Step>& expected = watched->watch.expected;
      if (std::binary_search(expected.begin(), expected.end(), order_.steps[i])) continue;
      std::vector<NamedBytes> parts;
      for (const NamedBytes& piece : watched->watch.pieces)
        for (NamedBytes& part : parts_within(piece, changed_[i])) parts.push_back(std::move(part));
      if (parts.empty()) continue;
      const StepName step = name_of(program_, order_.steps[i]);
      for (const NamedBytes& part : parts) add_pages(step, part, watched);
    }
  }

  const Program& program_;
  const order::StepOrder& order_;
  std::vector<Watched>* result_;
  std::vector<std::vector<ByteRange>> changed_;  // by step
};

// Whether some of the bytes get other contents.
bool is_filled(const Watch& watch, std::span<const Filled> filled) {
  return std::any_of(watch.pieces.begin(), watch.pieces.end(), [&](const NamedBytes& piece) {
    return std::any_of(filled.begin(), filled.end(),
                       [&](const Filled& one) { return one.range.overlaps(piece.range); });
  });
}

}  // namespace

Status watch_canaries(Runner* runner, const order::StepOrder& order, const Schedule& baseline,
                      std::span<const Watch> watches, uint8_t fill, std::vector<Watched>* result) {
  if (watches.empty()) return Nothing{};
  Canaries canaries(runner->replayer().program(), order, watches, result);
  std::vector<ByteRange> ranges;
  for (const Watch& watch : watches)
    for (const NamedBytes& piece : watch.pieces) ranges.push_back(piece.range);
  std::sort(ranges.begin(), ranges.end());
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  BOHR_TRY(changed, runner->watch(baseline));
  canaries.add(changed);
  for (Watched& watched : *result) ++watched.contents;
  BOHR_TRY_STATUS(runner->fill_otherwise(ranges, fill));
  if (runner->filled().empty()) return Nothing{};
  BOHR_TRY(again, runner->watch(baseline));
  canaries.add(again);
  for (Watched& watched : *result) watched.contents += is_filled(watched.watch, runner->filled());
  return runner->fill({});
}

void note_unseen(std::span<const ByteRange> unseen, std::vector<Watched>* result) {
  for (Watched& watched : *result)
    for (const NamedBytes& piece : watched.watch.pieces)
      for (NamedBytes& part : parts_within(piece, unseen))
        watched.unseen.push_back(std::move(part));
}

}  // namespace bohr::explore

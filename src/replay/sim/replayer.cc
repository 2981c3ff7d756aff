// SPDX-License-Identifier: Apache-2.0
// One run is: the memory as it was before the program, contents, then step by step: run it, pin it,
// look at it. Every run has a salt of its own, so a kernel that reads the clock shows.
#include "replay/sim/replayer.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "gpu/sim/concurrent.h"
#include "gpu/sim/executor.h"
#include "gpu/sim/mix.h"
#include "replay/schedule.h"
#include "replay/sim/items.h"
#include "replay/sim/moved.h"

namespace bohr::replay {

namespace {

namespace sim = gpu::sim;

constexpr size_t kTimedRuns = 9;  // of which the median tells how long a step takes

class SimReplayer : public Replayer {
 public:
  SimReplayer(Program program, sim::Tape tape, const sim::Timing& timing,
              const sim::ArenaSizes& sizes)
      : program_(std::move(program)),
        tape_(std::move(tape)),
        timing_(timing),
        arena_(sizes),
        steps_(steps_of(program_)) {}

  Status begin() {
    BOHR_TRY(items, items_of_steps(program_, steps_, tape_));
    items_ = items;
    for (const sim::Item& item : items_) {
      written_.push_back(written_ranges(tape_, item, false));
      changed_.push_back(written_ranges(tape_, item, true));
      guarded_.insert(guarded_.end(), changed_.back().begin(), changed_.back().end());
    }
    guarded_ = merged(std::move(guarded_));
    return Nothing{};
  }

  const Program& program() const override { return program_; }
  std::span<const Step> steps() const override { return steps_; }
  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Saved> learn() override {
    arena_.restore({});
    saved_ = Saved{};
    for (const ByteRange& range : guarded_) saved_.bytes += range.size();
    saved_.digest = digest_of(guarded_);
    return saved_;
  }

  Result<Outcome> run(const Request& request) override {
    arena_.restore({});
    BOHR_TRY_STATUS(check_request(*this, request, [this](int32_t step) { return bytes_of(step); }));
    BOHR_TRY_STATUS(refuse_moved(*this, request.moved));
    BOHR_TRY_STATUS(put_contents(request.contents));
    auto outcome = run_order(request);
    if (!outcome.ok()) arena_.restore({});
    return outcome;
  }

  Result<Outcome> run_unforced(uint64_t seed) override {
    auto spans = sim::run_concurrent(tape_, timing_, seed, &arena_);
    if (!spans.ok()) {
      arena_.restore({});
      return spans.error();
    }
    std::map<sim::Item, size_t> step_of;
    for (size_t i = 0; i < items_.size(); ++i) step_of[items_[i]] = i;
    Outcome outcome;
    outcome.ran = steps_.size();
    outcome.spans.resize(steps_.size());
    for (const sim::Span& span : spans.value())
      outcome.spans[step_of.at(span.item)] = {span.begin, span.end};
    return outcome;
  }

  // A round is a seed, and the same for every variant: what differs is the order alone.
  Result<Timings> time(std::span<const Variant> variants, int32_t rounds) override {
    BOHR_TRY_STATUS(check_variants(*this, variants));
    std::vector<sim::MoreOrder> orders;
    for (const Variant& variant : variants) {
      auto order = sim::MoreOrder::of(tape_, pairs_of(variant));
      if (!order.ok()) return no_timing(*this, to_string(order.error()));
      orders.push_back(std::move(order).value());
    }
    auto timings = timed(orders, rounds);
    BOHR_TRY_STATUS(restore());
    return timings;
  }

  Status restore() override {
    arena_.restore({});
    if (digest_of(guarded_) == saved_.digest) return Nothing{};
    return Error{"replay-restore", program_.source, "", "the memory is not what was saved",
                 "this is a mistake of ours; report it with the program"};
  }
  Status release() override { return restore(); }

  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    std::vector<uint64_t> digests;
    for (const ByteRange& range : ranges) {
      BOHR_TRY_STATUS(in_memory(range));
      digests.push_back(digest_of({&range, 1}));
    }
    return digests;
  }

  Result<Bytes> fetch(ByteRange range) override {
    BOHR_TRY_STATUS(in_memory(range));
    return Bytes(arena_.at(range.begin), arena_.at(range.begin) + range.size());
  }

 private:
  std::vector<std::pair<sim::Item, sim::Item>> pairs_of(const Variant& variant) const {
    std::vector<std::pair<sim::Item, sim::Item>> pairs;
    const auto add = [&](int32_t from, int32_t to) {
      pairs.emplace_back(items_[static_cast<size_t>(from)], items_[static_cast<size_t>(to)]);
    };
    for (const auto& [from, to] : variant.more) add(from, to);
    for (size_t i = 1; i < variant.serial.size(); ++i)
      add(variant.serial[i - 1], variant.serial[i]);
    return pairs;
  }

  Result<Timings> timed(const std::vector<sim::MoreOrder>& orders, int32_t rounds) {
    Timings timings;
    timings.virtual_time = true;
    for (int32_t round = 0; round < rounds; ++round)
      for (const sim::MoreOrder& order : orders) {
        BOHR_TRY(
            ns, sim::time_concurrent(tape_, timing_, static_cast<uint64_t>(round), order, &arena_));
        timings.ns.push_back(static_cast<double>(ns));
      }
    std::vector<std::vector<int64_t>> runs(steps_.size());
    for (uint64_t seed = 0; seed < kTimedRuns; ++seed) {
      BOHR_TRY(outcome, run_unforced(seed));
      for (size_t i = 0; i < runs.size(); ++i)
        runs[i].push_back(outcome.spans[i].end_ns - outcome.spans[i].begin_ns);
    }
    for (std::vector<int64_t>& run : runs) {
      std::nth_element(run.begin(), run.begin() + kTimedRuns / 2, run.end());
      timings.step_ns.push_back(static_cast<double>(run[kTimedRuns / 2]));
    }
    return timings;
  }

  Status in_memory(ByteRange range) const {
    if (arena_.region_of(range) != sim::Region::none) return Nothing{};
    return Error{"replay-range", program_.source, "", "a range is not in the simulated memory",
                 "take ranges from the program's lifetimes"};
  }

  Status put_contents(std::span<const Content> contents) {
    for (const Content& content : contents)
      if (!in_memory(content.range).ok() || content.bytes.size() != content.range.size())
        return Error{"replay-contents", program_.source, "", "the contents do not fit their range",
                     "put what was fetched from it"};
    for (const Content& content : contents) {
      arena_.mark_written(content.range);
      std::copy(content.bytes.begin(), content.bytes.end(), arena_.at(content.range.begin));
    }
    return Nothing{};
  }

  Result<Outcome> run_order(const Request& request) {
    sim::Executor executor(tape_, &arena_, ++runs_);
    const auto pin_of = index_by_step(request.pins, [](const Pin& pin) { return pin.step; });
    const auto keep_of = index_by_step(request.keep, std::identity());
    const auto counted = [&](size_t step) {
      return request.ignored.empty() ? written_[step] : without(written_[step], request.ignored);
    };
    Outcome outcome;
    if (request.stepwise) outcome.digests.assign(steps_.size(), 0);
    outcome.kept.resize(request.keep.size());
    for (const int32_t step : request.order) {
      const auto i = static_cast<size_t>(step);
      const Bytes before = request.observe ? contents_of(changed_[i]) : Bytes();
      BOHR_TRY_STATUS(executor.run(items_[i]));
      if (!pin_of.empty() && pin_of[i] >= 0)
        put(step, request.pins[static_cast<size_t>(pin_of[i])].bytes);
      ++outcome.ran;
      if (!request.stepwise) continue;
      outcome.digests[i] = digest_of(counted(i));
      if (request.observe) note_changes(step, before, &outcome.changed);
      if (!keep_of.empty() && keep_of[i] >= 0)
        outcome.kept[static_cast<size_t>(keep_of[i])] = contents_of(written_[i]);
      if (!request.expected.empty() && outcome.digests[i] != request.expected[i]) break;
    }
    return outcome;
  }

  // For each step its place in `items`, or -1; nothing at all when there are no items.
  template <class Items, class StepOf>
  std::vector<int32_t> index_by_step(const Items& items, StepOf&& step_of) const {
    std::vector<int32_t> index(items.empty() ? 0 : steps_.size(), -1);
    for (size_t i = 0; i < items.size(); ++i)
      index[static_cast<size_t>(step_of(items[i]))] = static_cast<int32_t>(i);
    return index;
  }

  uint64_t digest_of(std::span<const ByteRange> ranges) const {
    uint64_t digest = 0;
    for (const ByteRange& range : ranges) {
      uint64_t at = range.begin;
      for (; at + sizeof(uint64_t) <= range.end; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, arena_.at(at), sizeof word);
        digest = sim::mix(digest, {word});
      }
      uint64_t tail = 0;
      std::memcpy(&tail, arena_.at(at), range.end - at);
      digest = sim::mix(digest, {tail, range.size()});
    }
    return digest;
  }

  size_t bytes_of(int32_t step) const {
    size_t bytes = 0;
    for (const ByteRange& range : written(step)) bytes += range.size();
    return bytes;
  }

  Bytes contents_of(std::span<const ByteRange> ranges) const {
    Bytes bytes;
    for (const ByteRange& range : ranges)
      bytes.insert(bytes.end(), arena_.at(range.begin), arena_.at(range.begin) + range.size());
    return bytes;
  }

  void put(int32_t step, const Bytes& bytes) {
    auto from = bytes.begin();
    for (const ByteRange& range : written(step)) {
      arena_.mark_written(range);
      std::copy_n(from, range.size(), arena_.at(range.begin));
      from += static_cast<std::ptrdiff_t>(range.size());
    }
  }

  // The runs of bytes that differ from what stood there before.
  void note_changes(int32_t step, const Bytes& before, std::vector<Changed>* changed) const {
    size_t i = 0;
    for (const ByteRange& range : changed_[static_cast<size_t>(step)]) {
      bool open = false;
      for (uint64_t at = range.begin; at < range.end; ++at, ++i) {
        const bool differs = *arena_.at(at) != before[i];
        if (differs && open) ++changed->back().range.end;
        if (differs && !open) changed->push_back({step, {at, at + 1}});
        open = differs;
      }
    }
  }

  Program program_;
  sim::Tape tape_;
  sim::Timing timing_;
  sim::Arena arena_;
  std::vector<Step> steps_;
  std::vector<sim::Item> items_;                 // by step
  std::vector<std::vector<ByteRange>> written_;  // by step, other than atomically
  std::vector<std::vector<ByteRange>> changed_;  // and atomically
  std::vector<ByteRange> guarded_;               // all that any step may write
  Saved saved_;
  uint64_t runs_ = 0;
};

}  // namespace

Result<std::unique_ptr<Replayer>> sim_replayer(Program program, sim::Tape tape,
                                               const sim::Timing& timing,
                                               const sim::ArenaSizes& sizes) {
  auto replayer = std::make_unique<SimReplayer>(std::move(program), std::move(tape), timing, sizes);
  BOHR_TRY_STATUS(replayer->begin());
  return std::unique_ptr<Replayer>(std::move(replayer));
}

Result<std::unique_ptr<Replayer>> repaired_sim_replayer(const Program& recorded, Program repaired,
                                                        sim::Tape tape, const sim::Timing& timing,
                                                        const sim::ArenaSizes& sizes) {
  BOHR_TRY(moved, moved_tape(std::move(tape), recorded, repaired));
  const sim::ArenaSizes room = sizes_for(repaired, sizes);
  return sim_replayer(std::move(repaired), std::move(moved), timing, room);
}

}  // namespace bohr::replay

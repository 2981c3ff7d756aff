// SPDX-License-Identifier: Apache-2.0
// One run is: fresh memory, contents, then step by step: run it, pin it, look at it.
#include "replay/symbolic/replayer.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/hash.h"
#include "replay/schedule.h"
#include "replay/symbolic/memory.h"

namespace bohr::replay {

namespace {

std::vector<ByteRange> written_ranges(const Program& program, const Step& step, bool atomics_too) {
  std::vector<ByteRange> ranges;
  for (const Access& access : work_accesses(program, step)) {
    const bool counts = atomics_too || access.mode != AccessMode::atomic;
    if (counts && writes(access.mode) && in_part(access, step.part)) ranges.push_back(access.range);
  }
  return merged(std::move(ranges));
}

class SymbolicReplayer : public Replayer {
 public:
  explicit SymbolicReplayer(Program program) : program_(std::move(program)), memory_(program_) {
    memory_.reset();
    for (const Step& step : memory_.steps()) {
      written_.push_back(written_ranges(program_, step, false));
      changed_.push_back(written_ranges(program_, step, true));
    }
  }

  const Program& program() const override { return program_; }
  std::span<const Step> steps() const override { return memory_.steps(); }

  Result<Saved> learn() override {
    memory_.reset();
    constexpr ByteRange kAll{0, UINT64_MAX};
    return Saved{memory_.values(kAll).size_bytes(), memory_.digest_of(kAll, {})};
  }

  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Outcome> run(const Request& request) override {
    memory_.reset();
    BOHR_TRY_STATUS(check_request(*this, request, [&](int32_t step) { return kept_size(step); }));
    BOHR_TRY_STATUS(refuse_moved(*this, request.moved));
    for (const Content& content : request.contents) {
      if (content.bytes.size() != memory_.values(content.range).size_bytes())
        return Error{"replay-contents", program_.source, "", "the contents do not fit their range",
                     "put what was fetched from it"};
    }
    for (const Content& content : request.contents)
      std::memcpy(memory_.values(content.range).data(), content.bytes.data(), content.bytes.size());
    const std::vector<int32_t> pin_of =
        index_by_step(request.pins, [](const Pin& pin) { return pin.step; });
    const std::vector<int32_t> keep_of = index_by_step(request.keep, std::identity());

    const std::vector<uint8_t> left_out = memory_.cells_within(request.ignored);
    Outcome outcome;
    if (request.stepwise) outcome.digests.assign(steps().size(), 0);
    outcome.kept.resize(request.keep.size());
    for (const int32_t step : request.order) {
      const auto i = static_cast<size_t>(step);
      const Bytes before = request.observe ? contents_of(changed_[i]) : Bytes();
      memory_.run_step(step);
      if (!pin_of.empty() && pin_of[i] >= 0)
        put(step, request.pins[static_cast<size_t>(pin_of[i])].bytes);
      ++outcome.ran;
      if (!request.stepwise) continue;
      outcome.digests[i] = digest_of(step, left_out);
      if (request.observe) note_changes(step, before, &outcome.changed);
      if (!keep_of.empty() && keep_of[i] >= 0)
        outcome.kept[static_cast<size_t>(keep_of[i])] = contents_of(written_[i]);
      if (!request.expected.empty() && outcome.digests[i] != request.expected[i]) break;
    }
    return outcome;
  }

  Result<Outcome> run_unforced(uint64_t) override {
    return Error{
        "no-own-run", program_.source, "",
        "it is explored on symbolic memory, which runs its steps only in a given order: there "
        "are no runs of its own to count",
        "leave out --own-runs"};
  }

  Status restore() override {
    memory_.reset();
    return Nothing{};
  }
  Status release() override { return restore(); }

  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    std::vector<uint64_t> digests;
    for (const ByteRange& range : ranges) digests.push_back(memory_.digest_of(range, {}));
    return digests;
  }

  Result<Bytes> fetch(ByteRange range) override {
    const auto cells = memory_.values(range);
    Bytes bytes(cells.size_bytes());
    std::memcpy(bytes.data(), cells.data(), bytes.size());
    return bytes;
  }

 private:
  // For each step its place in `items`, or -1; nothing at all when there are no items.
  template <class Items, class StepOf>
  std::vector<int32_t> index_by_step(const Items& items, StepOf&& step_of) const {
    std::vector<int32_t> index(items.empty() ? 0 : steps().size(), -1);
    for (size_t i = 0; i < items.size(); ++i)
      index[static_cast<size_t>(step_of(items[i]))] = static_cast<int32_t>(i);
    return index;
  }

  uint64_t digest_of(int32_t step, std::span<const uint8_t> left_out) const {
    uint64_t digest = 0;
    for (const ByteRange& range : written(step))
      digest = combine(digest, memory_.digest_of(range, left_out));
    return digest;
  }

  size_t kept_size(int32_t step) { return size_of(written(step)); }
  size_t size_of(std::span<const ByteRange> ranges) {
    size_t bytes = 0;
    for (const ByteRange& range : ranges) bytes += memory_.values(range).size_bytes();
    return bytes;
  }

  Bytes contents_of(std::span<const ByteRange> ranges) {
    Bytes bytes(size_of(ranges));
    size_t at = 0;
    for (const ByteRange& range : ranges) {
      const auto cells = memory_.values(range);
      std::memcpy(bytes.data() + at, cells.data(), cells.size_bytes());
      at += cells.size_bytes();
    }
    return bytes;
  }

  void put(int32_t step, const Bytes& bytes) {
    size_t at = 0;
    for (const ByteRange& range : written(step)) {
      const auto cells = memory_.values(range);
      std::memcpy(cells.data(), bytes.data() + at, cells.size_bytes());
      at += cells.size_bytes();
    }
  }

  // By range: what stands in it now against what stood there before.
  void note_changes(int32_t step, const Bytes& before, std::vector<Changed>* changed) {
    size_t at = 0;
    for (const ByteRange& range : changed_[static_cast<size_t>(step)]) {
      const auto cells = memory_.values(range);
      if (std::memcmp(cells.data(), before.data() + at, cells.size_bytes()) != 0)
        changed->push_back({step, range});
      at += cells.size_bytes();
    }
  }

  Program program_;
  SymbolicMemory memory_;
  std::vector<std::vector<ByteRange>> written_;  // by step, other than atomically
  std::vector<std::vector<ByteRange>> changed_;  // and atomically
};

bool decided(const std::vector<Access>& accesses) {
  return std::all_of(accesses.begin(), accesses.end(), [](const Access& access) {
    return direction_known(access.mode) && access.certainty == Certainty::exact;
  });
}

bool has_bodies(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Op& node) { return node.conditional; });
}

}  // namespace

Result<std::unique_ptr<Replayer>> symbolic_replayer(Program program) {
  bool known = decided(program.accesses);
  for (const Graph& graph : program.graphs) known = known && decided(graph.accesses);
  if (!known) {
    return Error{"params-only", program.source, "",
                 "what its kernels read and write is known from their parameters only, so orders "
                 "of it prove nothing without a GPU",
                 "explore it where it runs: bohr run --explore -- CMD"};
  }
  if (std::any_of(program.graphs.begin(), program.graphs.end(), has_bodies)) {
    return Error{
        "conditional-node", program.source, "",
        "how often the bodies of its conditional nodes run is not known, so no order of it "
        "is one that it runs in",
        "see docs/limits.md for what the check alone decides of them"};
  }
  return std::unique_ptr<Replayer>(std::make_unique<SymbolicReplayer>(std::move(program)));
}

}  // namespace bohr::replay

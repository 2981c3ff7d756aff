// SPDX-License-Identifier: Apache-2.0
#include "replay/repaired.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "replay/moves.h"

namespace bohr::replay {

namespace {

class Forwarding : public Replayer {
 public:
  explicit Forwarding(Replayer& inner) : inner_(inner) {}
  const Program& program() const override { return inner_.program(); }
  std::span<const Step> steps() const override { return inner_.steps(); }
  Result<Saved> learn() override { return inner_.learn(); }
  std::span<const ByteRange> written(int32_t step) const override { return inner_.written(step); }
  Result<Outcome> run(const Request& request) override { return inner_.run(request); }
  Result<Outcome> run_unforced(uint64_t seed) override { return inner_.run_unforced(seed); }
  Result<Outcome> run_variant(const Variant& variant) override {
    return inner_.run_variant(variant);
  }
  Result<Timings> time(std::span<const Variant> variants, int32_t rounds) override {
    return inner_.time(variants, rounds);
  }
  Status restore() override { return inner_.restore(); }
  Status pause() override { return inner_.pause(); }
  Status resume() override { return inner_.resume(); }
  Status release() override { return restore(); }
  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    return inner_.digest(ranges);
  }
  Result<Bytes> fetch(ByteRange range) override { return inner_.fetch(range); }
  OwnMemory own_memory() const override { return inner_.own_memory(); }

 protected:
  Replayer& inner() { return inner_; }

 private:
  Replayer& inner_;
};

class LearnedOnce : public Forwarding {
 public:
  using Forwarding::Forwarding;
  Result<Saved> learn() override {
    if (saved_) {
      BOHR_TRY_STATUS(restore());
      return *saved_;
    }
    BOHR_TRY(saved, inner().learn());
    saved_ = saved;
    return saved;
  }

 private:
  std::optional<Saved> saved_;
};

class InPlace : public Forwarding {
 public:
  InPlace(Replayer& inner, Program repaired, Variant variant, std::vector<int32_t> right)
      : Forwarding(inner),
        program_(std::move(repaired)),
        steps_(steps_of(program_)),
        variant_(std::move(variant)),
        right_(std::move(right)) {}

  const Program& program() const override { return program_; }
  std::span<const Step> steps() const override { return steps_; }

  Result<Saved> learn() override {
    if (steps_.size() != inner().steps().size())
      return Error{"replay-request", program_.source, "", "the repaired program has other steps",
                   "this is a bug in whoever asked"};
    BOHR_TRY(saved, inner().learn());
    written_.clear();
    for (size_t i = 0; i < steps_.size(); ++i)
      written_.push_back(seen_at(inner().written(static_cast<int32_t>(i)), static_cast<int32_t>(i),
                                 variant_.moved));
    if (!variant_.moved.empty()) BOHR_TRY_STATUS(hold_to_moves());
    return saved;
  }

  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Outcome> run(const Request& request) override {
    Request moved = request;
    moved.moved = variant_.moved;
    return inner().run(moved);
  }
  Result<Outcome> run_unforced(uint64_t) override { return inner().run_variant(variant_); }

 private:
  Error refused(int32_t step, const std::string& why) const {
    const std::string label(
        label_of(program_, work_of(program_, steps_[static_cast<size_t>(step)])));
    return {"replay-moved", label, "", why, "give it other memory in the program itself"};
  }

  Status hold_to_moves() {
    BOHR_TRY(as_is, inner().run({.order = right_, .stepwise = true}));
    BOHR_TRY(again, inner().run({.order = right_, .stepwise = true}));
    BOHR_TRY(moved, run({.order = right_, .stepwise = true, .observe = true}));
    for (const Changed& changed : moved.changed)
      for (const Move& move : variant_.moved)
        if (changed.range.overlaps(move.from) &&
            std::find(move.steps.begin(), move.steps.end(), changed.step) != move.steps.end())
          return refused(changed.step, "with its block elsewhere it still writes where that was");
    for (size_t i = 0; i < steps_.size(); ++i)
      if (as_is.digests[i] == again.digests[i] && as_is.digests[i] != moved.digests[i])
        return refused(static_cast<int32_t>(i),
                       "it leaves other bytes when the block lies elsewhere");
    return restore();
  }

  Program program_;
  std::vector<Step> steps_;
  std::vector<std::vector<ByteRange>> written_;
  Variant variant_;
  std::vector<int32_t> right_;
};

}  // namespace

std::unique_ptr<Replayer> learned_once(Replayer& inner) {
  return std::make_unique<LearnedOnce>(inner);
}

std::unique_ptr<Replayer> repaired_in_place(Replayer& inner, Program repaired, Variant variant,
                                            std::vector<int32_t> right) {
  return std::make_unique<InPlace>(inner, std::move(repaired), std::move(variant),
                                   std::move(right));
}

}  // namespace bohr::replay

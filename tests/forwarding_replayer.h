// SPDX-License-Identifier: Apache-2.0
// A replayer that forwards to another one; tests change single answers.
#pragma once

#include <memory>
#include <utility>

#include "replay/replayer.h"

namespace bohr::test {

class ForwardingReplayer : public replay::Replayer {
 public:
  explicit ForwardingReplayer(std::unique_ptr<replay::Replayer> inner) : inner_(std::move(inner)) {}
  const Program& program() const override { return inner_->program(); }
  std::span<const Step> steps() const override { return inner_->steps(); }
  Result<replay::Saved> learn() override { return inner_->learn(); }
  std::span<const ByteRange> written(int32_t step) const override { return inner_->written(step); }
  Result<replay::Outcome> run(const replay::Request& request) override {
    return inner_->run(request);
  }
  Result<replay::Outcome> run_unforced(uint64_t seed) override {
    return inner_->run_unforced(seed);
  }
  Result<replay::Outcome> run_variant(const replay::Variant& variant) override {
    return inner_->run_variant(variant);
  }
  Result<replay::Timings> time(std::span<const replay::Variant> variants, int32_t rounds) override {
    return inner_->time(variants, rounds);
  }
  Status restore() override { return inner_->restore(); }
  Status pause() override { return inner_->pause(); }
  Status resume() override { return inner_->resume(); }
  Status release() override { return inner_->release(); }
  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    return inner_->digest(ranges);
  }
  Result<replay::Bytes> fetch(ByteRange range) override { return inner_->fetch(range); }

 private:
  std::unique_ptr<replay::Replayer> inner_;
};

}  // namespace bohr::test

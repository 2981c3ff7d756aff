// SPDX-License-Identifier: Apache-2.0
// The CUDA replayer keeps the contract, in one process.
#include "conformance/replayer_suite.h"
#include "cuda/replay/fixture.h"

namespace bohr::test {
namespace {

// The graph of kConformanceCase stays alive with its replayer.
class Owner : public replay::Replayer {
 public:
  Owner() : program_(kConformanceCase) {
    const auto at = [&](const char* buffer) { return program_.address(buffer); };
    program_.fill("in", 7);
    program_.add("hash_words", {at("in"), at("x"), 1024, 1}, 1024, {});
    program_.add("hash_words", {at("x"), at("y"), 1024, 2}, 1024, {0});
    program_.add("hash_words", {at("in"), at("x"), 1024, 3}, 1024, {0});
    program_.add("hash_words", {at("y"), at("z"), 1024, 4}, 1024, {1});
    inner_ = program_.replayer();
  }
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
  Status restore() override { return inner_->restore(); }
  Status release() override { return inner_->release(); }
  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    return inner_->digest(ranges);
  }
  Result<replay::Bytes> fetch(ByteRange range) override { return inner_->fetch(range); }

 private:
  GraphProgram program_;
  std::unique_ptr<replay::Replayer> inner_;
};

std::unique_ptr<replay::Replayer> make() { return std::make_unique<Owner>(); }

INSTANTIATE_TEST_SUITE_P(Cuda, ReplayerSuite, testing::Values(Maker{"cuda", make}));

}  // namespace
}  // namespace bohr::test

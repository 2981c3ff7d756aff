// SPDX-License-Identifier: Apache-2.0
// Between two holds memory is the program's: what it writes then is what it finds, and what was
// saved before is still what runs start from.
#include <gtest/gtest.h>

#include "cuda/replay/fixture.h"

namespace bohr::test {
namespace {

constexpr const char* kCase = R"(case 1
stream a
buffer in 4096
buffer out 4096
a: kernel first reads in writes out
)";

class Pause : public testing::Test {
 protected:
  Pause() : program_(kCase) {
    if (gpu() == nullptr) return;
    program_.fill("in", 7);
    program_.add("hash_words", {program_.address("in"), program_.address("out"), 1024, 1}, 1024,
                 {});
    replayer_ = program_.replayer();
    EXPECT_TRUE(replayer_->learn().ok());
  }
  uint8_t first_byte(const char* buffer) {
    uint8_t byte = 0;
    EXPECT_EQ(gpu()->driver.cuMemcpyDtoHAsync_v2(&byte, program_.address(buffer), 1, nullptr),
              CUDA_SUCCESS);
    EXPECT_EQ(gpu()->driver.cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    return byte;
  }
  void run() {
    const std::vector<int32_t> order = {0};
    EXPECT_TRUE(replayer_->run({.order = order}).ok());
  }

  GraphProgram program_;
  std::unique_ptr<replay::Replayer> replayer_;
};

TEST_F(Pause, WhatTheProgramWroteMeanwhileIsThereAfterwards) {
  run();
  ASSERT_TRUE(replayer_->pause().ok());
  EXPECT_EQ(first_byte("out"), 0) << "as it was before";
  program_.fill("out", 9);
  ASSERT_TRUE(replayer_->resume().ok());
  run();
  EXPECT_NE(first_byte("out"), 9);
  ASSERT_TRUE(replayer_->pause().ok());
  EXPECT_EQ(first_byte("out"), 9);
}

TEST_F(Pause, RunsStartFromWhatWasSaved) {
  run();
  const uint8_t right = first_byte("out");
  ASSERT_TRUE(replayer_->pause().ok());
  program_.fill("in", 1);
  ASSERT_TRUE(replayer_->resume().ok());
  run();
  EXPECT_EQ(first_byte("out"), right);
  ASSERT_TRUE(replayer_->release().ok());
  EXPECT_EQ(first_byte("in"), 1);
}

TEST_F(Pause, WhatEndsWhilePausedPutsNothingBack) {
  run();
  ASSERT_TRUE(replayer_->pause().ok());
  program_.fill("out", 9);
  replayer_.reset();
  EXPECT_EQ(first_byte("out"), 9);
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "report/frames.h"
#include "report/layout.h"
#include "report/words.h"

namespace bohr::report {
namespace {

TEST(ReportWords, Counts) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1000), "1,000");
  EXPECT_EQ(count(94104), "94,104");
  EXPECT_EQ(count(-1234567), "-1,234,567");
  EXPECT_EQ(count(1, "graph"), "1 graph");
  EXPECT_EQ(count(2, "launch"), "2 launches");
  EXPECT_EQ(count(3, "process"), "3 processes");
}

TEST(ReportWords, NamesThatSayWhatTheyAre) {
  EXPECT_EQ(noun("stream", "main"), "stream main");
  EXPECT_EQ(noun("stream", "stream 2"), "stream 2");
  EXPECT_EQ(noun("pool", "default pool"), "default pool");
  EXPECT_EQ(noun("graph", "bs=8"), "graph bs=8");
}

TEST(ReportWords, Sizes) {
  EXPECT_EQ(bytes(1), "1 byte");
  EXPECT_EQ(bytes(1023), "1023 bytes");
  EXPECT_EQ(bytes(65536), "64 KiB");
  EXPECT_EQ(bytes(1536), "1.5 KiB");
  EXPECT_EQ(bytes(uint64_t{5} << 40), "5120 GiB");
  EXPECT_EQ(range(0, 65536), "[0, 64K)");
  EXPECT_EQ(range(584, 1168), "[584, 1168)");
}

TEST(ReportLayout, WrapKeepsWordsAndCutsLongOnes) {
  EXPECT_EQ(wrap("a bb  ccc", 5), (std::vector<std::string>{"a bb", "ccc"}));
  EXPECT_EQ(wrap("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_EQ(wrap("", 10), (std::vector<std::string>{""}));
  EXPECT_EQ(wrap("äöü äöü", 3), (std::vector<std::string>{"äöü", "äöü"}));
}

TEST(ReportLayout, ShortenedKeepsBothEnds) {
  EXPECT_EQ(shortened("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(shortened("abc", 5), "abc");
}

TEST(ReportNames, KernelNamesWithoutTheirTypes) {
  EXPECT_EQ(short_name("q_gemm@2"), "q_gemm@2");
  EXPECT_EQ(short_name("memcpy HtoD (node 3)"), "memcpy HtoD (node 3)");
  EXPECT_EQ(short_name("void at::native::(anonymous namespace)::fill<float, (int)4>(float*)"),
            "fill");
  EXPECT_EQ(short_name("_ZN2at6native10add_kernelEPf"), "add_kernel");
}

Program with_stack(std::vector<Frame> frames) {
  Program program;
  program.stacks = {{std::move(frames)}};
  return program;
}

TEST(ReportFrames, PrefersTheUsersPython) {
  const Program program = with_stack({{"cuLaunchKernel", "libcuda.so.1", 0, false},
                                      {"forward", "/x/site-packages/torch/nn/linear.py", 9, true},
                                      {"attend", "/srv/model.py", 12, true},
                                      {"main", "/srv/serve.py", 3, true}});
  EXPECT_EQ(frame_text(*useful_frame(program, StackId(0))), "model.py:12 attend");
  EXPECT_EQ(frame_text(*useful_caller(program, StackId(0))), "serve.py:3 main");
  EXPECT_EQ(at_stack(program, StackId(0)), " at model.py:12");
}

TEST(ReportFrames, FallsBackToTheFrameworkThenToNativeCode) {
  const Program torch = with_stack({{"cuLaunchKernel", "libcuda.so.1", 0, false},
                                    {"forward", "/x/torch/nn/linear.py", 9, true}});
  EXPECT_EQ(frame_text(*useful_frame(torch, StackId(0))), "linear.py:9 forward");
  const Program native = with_stack(
      {{"cuLaunchKernel", "/lib/libcuda.so.1", 0, false}, {"_Z6decodev", "/srv/server", 0, false}});
  EXPECT_EQ(frame_text(*useful_frame(native, StackId(0))), "decode (server)");
  EXPECT_EQ(useful_caller(native, StackId(0)), nullptr);
}

TEST(ReportFrames, NoStackNoWords) {
  const Program program = with_stack({});
  EXPECT_EQ(useful_frame(program, StackId(0)), nullptr);
  EXPECT_EQ(useful_frame(program, StackId()), nullptr);
  EXPECT_EQ(at_stack(program, StackId(7)), "");
}

}  // namespace
}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// What every Replayer must keep (src/replay/replayer.h). An implementation meets the suite by
// instantiating it with a maker:
//
//   INSTANTIATE_TEST_SUITE_P(Symbolic, ReplayerSuite, testing::Values(Maker{"symbolic", make}));
//
// The maker's program must be the one of kConformanceCase, by whatever means: its labels, ranges
// and order.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "replay/replayer.h"

namespace bohr::test {

// Two producers and two consumers on two streams; `second` races with `use` for x.
inline constexpr const char* kConformanceCase = R"(case 1
stream a
stream b
buffer in 4096
buffer x 4096
buffer y 4096
buffer z 4096
a: kernel first reads in writes x
a: record e
b: wait e
b: kernel use reads x writes y
a: kernel second reads in writes x
b: kernel last reads y writes z
)";

struct Maker {
  std::string name;
  std::function<std::unique_ptr<replay::Replayer>()> make;
  friend void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }
};

class ReplayerSuite : public testing::TestWithParam<Maker> {
 protected:
  void SetUp() override;

  int32_t step(const std::string& label) const;
  std::vector<int32_t> order(const std::vector<std::string>& labels) const;
  ByteRange range(const std::string& buffer) const;
  std::vector<uint64_t> digests();  // of all buffers
  replay::Outcome run(const replay::Request& request);

  std::unique_ptr<replay::Replayer> replayer_;
  std::vector<int32_t> right_;  // use reads what first wrote
  std::vector<int32_t> wrong_;  // use reads what second wrote
};

}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/forward_order.h"

namespace bohr {
namespace {

using Edges = std::vector<std::pair<int32_t, int32_t>>;
using Order = std::vector<int32_t>;

TEST(ForwardOrder, IsAsListedWhereEdgesAllowIt) {
  EXPECT_EQ(forward_order(4, {}), (Order{0, 1, 2, 3}));
  EXPECT_EQ(forward_order(4, Edges{{0, 2}, {1, 3}}), (Order{0, 1, 2, 3}));
}
TEST(ForwardOrder, WhatWaitsComesBehind) {
  EXPECT_EQ(forward_order(4, Edges{{3, 0}, {2, 3}}), (Order{1, 2, 3, 0}));
  EXPECT_EQ(forward_order(2, Edges{{1, 0}, {1, 0}}), (Order{1, 0}));
}
TEST(ForwardOrder, ACircleIsLeftOut) {
  EXPECT_EQ(forward_order(4, Edges{{1, 2}, {2, 1}, {2, 3}}), (Order{0}));
}

}  // namespace
}  // namespace bohr

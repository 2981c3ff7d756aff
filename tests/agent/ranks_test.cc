// SPDX-License-Identifier: Apache-2.0
#include "agent/ranks.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bohr::agent {
namespace {

TEST(Ranks, AListNamesNumbersAndRanges) {
  for (const char* rank : {"0", "2", "3", "17"}) EXPECT_TRUE(names_rank("0,2-3,17", rank)) << rank;
  for (const char* rank : {"1", "4", "16", "18", "23"})
    EXPECT_FALSE(names_rank("0,2-3,17", rank)) << rank;
  EXPECT_FALSE(names_rank("3-2", "2"));
}

TEST(Ranks, WhatCannotBeReadIsRecorded) {
  EXPECT_TRUE(names_rank("0", "first"));
  EXPECT_TRUE(names_rank("0", ""));
  EXPECT_TRUE(names_rank("none", "1"));
  EXPECT_TRUE(names_rank("2-", "1"));
}

TEST(Ranks, EachLauncherHasItsOwnVariable) {
  setenv("BOHR_RANKS", "1", 1);
  EXPECT_TRUE(is_wanted_rank()) << "no launcher";
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  EXPECT_FALSE(is_wanted_rank());
  setenv("RANK", "1", 1);
  EXPECT_TRUE(is_wanted_rank()) << "the launcher that started it last";
  unsetenv("BOHR_RANKS");
  setenv("RANK", "0", 1);
  EXPECT_TRUE(is_wanted_rank());
  unsetenv("RANK"), unsetenv("OMPI_COMM_WORLD_RANK");
}

}  // namespace
}  // namespace bohr::agent

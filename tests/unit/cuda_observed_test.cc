// SPDX-License-Identifier: Apache-2.0
// Words that were seen to change, and what is taken for written.
#include <gtest/gtest.h>

#include "replay/cuda/observed.h"

namespace bohr::test {
namespace {

using replay::cuda::Ranges;
using replay::cuda::written_by;
using Written = std::vector<Ranges>;

const Ranges kBlock = {{0, 64}};

TEST(Observed, AHoleInOneBlockIsWritten) {
  EXPECT_EQ(written_by({{{0, 4}, {8, 12}, {60, 64}}}, {kBlock}), (Written{{{0, 64}}}));
}

TEST(Observed, WordsThatTouchAreOneRange) {
  EXPECT_EQ(written_by({{{0, 4}, {4, 8}}}, {kBlock}), (Written{{{0, 8}}}));
}

// Nothing says that a step writes before the first word that changed, or behind the last.
TEST(Observed, HeadAndTailOfABlockStayAsTheyWereSeen) {
  EXPECT_EQ(written_by({{{8, 12}, {40, 44}}}, {kBlock}), (Written{{{8, 44}}}));
}

TEST(Observed, AHoleBetweenTwoBlocksIsNot) {
  const Ranges blocks = {{0, 32}, {32, 64}};
  EXPECT_EQ(written_by({{{24, 28}, {36, 40}}}, {blocks}), (Written{{{24, 28}, {36, 40}}}));
}

// A step may change what it does not name; no block says how far such a write reaches.
TEST(Observed, AHoleOutsideWhatTheStepNamesIsNot) {
  EXPECT_EQ(written_by({{{100, 104}, {108, 112}}}, {kBlock}), (Written{{{100, 104}, {108, 112}}}));
  EXPECT_EQ(written_by({{{100, 104}, {108, 112}}}, {{}}), (Written{{{100, 104}, {108, 112}}}));
}

TEST(Observed, ColumnsOfOneMatrixStayApart) {
  const Ranges even = {{0, 4}, {8, 12}, {16, 20}}, odd = {{4, 8}, {12, 16}, {20, 24}};
  EXPECT_EQ(written_by({even, odd}, {kBlock, kBlock}), (Written{even, odd}));
}

// Columns of which some words did not change: only holes with another's word in them are known to
// be another's.
TEST(Observed, ColumnsWithEqualWordsStayApartWhereTheOtherShows) {
  const Ranges even = {{0, 4}, {8, 12}, {16, 20}}, odd = {{4, 8}};
  EXPECT_EQ(written_by({even, odd}, {kBlock, kBlock}), (Written{{{0, 4}, {8, 20}}, odd}));
}

// The second step fills the whole block, later or earlier, and says nothing of the first one's
// holes.
TEST(Observed, AnotherUseOfTheSameBlockLeavesHolesWritten) {
  const Ranges holed = {{0, 4}, {12, 16}, {28, 32}}, whole = {{0, 32}};
  EXPECT_EQ(written_by({holed, whole}, {kBlock, kBlock}), (Written{whole, whole}));
  EXPECT_EQ(written_by({whole, holed}, {kBlock, kBlock}), (Written{whole, whole}));
}

// A use that begins in the hole and ends behind it is no column between the two words, nor is one
// that ends in the hole and begins before it.
TEST(Observed, AUseThatOnlyOverlapsTheHoleLeavesItWritten) {
  const Ranges holed = {{0, 4}, {28, 32}};
  for (const ByteRange& other : {ByteRange{16, 40}, ByteRange{0, 16}})
    EXPECT_EQ(written_by({holed, {other}}, {kBlock, kBlock}).front(), (Ranges{{0, 32}}));
}

// A use that fills the hole exactly is one step's part between two parts of another's.
TEST(Observed, AUseThatFillsTheHoleTakesIt) {
  const Ranges outer = {{0, 4}, {28, 32}}, inner = {{4, 28}};
  EXPECT_EQ(written_by({outer, inner}, {kBlock, kBlock}), (Written{outer, inner}));
}

TEST(Observed, HalvesOfOneBlockStayHalves) {
  const Ranges head = {{0, 4}, {24, 32}}, tail = {{32, 40}, {60, 64}};
  EXPECT_EQ(written_by({head, tail}, {kBlock, kBlock}), (Written{{{0, 32}}, {{32, 64}}}));
}

TEST(Observed, AStepThatChangedNothingWritesNothing) {
  EXPECT_EQ(written_by({{}, {{0, 4}}}, {kBlock, kBlock}), (Written{{}, {{0, 4}}}));
  EXPECT_EQ(written_by({}, {}), Written());
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// The simulated machine's memory, its addresses, and what views let through.
#include <gtest/gtest.h>

#include "gpu/access.h"
#include "gpu/sim/address_space.h"
#include "gpu/sim/arena.h"

namespace bohr::gpu::sim {
namespace {

constexpr ArenaSizes kSizes = {uint64_t{1} << 20, 8192, 4096};

void put(Arena* arena, uint64_t address, uint8_t value) {
  arena->mark_written({address, address + 1});
  *arena->at(address) = value;
}

TEST(SimArena, RestoresWhatWasSavedAndNothingElse) {
  Arena arena(kSizes);
  const uint64_t a = Arena::kOrigin + 10;
  const uint64_t b = Arena::kOrigin + 20 * Arena::kPage;
  put(&arena, a, 1);
  const Arena::Image one = arena.save();
  EXPECT_EQ(one.size(), 1u);
  put(&arena, a, 2);
  put(&arena, b, 3);
  const Arena::Image both = arena.save();
  EXPECT_EQ(both.size(), 2u);
  arena.restore(one);
  EXPECT_EQ(*arena.at(a), 1);
  EXPECT_EQ(*arena.at(b), 0);
  EXPECT_EQ(arena.save(), one);
  arena.restore(both);
  EXPECT_EQ(*arena.at(a), 2);
  EXPECT_EQ(*arena.at(b), 3);
  arena.restore({});
  EXPECT_EQ(*arena.at(a), 0);
  EXPECT_TRUE(arena.save().empty());
}

TEST(SimArena, ARangeLiesInOneRegionOrInNone) {
  const Arena arena(kSizes);
  const ByteRange pinned = arena.range(Region::pinned);
  EXPECT_EQ(pinned.size(), 8192u);
  EXPECT_EQ(arena.region_of(pinned), Region::pinned);
  EXPECT_EQ(arena.region_of({pinned.begin - 1, pinned.end}), Region::none);
  EXPECT_EQ(arena.region_of({pinned.begin - 1, pinned.begin}), Region::device);
  EXPECT_EQ(arena.region_of({pinned.end, pinned.end + 1}), Region::pageable);
  EXPECT_EQ(arena.region_of({0, 1}), Region::none);
}

TEST(SimArena, AddressesComeFromTheLowestGapThatFits) {
  AddressSpace space({1 << 20, (1 << 20) + 4096});
  const uint64_t a = space.take(512);
  const uint64_t b = space.take(1);
  const uint64_t c = space.take(1000);
  EXPECT_EQ(a, uint64_t{1} << 20);
  EXPECT_EQ(b, a + 512);
  EXPECT_EQ(c, b + 512);
  EXPECT_EQ(space.take(4096), 0u);
  EXPECT_EQ(space.give_back(b), 512u);
  EXPECT_EQ(space.give_back(b), 0u);
  EXPECT_FALSE(space.holds({a, c}));
  EXPECT_EQ(space.take(513), c + 1024);
  EXPECT_EQ(space.take(512), b);
  EXPECT_TRUE(space.holds({a, c + 2048}));
  EXPECT_FALSE(space.holds({a, c + 2049}));
  EXPECT_FALSE(space.holds({a - 1, a}));
}

// One declared range after the other, each with a mode; what a view may be cut out of.
class SimAccess : public ::testing::Test {
 protected:
  bool permitted(Declared part, uint64_t begin, uint64_t end, Mode mode) {
    Accessor memory(declared_, part, bytes_, 0);
    switch (mode) {
      case Mode::read:
        memory.read<uint8_t>(begin, end - begin);
        break;
      case Mode::write:
        memory.write<uint8_t>(begin, end - begin);
        break;
      case Mode::update:
        memory.update<uint8_t>(begin, end - begin);
        break;
      case Mode::atomic:
        memory.atomic<uint8_t>(begin, end - begin);
        break;
    }
    return !memory.violation().happened;
  }

  std::vector<Access> declared_ = {{0, 8, Mode::read},
                                   {8, 8, Mode::update},
                                   {16, 8, Mode::write},
                                   {24, 8, Mode::atomic},
                                   {32, 8, Mode::read, true}};
  uint8_t bytes_[64] = {};
};

TEST_F(SimAccess, NeighbouringRangesCoverAViewTogether) {
  EXPECT_TRUE(permitted(Declared::all, 0, 16, Mode::read));
  EXPECT_TRUE(permitted(Declared::all, 4, 12, Mode::read));
  EXPECT_FALSE(permitted(Declared::all, 0, 17, Mode::read));
  EXPECT_TRUE(permitted(Declared::all, 8, 24, Mode::write));
  EXPECT_FALSE(permitted(Declared::all, 7, 24, Mode::write));
}

TEST_F(SimAccess, AModePermitsItselfAndAnUpdateBothDirections) {
  EXPECT_FALSE(permitted(Declared::all, 16, 24, Mode::read));
  EXPECT_FALSE(permitted(Declared::all, 0, 8, Mode::update));
  EXPECT_TRUE(permitted(Declared::all, 8, 16, Mode::update));
  EXPECT_TRUE(permitted(Declared::all, 24, 32, Mode::atomic));
  EXPECT_FALSE(permitted(Declared::all, 24, 32, Mode::update));
  EXPECT_FALSE(permitted(Declared::all, 8, 16, Mode::atomic));
}

TEST_F(SimAccess, EachPartOfAKernelHasItsOwnRanges) {
  EXPECT_TRUE(permitted(Declared::early, 32, 40, Mode::read));
  EXPECT_FALSE(permitted(Declared::rest, 32, 40, Mode::read));
  EXPECT_FALSE(permitted(Declared::early, 0, 8, Mode::read));
  EXPECT_TRUE(permitted(Declared::rest, 0, 8, Mode::read));
}

TEST_F(SimAccess, WhatIsNotPermittedTouchesNothing) {
  Accessor memory(declared_, Declared::all, bytes_, 0);
  const auto view = memory.write<uint8_t>(16, 8);
  view.put(7, 1);
  EXPECT_FALSE(memory.violation().happened);
  view.put(8, 2);
  EXPECT_TRUE(memory.violation().happened);
  EXPECT_EQ(memory.violation().address, 24u);
  memory.write<uint8_t>(0, 8).put(0, 3);
  EXPECT_EQ(memory.violation().address, 24u) << "the first one is told";
  EXPECT_EQ(bytes_[23], 1);
  EXPECT_EQ(bytes_[24], 0);
  EXPECT_EQ(bytes_[0], 0);
  EXPECT_FALSE(permitted(Declared::all, ~uint64_t{0} - 3, ~uint64_t{0}, Mode::read));
}

}  // namespace
}  // namespace bohr::gpu::sim

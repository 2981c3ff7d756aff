// SPDX-License-Identifier: Apache-2.0
// What copies and sets of a graph write: it is saved, whether the program names it or not.
#include <gtest/gtest.h>

#include "replay/cuda/node.h"

namespace bohr::test {
namespace {

using namespace replay::cuda;

NodeWork copy(size_t width, size_t height, size_t depth) {
  NodeWork work;
  work.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  work.copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  work.copy.dstDevice = 0x1000;
  work.copy.WidthInBytes = width;
  work.copy.Height = height;
  work.copy.Depth = depth;
  return work;
}

NodeWork set(unsigned element, size_t width, size_t height, size_t pitch) {
  NodeWork work;
  work.type = CU_GRAPH_NODE_TYPE_MEMSET;
  work.set.dst = 0x2000;
  work.set.elementSize = element;
  work.set.width = width;
  work.set.height = height;
  work.set.pitch = pitch;
  return work;
}

TEST(CudaDestination, OfAFlatCopy) {
  EXPECT_EQ(destination_of(copy(100, 1, 1)), (ByteRange{0x1000, 0x1064}));
  EXPECT_TRUE(destination_of(copy(0, 1, 1)).empty());
}

TEST(CudaDestination, OfRowsAndPlanes) {
  NodeWork work = copy(16, 3, 2);
  work.copy.dstPitch = 64;
  work.copy.dstHeight = 5;
  EXPECT_EQ(destination_of(work), (ByteRange{0x1000, 0x1000 + 5 * 64 + 2 * 64 + 16}));
  work.copy.dstXInBytes = 4, work.copy.dstY = 1, work.copy.dstZ = 1;
  EXPECT_EQ(destination_of(work).begin, 0x1000u + 5 * 64 + 64 + 4);
}

TEST(CudaDestination, OnTheHost) {
  NodeWork work = copy(8, 1, 1);
  uint64_t there = 0;
  work.copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  work.copy.dstHost = &there;
  const auto address = reinterpret_cast<uint64_t>(&there);
  EXPECT_EQ(destination_of(work), (ByteRange{address, address + 8}));
}

TEST(CudaDestination, AnArrayHasNoAddress) {
  NodeWork work = copy(8, 1, 1);
  work.copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_TRUE(destination_of(work).empty());
}

TEST(CudaDestination, OfSets) {
  EXPECT_EQ(destination_of(set(4, 10, 1, 0)), (ByteRange{0x2000, 0x2028}));
  EXPECT_EQ(destination_of(set(1, 10, 3, 32)), (ByteRange{0x2000, 0x2000 + 64 + 10}));
  EXPECT_TRUE(destination_of(NodeWork()).empty());
}

}  // namespace
}  // namespace bohr::test

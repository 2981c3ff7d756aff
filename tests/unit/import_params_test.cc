// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "log_builder.h"
#include "trace/import.h"
#include "trace/import_index.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kA = 0x7f0000100000;
constexpr uint64_t kB = kA + 0x1000;
constexpr uint64_t kC = kA + 0x10000;

// Three allocations of 4 KiB, the first two adjacent.
struct Kernels : ::testing::Test {
  Kernels() : s(b.stream()) {
    for (const uint64_t address : {kA, kB, kC}) b.mem_alloc(address, 0x1000);
  }
  const std::vector<Access>& run() {
    Result<Program> result = import_log(b.log);
    EXPECT_TRUE(result.ok());
    program = std::move(result).value();
    op = program.ops.back();
    const auto found = accesses_of(program, op);
    accesses.assign(found.begin(), found.end());
    return accesses;
  }
  LogBuilder b;
  uint32_t s;
  Program program;
  Op op;
  std::vector<Access> accesses;
};

TEST_F(Kernels, APointerNamesItsWholeBlock) {
  b.kernel(s, b.function("_Z1kPfi", {8, 4}), {kC + 0x10, 64});
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].range, (ByteRange{kC, kC + 0x1000}));
  EXPECT_EQ(accesses[0].address, kC + 0x10);
  EXPECT_EQ(accesses[0].offset, 0u);
  EXPECT_EQ(accesses[0].mode, AccessMode::touch);
  EXPECT_EQ(accesses[0].certainty, Certainty::may);
  EXPECT_EQ(accesses[0].source, AccessSource::params);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
  EXPECT_FALSE(op.params_unread);
}

TEST_F(Kernels, PointersToConstantDataAreReads) {
  b.kernel(s, b.function("_Z1kPKfPfPKPKf", {8, 8, 8}), {kA, kC, kC + 8});
  ASSERT_EQ(run().size(), 3u);
  EXPECT_EQ(accesses[0].mode, AccessMode::read);
  EXPECT_EQ(accesses[1].mode, AccessMode::touch);
  EXPECT_EQ(accesses[2].mode, AccessMode::touch) << "what it points to are pointers";
}

TEST_F(Kernels, ASignatureThatDisagreesWithTheLayoutIsNotBelieved) {
  b.kernel(s, b.function("_Z1kPKfPf", {8, 8, 8}), {kA, kC, 0});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[0].mode, AccessMode::touch);
}

TEST_F(Kernels, ReadAndTouchOfOnePointerIsATouch) {
  b.kernel(s, b.function("_Z1kPKfPf", {8, 8}), {kA, kA});
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].mode, AccessMode::touch);
}

TEST_F(Kernels, TwoReadsOfOnePointerStayARead) {
  b.kernel(s, b.function("_Z1kPKfS0_", {8, 8}), {kA, kA});
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].mode, AccessMode::read);
}

TEST_F(Kernels, PointersInsideStructuresAreFound) {
  b.kernel(s, b.function("_Z1k6Params", {40}), {1, kA, 2, kC, 3});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
}

TEST_F(Kernels, SlotsOfLargeStructuresAreDoubted) {
  std::vector<uint64_t> slots(17, 0);
  slots[3] = kA;
  b.kernel(s, b.function("_Z1k6Params", {136}), slots);
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].doubt, Doubt::large_struct);
}

TEST_F(Kernels, LeftoversInLargeStructuresAreNotReported) {
  b.block_alloc(kC + 0x100, 0x200, s);
  std::vector<uint64_t> slots(17, kC + 0x900);  // in the segment, in no block of it
  b.kernel(s, b.function("_Z1k6Params", {136}), slots);
  EXPECT_TRUE(run().empty());
  EXPECT_TRUE(program.diagnostics.empty());
}

TEST_F(Kernels, APlainPointerBeatsTheSameValueInALargeStructure) {
  std::vector<uint64_t> slots(18, 0);
  slots[0] = kA;
  slots[5] = kA;
  b.kernel(s, b.function("_Z1kPf6Params", {8, 136}), slots);
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
}

TEST_F(Kernels, AValueAtTheEndOfANamedBlockIsDoubted) {
  b.kernel(s, b.function("_Z1kPfS_", {8, 8}), {kA, kB});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
  EXPECT_EQ(accesses[1].doubt, Doubt::end_of_block);
}

TEST_F(Kernels, AValueAtTheEndOfABlockThatIsNotNamedIsNot) {
  b.kernel(s, b.function("_Z1kPfS_", {8, 8}), {kB, kC});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
}

TEST_F(Kernels, APairOfDifferentTypesIsNoBeginAndEnd) {
  b.kernel(s, b.function("_Z1kPKfPf", {8, 8}), {kA, kB});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[1].doubt, Doubt::none);
}

TEST_F(Kernels, AStructureAndAParameterAreNoBeginAndEnd) {
  b.kernel(s, b.function("_Z1k6ParamsPf", {16, 8}), {kA, 0, kB});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[1].doubt, Doubt::none);
}

TEST_F(Kernels, ASlotThatHoldsANeighbourOnceHoldsNoEndPointers) {
  const uint32_t k = b.function("_Z1kPfS_", {8, 8});
  b.kernel(s, k, {kA, kB});
  b.kernel(s, k, {kA, kC});
  b.kernel(s, k, {kA, kB});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[1].doubt, Doubt::none);
  for (const Access& access : program.accesses) EXPECT_EQ(access.doubt, Doubt::none);
}

TEST_F(Kernels, AnEndInTheMiddleOfABlockSaysNothingOfItsSlot) {
  const uint32_t k = b.function("_Z1kPfS_", {8, 8});
  b.kernel(s, k, {kA, kA + 64});
  b.kernel(s, k, {kA, kB});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[1].doubt, Doubt::end_of_block);
}

TEST_F(Kernels, ElementWiseKernelsOfPyTorchTakeFirstBytes) {
  b.kernel(s, b.function("_ZN2at6native6kernelISt5arrayIPcLm2EEEEviT_", {4, 16}), {9, kA, kB});
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[1].doubt, Doubt::none);
}

TEST_F(Kernels, ElementWiseKernelsOfPyTorchReadAllButTheirFirstTensor) {
  const std::string add =
      "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
      "addIfEESt5arrayIPcLm3EEEEvi"
      "T0_T1_";
  const uint32_t k = b.function(add, {4, 4, 24});
  b.kernel(s, k, {9, 0, kA, kA, kB});  // count and functor, then out and x, the same, and y
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[0].mode, AccessMode::touch);
  EXPECT_EQ(accesses[1].mode, AccessMode::read);
}

TEST_F(Kernels, NumbersAndAddressesOfNobodyAreNoAccesses) {
  b.kernel(s, b.function("_Z1kPfll", {8, 8, 8}), {kA - 8, 7, kC + 0x1000});
  EXPECT_TRUE(run().empty());
}

TEST_F(Kernels, ParametersThatCannotBeReadAreMarked) {
  Kernel kernel;
  kernel.call = b.call();
  kernel.stream = s;
  kernel.function = b.function("_Z1kPf", {8});
  kernel.form = ParamForm::unreadable;
  b.add(kernel);
  EXPECT_TRUE(run().empty());
  EXPECT_TRUE(op.params_unread);
}

TEST_F(Kernels, AnImageShorterThanItsLayoutIsReadAsFarAsItGoes) {
  b.kernel(s, b.function("_Z1kPfS_", {8, 8}), {kA});
  EXPECT_EQ(run().size(), 1u);
  EXPECT_TRUE(op.params_unread);
}

TEST_F(Kernels, AnUnknownLayoutIsScannedAndMarked) {
  b.kernel(s, 77, {kA, 5, kC});
  EXPECT_EQ(run().size(), 2u);
  EXPECT_TRUE(op.params_unread);
  EXPECT_EQ(label_of(program, op), "unknown kernel");
}

TEST_F(Kernels, ALayoutOfAbsurdSizesIsRefused) {
  Function function;
  function.function = 50;
  function.offsets = {~uint64_t{0} - 4, 0};
  function.sizes = {8, ~uint64_t{0}};
  function.layout_known = true;
  b.add(function);
  b.kernel(s, 50, {kA});
  EXPECT_EQ(run().size(), 1u);
  EXPECT_TRUE(op.params_unread);
}

TEST_F(Kernels, WithoutParametersNothingIsUnread) {
  Kernel kernel;
  kernel.call = b.call();
  kernel.stream = s;
  kernel.function = b.function("_Z1kv", {});
  b.add(kernel);
  EXPECT_TRUE(run().empty());
  EXPECT_FALSE(op.params_unread);
}

TEST_F(Kernels, APointerToFreedMemoryIsNoAccess) {
  b.mem_free(kC);
  b.kernel(s, b.function("_Z1kPf", {8}), {kC});
  EXPECT_TRUE(run().empty());
}

TEST_F(Kernels, ProgrammaticLaunchesAreMarked) {
  Kernel kernel;
  kernel.call = b.call();
  kernel.stream = s;
  kernel.function = b.function("_Z1kv", {});
  kernel.attributes = kAttributeProgrammatic | kAttributeCluster;
  b.add(kernel);
  run();
  EXPECT_TRUE(op.programmatic);
}

// --- tensor maps ---

struct Maps : Kernels {
  Bytes map(uint8_t mark, uint64_t address, uint64_t bytes) {
    TensorMap record;
    record.map.assign(kTensorMapBytes, mark);
    record.address = address;
    record.bytes = bytes;
    b.add(record);
    return record.map;
  }
  void launch(const std::string& name, std::vector<uint64_t> sizes, const Bytes& image) {
    Kernel record;
    record.call = b.call();
    record.stream = s;
    record.function = b.function(name, std::move(sizes));
    record.form = ParamForm::array;
    record.params = image;
    b.add(record);
  }
};

TEST_F(Maps, ATensorMapNamesWhatItDescribes) {
  Bytes image = map(7, kC + 0x100, 0x200);
  launch("_Z1k14CUtensorMap_st", {128}, image);
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].range, (ByteRange{kC + 0x100, kC + 0x300}));
  EXPECT_EQ(accesses[0].offset, 0x100u);
  EXPECT_EQ(accesses[0].mode, AccessMode::touch);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
}

TEST_F(Maps, BytesThatAreNoKnownMapNameNothing) {
  Bytes image = map(7, kC, 0x200);
  image[100] ^= 1;
  launch("_Z1k14CUtensorMap_st", {128}, image);
  EXPECT_TRUE(run().empty());
}

TEST_F(Maps, AMapInsideALargeStructureIsSure) {
  Bytes image(64, 0);
  const Bytes inside = map(7, kC, 0x200);
  image.insert(image.end(), inside.begin(), inside.end());
  image.resize(512, 0);
  launch("_Z1k6Params", {512}, image);
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].doubt, Doubt::none);
}

// Devices may keep the address in the map itself.
TEST_F(Maps, WordsOfAMapAreNoPointers) {
  TensorMap record;
  record.map = b.image(std::vector<uint64_t>(16, kA));
  record.address = kC;
  record.bytes = 0x10;
  b.add(record);
  launch("_Z1k14CUtensorMap_st", {128}, record.map);
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].range.begin, kC);
}

TEST_F(Maps, ATensorInTwoBlocksIsTwoAccesses) {
  launch("_Z1k14CUtensorMap_st", {128}, map(7, kA + 0x800, 0x1000));
  ASSERT_EQ(run().size(), 2u);
  EXPECT_EQ(accesses[0].range, (ByteRange{kA + 0x800, kB}));
  EXPECT_EQ(accesses[1].range, (ByteRange{kB, kB + 0x800}));
  EXPECT_EQ(accesses[1].offset, 0u);
}

TEST_F(Maps, AMapOfUnknownReachNamesItsBlock) {
  launch("_Z1k14CUtensorMap_st", {128}, map(7, kC + 0x100, 0));
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].range, (ByteRange{kC + 0x100, kC + 0x1000}));
}

TEST_F(Maps, AMapBeyondTheAddressSpaceEndsThere) {
  launch("_Z1k14CUtensorMap_st", {128}, map(7, kC, UINT64_MAX));
  ASSERT_EQ(run().size(), 1u);
  EXPECT_EQ(accesses[0].range, (ByteRange{kC, kC + 0x1000}));
}

}  // namespace
}  // namespace bohr::trace

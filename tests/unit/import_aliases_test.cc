// SPDX-License-Identifier: Apache-2.0
// Mappings: physical memory at several addresses, and allocations that lie side by side.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.h"
#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kHere = 0x7f0000000000;
constexpr uint64_t kThere = 0x7e0000000000;

using Lines = std::vector<std::string>;

struct Aliases : ::testing::Test {
  Aliases() : s(b.stream()), t(b.stream()), k(b.function("_Z1kPf", {8})) {}

  Program imported() {
    Result<Program> result = import_log(b.log);
    EXPECT_TRUE(result.ok());
    return std::move(result).value();
  }
  Verdict verdict() {
    Result<Verdict> result = check::check(imported(), {});
    EXPECT_TRUE(result.ok()) << to_string(result.error());
    return std::move(result).value();
  }
  static Lines told(const std::vector<Finding>& findings) {
    Lines lines;
    for (const Finding& f : findings)
      lines.push_back(std::string(to_string(f.hazard)) + " " + f.first.label + " " +
                      f.second.label + " " + to_string(f.cls) + " " +
                      std::to_string(f.range.begin) + "-" + std::to_string(f.range.end));
    return lines;
  }
  Lines findings() { return told(verdict().findings); }
  void wait_for_s() {
    b.event_record(1, 1, s);
    b.event_wait(1, 1, t);
  }
  void synchronise() {
    HostSync sync;
    sync.call = b.call();
    sync.what = SyncKind::stream;
    sync.stream = s;
    b.add(sync);
  }

  LogBuilder b;
  uint32_t s, t, k;
};

TEST_F(Aliases, TwoAddressesOfOneMemoryAreOneMemory) {
  b.map(kHere, 4 * kMiB, 1);
  b.map(kThere, 4 * kMiB, 1);
  b.set(s, kHere + 64, 64);
  b.set(t, kThere + 96, 64);
  EXPECT_EQ(findings(), Lines{"WAW memset memset data 96-128"});
}

TEST_F(Aliases, TwoAddressesInOrderAreClean) {
  b.map(kHere, 4 * kMiB, 1);
  b.map(kThere, 4 * kMiB, 1);
  b.set(s, kHere + 64, 64);
  wait_for_s();
  b.set(t, kThere + 96, 64);
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(Aliases, OtherMemoryAtTheOtherAddressIsOther) {
  b.map(kHere, 4 * kMiB, 1);
  b.map(kThere, 4 * kMiB, 2);
  b.set(s, kHere, 64);
  b.set(t, kThere, 64);
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(Aliases, OffsetsSayWhichBytesAreShared) {
  b.map(kHere, 4 * kMiB, 1);
  b.map(kThere, 2 * kMiB, 1, 2 * kMiB);
  b.set(s, kHere, 2 * kMiB);
  b.set(t, kThere, 2 * kMiB);
  EXPECT_EQ(findings(), Lines{}) << "the first two MiB have one address only";
  b.set(s, kHere + 3 * kMiB, 64);
  EXPECT_EQ(findings(), Lines{"WAW memset memset data " + std::to_string(3 * kMiB) + "-" +
                              std::to_string(3 * kMiB + 64)});
}

// The first use of memory is a write, whatever address it goes through.
TEST_F(Aliases, PointersOfKernelsAreComparedByTheirBytes) {
  b.map(kHere, 2 * kMiB, 1);
  b.map(kThere, 2 * kMiB, 1);
  b.kernel(s, k, {kHere});
  b.kernel(t, k, {kThere});
  const Lines found = findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("k k data"), std::string::npos) << found[0];
}

TEST_F(Aliases, PointersOfKernelsInOrderAreClean) {
  b.map(kHere, 2 * kMiB, 1);
  b.map(kThere, 2 * kMiB, 1);
  b.kernel(s, k, {kHere});
  wait_for_s();
  b.kernel(t, k, {kThere});
  EXPECT_EQ(findings(), Lines{});
}

// What was mapped elsewhere since is still the same memory: unmapping waits for nothing.
TEST_F(Aliases, MemoryThatMovesKeepsItsUses) {
  b.map(kHere, 2 * kMiB, 1);
  b.set(s, kHere, 64);
  b.unmap(kHere);
  b.map(kThere, 2 * kMiB, 1);
  b.set(t, kThere, 64);
  EXPECT_EQ(findings(), Lines{"WAW memset memset data 0-64"});
  EXPECT_EQ(imported().lifetimes.size(), 1u);
}

TEST_F(Aliases, MemoryThatMovesBehindItsUsesIsClean) {
  b.map(kHere, 2 * kMiB, 1);
  b.set(s, kHere, 64);
  synchronise();
  b.unmap(kHere);
  b.map(kThere, 2 * kMiB, 1);
  b.set(t, kThere, 64);
  EXPECT_EQ(findings(), Lines{});
}

TEST_F(Aliases, MemoryEndsWithItsLastAddress) {
  b.map(kHere, 2 * kMiB, 1);
  b.map(kThere, 2 * kMiB, 1);
  b.unmap(kHere);
  b.set(s, kThere, 64);
  b.unmap(kThere);
  const Program program = imported();
  ASSERT_EQ(program.lifetimes.size(), 1u);
  ASSERT_TRUE(program.lifetimes[0].free.known());
  EXPECT_EQ(program.lifetimes[0].free.index, static_cast<int32_t>(program.ops.size()) - 1);
}

// Then the place of neither is the address: the bytes of the two must not be taken for one.
TEST_F(Aliases, AnAddressThatShowedOtherMemoryIsNoPlace) {
  b.map(kHere, 2 * kMiB, 1);
  b.set(s, kHere, 64);
  b.unmap(kHere);
  b.map(kHere, 2 * kMiB, 2);
  b.map(kThere, 2 * kMiB, 1);
  b.set(t, kHere, 64);
  EXPECT_EQ(findings(), Lines{});
  b.set(t, kThere, 64);
  EXPECT_EQ(findings(), Lines{"WAW memset memset data 0-64"});
}

TEST_F(Aliases, ABlockThatSpansMappingsIsFoundThroughTheOtherAddressOfEither) {
  b.map(kHere, 2 * kMiB, 1);
  b.map(kHere + 2 * kMiB, 2 * kMiB, 2);
  b.map(kThere, 2 * kMiB, 2);
  b.block_alloc(kHere + kMiB, 2 * kMiB, s);
  b.kernel(s, k, {kHere + kMiB});
  b.set(t, kThere, 64);
  const Verdict found = verdict();
  ASSERT_EQ(found.findings.size() + found.candidates.size(), 1u);
  const Finding& only = found.findings.empty() ? found.candidates[0] : found.findings[0];
  EXPECT_EQ(only.range.end - only.range.begin, 64u);
}

TEST_F(Aliases, ABlockThatSpansMappingsDoesNotReachBehindItsEnd) {
  b.map(kHere, 2 * kMiB, 1);
  b.map(kHere + 2 * kMiB, 2 * kMiB, 2);
  b.map(kThere, 2 * kMiB, 2);
  b.block_alloc(kHere + kMiB, 2 * kMiB, s);
  b.kernel(s, k, {kHere + kMiB});
  b.set(t, kThere + kMiB, 64);
  const Verdict found = verdict();
  EXPECT_EQ(found.findings.size() + found.candidates.size(), 0u);
}

// An expandable segment gives back its middle and takes other memory there.
TEST_F(Aliases, ASegmentMayLoseAndGetItsParts) {
  for (uint32_t i = 0; i < 3; ++i) b.map(kHere + i * 2 * kMiB, 2 * kMiB, i + 1);
  b.block_alloc(kHere, 3 * kMiB, s);
  b.block_free(kHere, 3 * kMiB, s);
  b.unmap(kHere + 2 * kMiB);
  b.block_alloc(kHere, kMiB, s);
  b.map(kHere + 2 * kMiB, 2 * kMiB, 4);
  b.block_alloc(kHere + kMiB, 4 * kMiB, s);
  b.kernel(s, k, {kHere + kMiB});
  const Program program = imported();
  EXPECT_TRUE(program.diagnostics.empty());
  const Op& kernel = program.ops.back();
  ASSERT_EQ(kernel.access_count, 1u);
  EXPECT_EQ(accesses_of(program, kernel)[0].range, (ByteRange{kHere + kMiB, kHere + 5 * kMiB}));
}

TEST_F(Aliases, APointerMayReachTheMappingsBesideItsOwn) {
  for (uint32_t i = 0; i < 3; ++i) b.map(kHere + i * 2 * kMiB, 2 * kMiB, i + 1);
  b.map(kHere + 8 * kMiB, 2 * kMiB, 9);
  b.kernel(s, k, {kHere + 64});
  b.set(t, kHere + 5 * kMiB, 64);
  b.set(t, kHere + 9 * kMiB, 64);
  const Verdict found = verdict();
  EXPECT_EQ(told(found.findings), Lines{});
  EXPECT_EQ(found.candidates.size(), 1u) << "there is a gap before the last mapping";
}

TEST_F(Aliases, ALongRowOfMappingsIsNamedInPartAndSaidSo) {
  for (uint32_t i = 0; i < 40; ++i) b.map(kHere + i * 2 * kMiB, 2 * kMiB, i + 1);
  b.kernel(s, k, {kHere});
  const Program program = imported();
  ASSERT_EQ(program.diagnostics.size(), 1u);
  EXPECT_EQ(program.diagnostics[0].reason, "unknown-access");
}

TEST_F(Aliases, MappingsThatMakeNoSenseAreNoAliases) {
  b.map(kHere, 2 * kMiB, 1, ~uint64_t{0} - 4);
  b.map(kThere, 2 * kMiB, 1, ~uint64_t{0} - 4);
  b.map(kThere + 4 * kMiB, 2 * kMiB, 0);
  b.add(Mapping{1, kHere, 0, 1, 0});
  EXPECT_EQ(imported().lifetimes.size(), 3u);
}

}  // namespace
}  // namespace bohr::trace

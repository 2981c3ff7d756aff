// SPDX-License-Identifier: Apache-2.0
// Writes of the CPU that a recorder noticed: each becomes an op of its thread, and the checker's
// rules make of it what they make of any write of the host.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.h"
#include "imported.h"
#include "log_builder.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kPinned = 0x7f0000000000;
constexpr uint64_t kDevice = 0x7e0000000000;

std::vector<std::string> findings(const LogBuilder& b) {
  const Result<Verdict> verdict = check::check(imported(b), {});
  EXPECT_TRUE(verdict.ok());
  std::vector<std::string> texts;
  for (const Finding& finding : verdict.value().findings)
    texts.push_back(std::string(to_string(finding.hazard)) + " " + finding.first.label + " " +
                    finding.second.label + " " + to_string(finding.cls));
  return texts;
}

// A pinned source of 4096 bytes that is copied to the device on the stream.
uint32_t copied(LogBuilder& b) {
  const uint32_t stream = b.stream();
  b.mem_alloc(kPinned, 4096, Layer::host);
  b.mem_alloc(kDevice, 4096);
  b.copy(stream, kDevice, Memory::device, kPinned, Memory::pinned, 4096);
  return stream;
}

void synchronise(LogBuilder& b, uint32_t stream) {
  HostSync sync;
  sync.call = b.call();
  sync.what = SyncKind::stream;
  sync.stream = stream;
  b.add(sync);
}

const std::vector<std::string> kRewritten = {"WAR memcpy H2D host write host"};

TEST(ImportHostWrites, BecomeAnOpOfTheirThread) {
  LogBuilder b;
  copied(b);
  b.host_write(kPinned + 64, 128);
  const Program program = imported(b);
  const Op& write = program.ops.back();
  EXPECT_EQ(write.kind, OpKind::touch);
  EXPECT_EQ(write.actor, program.ops[0].actor);
  EXPECT_FALSE(write.stream.valid());
  EXPECT_EQ(label_of(program, write), "host write");
  ASSERT_EQ(write.access_count, 1u);
  const Access& access = accesses_of(program, write)[0];
  EXPECT_EQ(access.mode, AccessMode::write);
  EXPECT_EQ(access.source, AccessSource::observed);
  EXPECT_EQ(access.range.begin, kPinned + 64);
  EXPECT_EQ(access.range.end, kPinned + 192);
  EXPECT_EQ(access.offset, 64u);
}

TEST(ImportHostWrites, BeforeTheCopyIsKnownToBeDoneAreFound) {
  LogBuilder b;
  const uint32_t stream = copied(b);
  b.host_write(kPinned, 4096);
  synchronise(b, stream);
  EXPECT_EQ(findings(b), kRewritten);
}

TEST(ImportHostWrites, AfterASynchronisationAreInOrder) {
  LogBuilder b;
  const uint32_t stream = copied(b);
  synchronise(b, stream);
  b.host_write(kPinned, 4096);
  EXPECT_EQ(findings(b), std::vector<std::string>{});
}

TEST(ImportHostWrites, ASynchronisationOfAnotherStreamOrdersNothing) {
  LogBuilder b;
  copied(b);
  synchronise(b, b.stream());
  b.host_write(kPinned, 4096);
  EXPECT_EQ(findings(b), kRewritten);
}

TEST(ImportHostWrites, OfOtherBytesAreNoHazard) {
  LogBuilder b;
  copied(b);
  b.mem_alloc(kPinned + 8192, 4096, Layer::host);
  b.host_write(kPinned + 8192, 4096);
  EXPECT_EQ(findings(b), std::vector<std::string>{});
}

TEST(ImportHostWrites, BetweenTwoCopiesAreOrderedBeforeTheSecond) {
  LogBuilder b;
  const uint32_t stream = copied(b);
  b.host_write(kPinned, 4096);
  b.copy(stream, kDevice, Memory::device, kPinned, Memory::pinned, 4096);
  EXPECT_EQ(findings(b), kRewritten);
}

TEST(ImportHostWrites, MeetTheCopyNodesOfALaunchedGraph) {
  LogBuilder b;
  const uint32_t stream = b.stream();
  b.mem_alloc(kPinned, 4096, Layer::host);
  b.mem_alloc(kDevice, 4096);
  Node copy = b.node(1, stream);
  copy.dst = kDevice;
  copy.src = kPinned;
  copy.width = 4096;
  copy.dst_memory = Memory::device;
  copy.src_memory = Memory::pinned;
  b.add_graph(1, 0, {copy}, {});
  b.exec(1, 1);
  b.launch(1, stream);
  synchronise(b, stream);
  b.host_write(kPinned, 4096);
  EXPECT_EQ(findings(b), std::vector<std::string>{});
  b.launch(1, stream);
  b.host_write(kPinned, 4096);
  const std::vector<std::string> found = findings(b);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].find("host write"), std::string::npos) << found[0];
  EXPECT_NE(found[0].find(" host"), std::string::npos) << found[0];
}

// As where a query finds two copies done: there is one number ahead of it.
TEST(ImportHostWrites, OfOneNumberAreTwoOps) {
  LogBuilder b;
  copied(b);
  b.mem_alloc(kPinned + 8192, 4096, Layer::host);
  const Call found = b.call();
  b.add(HostWrite{found, kPinned, 64, Memory::pinned});
  b.add(HostWrite{found, kPinned + 8192, 128, Memory::pinned});
  const Program program = imported(b);
  std::vector<ByteRange> written;
  for (const Op& op : program.ops) {
    if (op.kind != OpKind::touch) continue;
    ASSERT_EQ(op.access_count, 1u);
    written.push_back(accesses_of(program, op)[0].range);
  }
  EXPECT_EQ(written, (std::vector<ByteRange>{{kPinned, kPinned + 64},
                                             {kPinned + 8192, kPinned + 8192 + 128}}));
  EXPECT_EQ(findings(b), kRewritten);
}

}  // namespace
}  // namespace bohr::trace

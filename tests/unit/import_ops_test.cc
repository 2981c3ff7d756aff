// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "imported.h"
#include "log_builder.h"

namespace bohr::trace {
namespace {

std::vector<const Op*> of_kind(const Program& program, OpKind kind) {
  std::vector<const Op*> found;
  for (const Op& op : program.ops)
    if (op.kind == kind) found.push_back(&op);
  return found;
}

int64_t count_of(const Program& program, const std::string& reason) {
  int64_t count = 0;
  for (const bohr::Diagnostic& d : program.diagnostics) count += d.reason == reason ? d.count : 0;
  return count;
}

TEST(ImportOps, StandInTheOrderOfTheirEntryWhateverTheOrderOfRecords) {
  LogBuilder b;
  const uint32_t s = b.stream();
  const uint32_t first = b.function("_Z5firstPf", {8});
  const uint32_t second = b.function("_Z6secondPf", {8});
  b.kernel(s, first, {0});
  b.kernel(s, second, {0});
  std::swap(b.log.records[b.log.records.size() - 1], b.log.records[b.log.records.size() - 2]);
  const Program program = imported(b);
  ASSERT_EQ(program.ops.size(), 2u);
  EXPECT_EQ(label_of(program, program.ops[0]), "first");
  EXPECT_EQ(label_of(program, program.ops[1]), "second");
  EXPECT_LT(program.ops[0].exit, program.ops[1].enter);
  EXPECT_TRUE(program.recorded);
}

TEST(ImportOps, StreamsThatAreUsedKeepTheirKindAndContext) {
  LogBuilder b;
  const uint32_t used[] = {b.stream(StreamType::legacy, 1), b.stream(StreamType::per_thread, 1),
                           b.stream(StreamType::nonblocking, 2), b.stream(StreamType::legacy, 2)};
  b.stream();
  for (const uint32_t stream : used) b.event_record(1, stream, stream);
  const Program program = imported(b);
  ASSERT_EQ(program.streams.size(), 4u);
  EXPECT_EQ(program.streams[0].name, "default");
  EXPECT_EQ(program.streams[0].kind, StreamKind::legacy);
  EXPECT_EQ(program.streams[1].name, "per-thread");
  EXPECT_EQ(program.streams[1].kind, StreamKind::per_thread);
  EXPECT_EQ(program.streams[2].name, "stream 3");
  EXPECT_EQ(program.streams[2].context, 2);
  EXPECT_EQ(program.streams[3].name, "default 4");
}

TEST(ImportOps, AWaitIsBoundToTheVersionThatWasRecordedWhenItWasIssued) {
  LogBuilder b;
  const uint32_t s = b.stream();
  const uint32_t t = b.stream();
  b.event_record(7, 1, s);
  b.event_wait(7, 1, t);
  b.event_record(7, 2, s);
  b.event_wait(7, 1, t);
  b.event_wait(7, 2, t);
  b.event_wait(8, 0, t);
  const Program program = imported(b);
  ASSERT_EQ(program.ops.size(), 6u);
  EXPECT_EQ(program.ops[1].bound, OpId(0));
  EXPECT_EQ(program.ops[3].bound, OpId(0));
  EXPECT_EQ(program.ops[4].bound, OpId(2));
  EXPECT_FALSE(program.ops[5].bound.valid());
  EXPECT_FALSE(program.ops[5].order_unknown);
  EXPECT_TRUE(program.diagnostics.empty());
}

TEST(ImportOps, AWaitForAnUnknownRecordLosesOrderAndSaysWhere) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.event_wait(7, kUnknownVersion, s);
  b.event_wait(7, 3, s);
  const Program program = imported(b);
  EXPECT_TRUE(program.ops[0].order_unknown);
  EXPECT_TRUE(program.ops[1].order_unknown);
  ASSERT_EQ(program.diagnostics.size(), 2u);
  EXPECT_EQ(program.diagnostics[0].reason, "attached-late");
  EXPECT_EQ(program.diagnostics[1].reason, "lost-records");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(program.diagnostics[i].loses_order);
    EXPECT_EQ(program.diagnostics[i].from, program.ops[i].enter);
    EXPECT_EQ(program.diagnostics[i].to, program.ops[i].enter);
  }
}

TEST(ImportOps, ARecordAfterTheWaitDoesNotBindIt) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.event_wait(7, 1, s);
  b.event_record(7, 1, s);
  const Program program = imported(b);
  EXPECT_FALSE(program.ops[0].bound.valid());
  EXPECT_TRUE(program.ops[0].order_unknown);
}

TEST(ImportOps, HostSynchronisationNamesWhatWasWaitedFor) {
  LogBuilder b;
  const uint32_t s = b.stream(StreamType::nonblocking, 1);
  const uint32_t other = b.stream(StreamType::nonblocking, 2);
  b.event_record(7, 1, s);
  b.add(HostSync{b.call(), SyncKind::stream, s, 0, 0, 0});
  b.add(HostSync{b.call(), SyncKind::event_query, 0, 7, 1, 0});
  b.add(HostSync{b.call(), SyncKind::context, 0, 0, 0, 2});  // nothing was issued to it
  b.event_record(8, 1, other);
  b.add(HostSync{b.call(), SyncKind::context, 0, 0, 0, 2});
  const Program program = imported(b);
  ASSERT_EQ(program.ops.size(), 5u);
  EXPECT_EQ(program.ops[1].kind, OpKind::sync_stream);
  EXPECT_EQ(program.ops[1].target, StreamId(0));
  EXPECT_EQ(program.ops[2].kind, OpKind::sync_event);
  EXPECT_EQ(program.ops[2].bound, OpId(0));
  EXPECT_EQ(program.ops[4].kind, OpKind::sync_device);
  EXPECT_EQ(program.ops[4].target, program.ops[3].stream);
}

TEST(ImportOps, AWaitForAContextThatIsNotKnownCreditsNoOrder) {
  LogBuilder b;
  b.event_record(1, 1, b.stream(StreamType::nonblocking, 1));
  b.event_record(1, 2, b.stream(StreamType::nonblocking, 2));
  b.add(HostSync{b.call(), SyncKind::context, 0, 0, 0, 0});
  const Program program = imported(b);
  EXPECT_TRUE(of_kind(program, OpKind::sync_device).empty());
  EXPECT_TRUE(program.ops.back().order_unknown);
}

TEST(ImportOps, CopiesAreExactAndKeepWhenTheyReturned) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.mem_alloc(0x10000, 4096);
  b.copy(s, 0x10100, Memory::device, 0x900000, Memory::pageable, 256, Return::after_source_read);
  const Program program = imported(b);
  const Op& copy = *of_kind(program, OpKind::copy).at(0);
  EXPECT_EQ(copy.host_return, HostReturn::after_source_read);
  EXPECT_EQ(label_of(program, copy), "memcpy H2D");
  const auto accesses = accesses_of(program, copy);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].mode, AccessMode::read);
  EXPECT_EQ(program.lifetimes[accesses[0].lifetime.index()].memory, MemoryKind::pageable);
  EXPECT_TRUE(program.lifetimes[accesses[0].lifetime.index()].buffer);
  EXPECT_EQ(accesses[1].mode, AccessMode::write);
  EXPECT_EQ(accesses[1].certainty, Certainty::exact);
  EXPECT_EQ(accesses[1].range, (ByteRange{0x10100, 0x10200}));
  EXPECT_EQ(accesses[1].offset, 0x100u);
}

TEST(ImportOps, CopiesThroughTheSameHostBytesShareOneBuffer) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.mem_alloc(0x10000, 4096);
  b.copy(s, 0x10000, Memory::device, 0x900000, Memory::pageable, 64);
  b.copy(s, 0x900020, Memory::pageable, 0x10000, Memory::device, 64);
  b.copy(s, 0x10000, Memory::device, 0xa00000, Memory::pageable, 64);
  const Program program = imported(b);
  const auto copies = of_kind(program, OpKind::copy);
  const Access first = accesses_of(program, *copies[0])[0];
  const Access second = accesses_of(program, *copies[1])[1];
  const Access third = accesses_of(program, *copies[2])[0];
  EXPECT_EQ(first.lifetime, second.lifetime);
  EXPECT_NE(first.lifetime, third.lifetime);
  EXPECT_EQ(second.offset, 0x20u);
  EXPECT_EQ(program.lifetimes[first.lifetime.index()].bytes, 0x60u);
  EXPECT_EQ(count_of(program, "unknown-allocation"), 0);
}

TEST(ImportOps, UnknownDeviceMemoryIsReported) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.set(s, 0x500000, 64);
  const Program program = imported(b);
  EXPECT_EQ(count_of(program, "unknown-allocation"), 1);
  EXPECT_TRUE(accesses_of(program, program.ops[0])[0].lifetime.valid());
}

TEST(ImportOps, ACopyAcrossTwoAllocationsIsCutBetweenThem) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.mem_alloc(0x10000, 0x1000);
  b.mem_alloc(0x11000, 0x1000);
  b.set(s, 0x10800, 0x1000);
  const Program program = imported(b);
  const auto accesses = accesses_of(program, *of_kind(program, OpKind::fill).at(0));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].range, (ByteRange{0x10800, 0x11000}));
  EXPECT_EQ(accesses[1].range, (ByteRange{0x11000, 0x11800}));
  EXPECT_NE(accesses[0].lifetime, accesses[1].lifetime);
}

TEST(ImportOps, UnmodelledSynchronisationLosesOrderOtherWorkLosesAccesses) {
  LogBuilder b;
  const uint32_t s = b.stream();
  b.add(Unmodelled{b.call(), s, b.text("cuStreamWaitValue32"), true});
  b.add(Unmodelled{b.call(), s, b.text("cuMemcpyBatchAsync"), false});
  const Program program = imported(b);
  EXPECT_TRUE(program.ops[0].order_unknown);
  EXPECT_FALSE(program.ops[0].unknown);
  EXPECT_TRUE(program.ops[1].unknown);
  EXPECT_EQ(count_of(program, "unmodelled-synchronisation"), 1);
  EXPECT_EQ(count_of(program, "unknown-access"), 1);
}

TEST(ImportOps, WhatTheRecorderLostIsPassedOn) {
  LogBuilder b;
  Diagnostic d;
  d.reason = b.text("attached-late");
  d.text = b.text("3 streams existed");
  d.count = 3;
  d.loses_order = true;
  d.from = 5;
  d.to = ~uint64_t{0};
  b.add(d);
  b.add(End{100, 12});
  const Program program = imported(b);
  ASSERT_EQ(program.diagnostics.size(), 2u);
  EXPECT_EQ(program.diagnostics[0].reason, "attached-late");
  EXPECT_EQ(program.diagnostics[0].from, 5);
  EXPECT_EQ(program.diagnostics[0].to, INT64_MAX);
  EXPECT_TRUE(program.diagnostics[0].loses_order);
  EXPECT_EQ(program.diagnostics[1].reason, "lost-records");
  EXPECT_EQ(program.diagnostics[1].count, 12);
  EXPECT_TRUE(program.diagnostics[1].loses_order);
}

TEST(ImportOps, ADamagedStreamNumberLosesOrder) {
  LogBuilder b;
  const uint32_t f = b.function("_Z1kv", {});
  b.kernel(99, f, {});
  const Program program = imported(b);
  ASSERT_TRUE(program.ops[0].stream.valid());
  EXPECT_EQ(program.streams[program.ops[0].stream.index()].name, "stream 99");
  EXPECT_EQ(count_of(program, "lost-records"), 1);
}

TEST(ImportOps, PythonFramesAreMarkedAndThePlatformIsNamed) {
  LogBuilder b;
  b.stream();
  b.stack = b.python_stack("/home/u/step.py", 12);
  Device device;
  device.name = b.text("NVIDIA H200");
  b.add(device);
  Process process;
  process.driver = 13000;
  process.driver_text = b.text("580.159");
  b.add(process);
  b.mem_alloc(0x10000, 64 * 1024);
  const Program program = imported(b);
  EXPECT_EQ(program.device, "NVIDIA H200, driver 580.159, CUDA 13.0");
  const StackId stack = program.ops[0].stack;
  ASSERT_TRUE(stack.valid());
  EXPECT_TRUE(program.stacks[stack.index()].frames[0].python);
  EXPECT_EQ(program.stacks[stack.index()].frames[0].line, 12);
  EXPECT_EQ(program.lifetimes[0].name, "step.py:12 (64 KiB)");
}

}  // namespace
}  // namespace bohr::trace

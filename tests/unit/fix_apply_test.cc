// SPDX-License-Identifier: Apache-2.0
// Programs with repairs in them: what was put in, where, and that what names an op by its place
// still names the same one.
#include <gtest/gtest.h>

#include "check/check.h"
#include "explore_texts.h"
#include "fix/apply.h"
#include "fix/edit_ops.h"

namespace bohr::test {
namespace {

OpId op_of(const Program& program, std::string_view label) {
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (label_of(program, program.ops[i]) == label) return OpId(i);
  ADD_FAILURE() << "no op " << label;
  return OpId();
}

RepairPart edge(const Program& program, std::string_view from, std::string_view to) {
  RepairPart part;
  part.from = op_of(program, from).value(), part.to = op_of(program, to).value();
  return part;
}

Program repaired(const Program& program, const std::vector<RepairPart>& parts) {
  auto result = fix::with_repairs(program, parts);
  EXPECT_TRUE(result.ok()) << to_string(result.error());
  return result.ok() ? std::move(result).value() : Program();
}

size_t findings(const Program& program) {
  const auto verdict = check::check(program, {});
  EXPECT_TRUE(verdict.ok()) << to_string(verdict.error());
  return verdict.ok() ? verdict.value().findings.size() : 0;
}

std::vector<OpKind> kinds(const Program& program) {
  std::vector<OpKind> list;
  for (const Op& op : program.ops) list.push_back(op.kind);
  return list;
}

TEST(FixEditOps, WhatNamesAnOpStillNamesIt) {
  Program program = program_of(
      "stream a\nstream b\nbuffer x 64\na: kernel one writes x\na: record r\nb: wait r\n"
      "b: kernel two reads x\n");
  fix::Edits edits;
  Op added;
  added.kind = OpKind::record;
  added.stream = StreamId(0), added.actor = ActorId(0);
  edits.added = {{0, added}, {3, added}};
  edits.added[1].op.kind = OpKind::wait;
  edits.added[1].op.bound = fix::new_op(0);
  const fix::Moved moved = fix::edit_ops(&program, edits);
  EXPECT_EQ(kinds(program), (std::vector<OpKind>{OpKind::record, OpKind::kernel, OpKind::record,
                                                 OpKind::wait, OpKind::wait, OpKind::kernel}));
  EXPECT_EQ(moved.place, (std::vector<int32_t>{1, 2, 3, 5, 6}));
  EXPECT_EQ(moved.new_place, (std::vector<int32_t>{0, 4}));
  EXPECT_EQ(program.ops[4].bound, OpId(0)) << "a new op names a new one";
  EXPECT_EQ(program.ops[3].bound, OpId(2)) << "an old op names an old one";
}

TEST(FixEditOps, ARemovedOpLeavesItsPlaceToTheNext) {
  Program program =
      program_of("stream a\na: alloc x 64\na: kernel one writes x\na: free x\na: kernel two\n");
  const int32_t free = program.lifetimes[0].free.index;
  const fix::Moved moved = fix::edit_ops(&program, {{}, {free}});
  EXPECT_EQ(program.ops.size(), 3u);
  EXPECT_EQ(moved.place[static_cast<size_t>(free)], free);
  EXPECT_EQ(label_of(program, program.ops[static_cast<size_t>(free)]), "two");
}

TEST(FixApply, AnEdgeBetweenStreamsIsARecordAndAWait) {
  const Program program = program_of(
      "stream a\nstream b\nbuffer x 64\na: kernel one writes x\nb: kernel two reads x\n");
  ASSERT_EQ(findings(program), 1u);
  const Program after = repaired(program, {edge(program, "one", "two")});
  EXPECT_EQ(kinds(after),
            (std::vector<OpKind>{OpKind::kernel, OpKind::record, OpKind::wait, OpKind::kernel}));
  EXPECT_EQ(findings(after), 0u);
}

TEST(FixApply, AThreadWaitsForAnEvent) {
  const Program program = program_of(
      "stream a\nbuffer x 64\nbuffer p 64 pinned\na: copy one from p to x\n"
      "host: touch two writes p\n");
  ASSERT_EQ(findings(program), 1u);
  const Program after = repaired(program, {edge(program, "one", "two")});
  EXPECT_EQ(kinds(after),
            (std::vector<OpKind>{OpKind::copy, OpKind::record, OpKind::sync_event, OpKind::touch}));
  EXPECT_EQ(findings(after), 0u);
}

TEST(FixApply, AnAgentIsTold) {
  const Program program = program_of(
      "stream a\nagent nic\nbuffer x 64\na: kernel one writes x\nnic: touch two reads x\n");
  ASSERT_EQ(findings(program), 1u);
  EXPECT_EQ(findings(repaired(program, {edge(program, "one", "two")})), 0u);
}

TEST(FixApply, AStreamWaitsForAnAgent) {
  const Program program = program_of(
      "stream a\nagent nic\nbuffer x 64\nnic: touch one writes x\na: kernel two reads x\n");
  ASSERT_EQ(findings(program), 1u);
  EXPECT_EQ(findings(repaired(program, {edge(program, "one", "two")})), 0u);
}

TEST(FixApply, NothingWaitsForWhatIsIssuedLater) {
  const Program program = program_of(
      "stream a\nstream b\nbuffer x 64\na: kernel one writes x\nb: kernel two reads x\n");
  const RepairPart back = edge(program, "two", "one");
  const auto refused = fix::with_repairs(program, std::span(&back, 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "fix-no-edge");
}

constexpr const char* kReused =
    "stream a\nstream b\nbuffer out 64\nbuffer kept 64\n"
    "a: alloc old 64\na: kernel make writes old\na: record made\nb: wait made\n"
    "b: kernel use reads old writes out\na: free old\n"
    "a: alloc young 64 over old\na: kernel again writes young\na: kernel keep reads young writes "
    "kept\n"
    "b: record used\na: wait used\na: free young\n"
    "a: alloc last 64 over old\na: kernel end writes last\n";

// Held until the wait, the block is given back there: who got its bytes meanwhile gets others, who
// gets them later does not.
TEST(FixApply, AHeldBlockIsGivenBackLater) {
  const Program program = program_of(kReused);
  ASSERT_EQ(findings(program), 1u);
  RepairPart part;
  part.kind = RepairKind::lifetime;
  part.lifetime = LifetimeId(2);
  ASSERT_EQ(program.lifetimes[2].name, "old");
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (program.ops[i].kind == OpKind::wait && program.ops[i].stream == StreamId(0))
      part.until = {GraphId(), static_cast<int32_t>(i) + 1};
  EXPECT_EQ(fix::moved_by(program, part), (std::vector<LifetimeId>{LifetimeId(3)}));
  const Program after = repaired(program, {part});
  EXPECT_EQ(findings(after), 0u);
  EXPECT_EQ(after.ops.size(), program.ops.size());
  const Lifetime& old = after.lifetimes[2];
  EXPECT_EQ(after.ops[static_cast<size_t>(old.free.index)].kind, OpKind::free);
  EXPECT_EQ(after.ops[static_cast<size_t>(old.free.index)].lifetime, LifetimeId(2));
  EXPECT_FALSE(after.lifetimes[3].pieces[0].range.overlaps(old.pieces[0].range));
  EXPECT_EQ(after.lifetimes[4].pieces[0].range, old.pieces[0].range);
}

TEST(FixApply, ABlockThatIsHeldForGoodIsNoOutputForThat) {
  const Program program = program_of(kReused);
  RepairPart part;
  part.kind = RepairKind::lifetime;
  part.lifetime = LifetimeId(2);
  EXPECT_EQ(fix::moved_by(program, part).size(), 2u);
  const Program after = repaired(program, {part});
  EXPECT_FALSE(after.lifetimes[2].free.known());
  EXPECT_TRUE(after.lifetimes[2].scratch);
  EXPECT_EQ(findings(after), 0u);
}

TEST(FixApply, MemoryOfItsOwnMovesAllAccesses) {
  const Program program = program_of(kReused);
  RepairPart part;
  part.kind = RepairKind::separate;
  part.lifetime = LifetimeId(3);
  const Program after = repaired(program, {part});
  const ByteRange own = after.lifetimes[3].pieces[0].range;
  EXPECT_EQ(own.size(), 64u);
  int64_t moved = 0;
  for (const Access& access : after.accesses) {
    if (access.lifetime != LifetimeId(3)) continue;
    EXPECT_TRUE(own.contains(access.range));
    ++moved;
  }
  EXPECT_EQ(moved, 2);
}

TEST(FixApply, APointerIntoABlockMovesWithIt) {
  Program program = program_of(kReused);
  std::vector<uint64_t> into;
  for (Access& access : program.accesses)
    if (access.lifetime == LifetimeId(3)) {
      into.push_back(8 * into.size());
      access.address = access.range.begin + into.back();
    }
  RepairPart part;
  part.kind = RepairKind::separate;
  part.lifetime = LifetimeId(3);
  std::vector<uint64_t> moved;
  const Program after = repaired(program, {part});
  for (const Access& access : after.accesses)
    if (access.lifetime == LifetimeId(3)) moved.push_back(access.address - access.range.begin);
  EXPECT_EQ(moved, into);
}

}  // namespace
}  // namespace bohr::test

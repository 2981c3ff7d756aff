// SPDX-License-Identifier: Apache-2.0
// The program that a case becomes: ops, bindings, lifetimes and their bytes.
#include "trace/case_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bohr::trace {
namespace {

Program must_read(const std::string& text) {
  auto program = read_case(text, "t.case");
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : to_string(program.error()));
  return program.ok() ? std::move(program).value() : Program();
}

const Lifetime& lifetime(const Program& program, const std::string& name) {
  const auto found = std::find_if(program.lifetimes.begin(), program.lifetimes.end(),
                                  [&](const Lifetime& l) { return l.name == name; });
  BOHR_CHECK(found != program.lifetimes.end());
  return *found;
}

const Op& op(const Program& program, const std::string& label) {
  const auto found = std::find_if(program.ops.begin(), program.ops.end(),
                                  [&](const Op& o) { return label_of(program, o) == label; });
  BOHR_CHECK(found != program.ops.end());
  return *found;
}

std::vector<const Op*> ops(const Program& program, OpKind kind) {
  std::vector<const Op*> found;
  for (const Op& o : program.ops) {
    if (o.kind == kind) found.push_back(&o);
  }
  return found;
}

TEST(CaseReader, DeclaresStreamsActorsAndMemory) {
  const Program p = must_read(
      "\xEF\xBB\xBF"
      "case 1\r\n\tstream a\r\nstream b blocking # comment\nstream c legacy\nstream d per-thread\n"
      "stream e nonblocking\nthread t\nagent n\npool p\nbuffer x 3\nbuffer y 2K pinned\n"
      "buffer z 1G pageable\nlive x\nscratch y\nlive later\na: alloc later 1M pool p");
  ASSERT_EQ(p.streams.size(), 5u);
  EXPECT_EQ(p.streams[0].kind, StreamKind::nonblocking);
  EXPECT_EQ(p.streams[1].kind, StreamKind::blocking);
  EXPECT_EQ(p.streams[2].kind, StreamKind::legacy);
  EXPECT_EQ(p.streams[3].kind, StreamKind::per_thread);
  EXPECT_EQ(p.streams[4].kind, StreamKind::nonblocking);
  ASSERT_EQ(p.actors.size(), 3u);
  EXPECT_EQ(p.actors[0].name, "host");
  EXPECT_EQ(p.actors[1].kind, ActorKind::thread);
  EXPECT_EQ(p.actors[2].kind, ActorKind::agent);
  EXPECT_EQ(lifetime(p, "x").bytes, 3u);
  EXPECT_EQ(lifetime(p, "y").bytes, 2048u);
  EXPECT_EQ(lifetime(p, "z").bytes, uint64_t{1} << 30);
  EXPECT_EQ(lifetime(p, "y").memory, MemoryKind::pinned);
  EXPECT_EQ(lifetime(p, "z").memory, MemoryKind::pageable);
  EXPECT_TRUE(lifetime(p, "x").buffer && lifetime(p, "x").live && !lifetime(p, "x").scratch);
  EXPECT_TRUE(lifetime(p, "y").scratch);
  EXPECT_TRUE(lifetime(p, "later").live);
  EXPECT_FALSE(lifetime(p, "later").buffer);
  EXPECT_EQ(lifetime(p, "later").pool, PoolId(0));
  EXPECT_EQ(lifetime(p, "later").owner, StreamId(0));
  EXPECT_FALSE(lifetime(p, "x").alloc.known());
  EXPECT_FALSE(lifetime(p, "later").free.known());
}

TEST(CaseReader, KeywordsMayBeNames) {
  const Program p = must_read(
      "case 1\nstream stream\nbuffer reads 4K\nbuffer pdl 4K\nbuffer over 4K\n"
      "stream: kernel kernel reads reads, pdl writes over[1K:2K]\n"
      "stream: copy from from reads to pdl\n");
  ASSERT_EQ(op(p, "kernel").access_count, 3u);
  EXPECT_EQ(accesses_of(p, op(p, "kernel"))[2].offset, 1024u);
  EXPECT_EQ(accesses_of(p, op(p, "from")).size(), 2u);
}

TEST(CaseReader, KernelClausesBecomeAccesses) {
  const Program p = must_read(
      "case 1\nstream s\nbuffer a 4K\nbuffer b 4K\n"
      "s: kernel k reads a[1K:2K],b updates a[0:1K] atomics b[8:16] early reads b writes a pdl "
      "unknown\n"
      "s: kernel plain early reads a\n");
  const Op& k = op(p, "k");
  EXPECT_TRUE(k.programmatic);
  EXPECT_TRUE(k.unknown);
  const auto accesses = accesses_of(p, k);
  ASSERT_EQ(accesses.size(), 6u);
  const AccessMode modes[] = {AccessMode::read,   AccessMode::read, AccessMode::update,
                              AccessMode::atomic, AccessMode::read, AccessMode::write};
  for (size_t i = 0; i < accesses.size(); ++i) {
    EXPECT_EQ(accesses[i].mode, modes[i]) << i;
    EXPECT_EQ(accesses[i].early, i >= 4) << i;
    EXPECT_EQ(accesses[i].certainty, Certainty::exact);
    EXPECT_EQ(accesses[i].source, AccessSource::declared);
  }
  EXPECT_EQ(accesses[0].range.size(), 1024u);
  EXPECT_EQ(accesses[0].range.begin, p.lifetimes[0].pieces[0].range.begin + 1024);
  EXPECT_EQ(accesses[3].offset, 8u);
  // Without programmatic serialisation nothing is early.
  EXPECT_FALSE(accesses_of(p, op(p, "plain"))[0].early);
}

TEST(CaseReader, RootsAreFarApart) {
  const Program p = must_read("case 1\nbuffer a 1\nbuffer b 4096\nbuffer c 2M\nbuffer d 1\n");
  for (size_t i = 1; i < p.lifetimes.size(); ++i) {
    EXPECT_GE(p.lifetimes[i].pieces[0].range.begin, p.lifetimes[i - 1].pieces[0].range.end + 4096);
  }
}

TEST(CaseReader, ViewsResolveToTheirLifetime) {
  const Program p = must_read(
      "case 1\nstream s\nbuffer a 4K\nview v of a[1K:3K]\nview w of v[512:1K]\n"
      "s: kernel k reads w[1:2]\n");
  const Access& access = accesses_of(p, op(p, "k"))[0];
  EXPECT_EQ(access.lifetime, LifetimeId(0));
  EXPECT_EQ(access.offset, 1024u + 512u + 1u);
  ASSERT_EQ(p.views.size(), 2u);
  EXPECT_EQ(p.views[1].begin, 1536u);
  EXPECT_EQ(p.views[1].end, 2048u);
}

TEST(CaseReader, CopiesReturnWhenTheirPageableSideIsDone) {
  const Program p = must_read(
      "case 1\nstream s\nbuffer d 4K\nbuffer pin 4K pinned\nbuffer pag 4K pageable\n"
      "buffer pag2 4K pageable\n"
      "s: copy c1 from d to pin\ns: copy c2 from pag to d\ns: copy c3 from d to pag\n"
      "s: copy c4 from pag to pag2\ns: copy c5 from pin to pag\n"
      "capture g on s\ns: copy c6 from pag to d\nend g\n");
  EXPECT_EQ(op(p, "c1").host_return, HostReturn::at_once);
  EXPECT_EQ(op(p, "c2").host_return, HostReturn::after_source_read);
  EXPECT_EQ(op(p, "c3").host_return, HostReturn::after_completion);
  EXPECT_EQ(op(p, "c4").host_return, HostReturn::after_completion);
  EXPECT_EQ(op(p, "c5").host_return, HostReturn::after_completion);
  EXPECT_EQ(p.graphs[0].nodes[0].host_return, HostReturn::at_once);
  const auto accesses = accesses_of(p, op(p, "c1"));
  EXPECT_EQ(accesses[0].mode, AccessMode::read);
  EXPECT_EQ(accesses[1].mode, AccessMode::write);
  EXPECT_EQ(accesses[0].source, AccessSource::copy);
}

TEST(CaseReader, WaitsAreBoundToTheNewestRecord) {
  const Program p = must_read(
      "case 1\nstream s\nstream t\nt: wait e\ns: record e\nt: wait e\ns: record e\nt: wait e\n"
      "host: sync e\nhost: sync s\nhost: sync device\nhost: sync later\nt: record later\n");
  const auto waits = ops(p, OpKind::wait);
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_FALSE(waits[0]->bound.valid());
  EXPECT_EQ(waits[1]->bound, OpId(1));
  EXPECT_EQ(waits[2]->bound, OpId(3));
  const auto syncs = ops(p, OpKind::sync_event);
  ASSERT_EQ(syncs.size(), 2u);
  EXPECT_EQ(syncs[0]->bound, OpId(3));
  EXPECT_FALSE(syncs[1]->bound.valid());
  EXPECT_EQ(ops(p, OpKind::sync_stream).at(0)->target, StreamId(0));
  EXPECT_EQ(ops(p, OpKind::sync_device).size(), 1u);
}

TEST(CaseReader, ActorsIssueAndSignal) {
  const Program p = must_read(
      "case 1\nthread t\nagent n\nstream s\nbuffer b 4K\n"
      "@t s: fill f b\ns: fill g b\nt: signal go\nn: await go\nn: touch x writes b\n"
      "n: signal go\nhost: await go\n");
  EXPECT_EQ(op(p, "f").actor, ActorId(1));
  EXPECT_EQ(op(p, "g").actor, ActorId(0));
  EXPECT_EQ(op(p, "x").actor, ActorId(2));
  EXPECT_FALSE(op(p, "x").stream.valid());
  const auto awaits = ops(p, OpKind::await);
  ASSERT_EQ(awaits.size(), 2u);
  EXPECT_EQ(awaits[0]->bound, OpId(2));
  EXPECT_EQ(awaits[1]->bound, OpId(5));
  EXPECT_EQ(op(p, "g").enter, 7);
}

TEST(CaseReader, OverLiesOnTheOldBytes) {
  const Program p = must_read(
      "case 1\nstream s\ns: alloc a 8K\ns: free a\ns: alloc b 2K over a+1K\ns: free b\n"
      "s: alloc c 1K over b+512\n");
  const ByteRange a = lifetime(p, "a").pieces[0].range;
  ASSERT_EQ(lifetime(p, "b").pieces.size(), 1u);
  EXPECT_EQ(lifetime(p, "b").pieces[0].range, (ByteRange{a.begin + 1024, a.begin + 3072}));
  EXPECT_EQ(lifetime(p, "c").pieces[0].range, (ByteRange{a.begin + 1536, a.begin + 2560}));
  EXPECT_EQ(lifetime(p, "a").alloc.index, 0);
  EXPECT_EQ(lifetime(p, "a").free.index, 1);
  EXPECT_EQ(lifetime(p, "b").alloc.index, 2);
  EXPECT_FALSE(lifetime(p, "b").alloc.graph.valid());
}

TEST(CaseReader, TailBeyondTheOldEndIsFresh) {
  const Program p = must_read(
      "case 1\nstream s\ns: alloc a 4K\ns: alloc behind 4K\ns: free a\n"
      "s: alloc b 8K over a+1K\ns: kernel k writes b[2K:5K]\ns: kernel whole reads b\n"
      "s: free b\ns: alloc c 8K over b+2K\n");
  const Lifetime& b = lifetime(p, "b");
  ASSERT_EQ(b.pieces.size(), 2u);
  EXPECT_EQ(b.pieces[0].range.size(), 3072u);
  EXPECT_EQ(b.pieces[1].offset, 3072u);
  EXPECT_EQ(b.pieces[1].range.size(), 5120u);
  for (const char* other : {"a", "behind"}) {
    EXPECT_FALSE(b.pieces[1].range.overlaps(lifetime(p, other).pieces[0].range)) << other;
  }
  const auto accesses = accesses_of(p, op(p, "k"));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].range.end, b.pieces[0].range.end);
  EXPECT_EQ(accesses[0].offset, 2048u);
  EXPECT_EQ(accesses[1].range,
            (ByteRange{b.pieces[1].range.begin, b.pieces[1].range.begin + 2048}));
  EXPECT_EQ(accesses[1].offset, 3072u);
  EXPECT_EQ(accesses_of(p, op(p, "whole")).size(), 2u);
  // 1K of a's piece, 5K of b's tail, 2K of its own.
  const Lifetime& c = lifetime(p, "c");
  ASSERT_EQ(c.pieces.size(), 3u);
  EXPECT_EQ(c.pieces[0].range.size(), 1024u);
  EXPECT_EQ(c.pieces[1].range, b.pieces[1].range);
  EXPECT_EQ(c.pieces[2].range.size(), 2048u);
}

TEST(CaseReader, PartsOfAFreedBlockAreHandedOutSideBySide) {
  const Program p = must_read(
      "case 1\nstream s\ns: alloc a 8K\ns: free a\ns: alloc b 4K over a\n"
      "s: alloc c 4K over a+4K\ns: free b\ns: alloc d 2K over a+1K\n");
  EXPECT_FALSE(lifetime(p, "b").pieces[0].range.overlaps(lifetime(p, "c").pieces[0].range));
  EXPECT_TRUE(lifetime(p, "d").pieces[0].range.overlaps(lifetime(p, "b").pieces[0].range));
}

TEST(CaseReader, UsesMakeHiddenRecordsAndWaits) {
  const Program p = must_read(
      "case 1\nthread gc\nstream s\nstream t\nstream u\nbuffer x 4K\n"
      "s: alloc a 4K\nt: uses a\nt: uses a\nu: uses a\ns: uses a\n"
      "@gc s: free a\ns: alloc b 2K over a\nu: alloc c 2K over a+2K\n");
  const Lifetime& a = lifetime(p, "a");
  ASSERT_EQ(a.use_records.size(), 2u);
  for (const OpId id : a.use_records) {
    const Op& record = p.ops[id.index()];
    EXPECT_EQ(record.kind, OpKind::record);
    EXPECT_TRUE(record.hidden);
    EXPECT_EQ(record.actor, ActorId(1));
    EXPECT_LT(id.value(), a.free.index);
  }
  EXPECT_EQ(p.ops[a.use_records[0].index()].stream, StreamId(1));
  EXPECT_EQ(p.ops[a.use_records[1].index()].stream, StreamId(2));
  EXPECT_EQ(p.ops[static_cast<size_t>(a.free.index)].kind, OpKind::free);
  const auto waits = ops(p, OpKind::wait);
  // b's stream waits for both; c's stream is itself one of the two.
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_EQ(waits[0]->stream, StreamId(0));
  EXPECT_EQ(waits[0]->bound, a.use_records[0]);
  EXPECT_EQ(waits[1]->bound, a.use_records[1]);
  EXPECT_EQ(waits[2]->stream, StreamId(2));
  EXPECT_EQ(waits[2]->bound, a.use_records[0]);
  EXPECT_TRUE(waits[2]->hidden);
  EXPECT_EQ(p.ops[static_cast<size_t>(lifetime(p, "b").alloc.index)].kind, OpKind::alloc);
}

TEST(CaseReader, AFreeStandsOnItsOwnersStream) {
  const Program p =
      must_read("case 1\nthread gc\nstream s\nstream t\ns: alloc a 4K\n@gc t: free a\n");
  const Op& free = p.ops[static_cast<size_t>(lifetime(p, "a").free.index)];
  EXPECT_EQ(free.stream, StreamId(0));
  EXPECT_EQ(free.actor, ActorId(1));
}

TEST(CaseReader, LaunchesNameTheOneExecOfTheirGraph) {
  const Program p = must_read(
      "case 1\nstream s\nstream t\nbuffer x 4K\ncapture a on s\ns: fill f x\nend a\n"
      "s: fill between x\ncapture b on s\ns: fill g x\nend b\ns: launch a\nt: launch b\n"
      "t: launch a\n");
  const auto launches = ops(p, OpKind::launch);
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(p.exec_count, 2);
  EXPECT_EQ(launches[0]->exec, launches[2]->exec);
  EXPECT_NE(launches[0]->exec, launches[1]->exec);
  EXPECT_EQ(launches[1]->graph, GraphId(1));
  EXPECT_EQ(p.graphs[0].end.index, 0);
  EXPECT_EQ(p.graphs[1].begin.index, 1);
  EXPECT_FALSE(p.graphs[1].begin.graph.valid());
}

TEST(CaseReader, ExpectationsKeepTheirWords) {
  const Program p = must_read(
      "case 1\nstream s\nstream t\nbuffer x 4K\nview v of x\ns: alloc a 4K\nt: fill k a\n"
      "s: free a\ncapture g on s\ns: fill n x\nend g\ns: launch g\nt: launch g\n"
      "expect hazard WAW k a class lifetime\nexpect hazard RAW n n@2 on v class launch\n"
      "expect hazard WAR k a\nexpect others\nexpect witness\nexpect fix edge k -> n@2\n"
      "expect fix lifetime a\n");
  ASSERT_EQ(p.expectations.size(), 7u);
  EXPECT_EQ(p.expectations[0].word, "WAW");
  EXPECT_EQ(p.expectations[0].second, "a");
  EXPECT_EQ(p.expectations[0].cls, "lifetime");
  EXPECT_EQ(p.expectations[1].second, "n@2");
  EXPECT_EQ(p.expectations[1].on, "v");
  EXPECT_EQ(p.expectations[1].line, 15);
  EXPECT_EQ(p.expectations[3].kind, ExpectKind::others);
  EXPECT_EQ(p.expectations[4].kind, ExpectKind::witness);
  EXPECT_EQ(p.expectations[5].kind, ExpectKind::fix_edge);
  EXPECT_EQ(p.expectations[5].second, "n@2");
  EXPECT_EQ(p.expectations[6].first, "a");
  const Program q = must_read("case 1\nexpect incomplete unknown-access\n");
  EXPECT_EQ(q.expectations[0].word, "unknown-access");
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Captures, graphs, execs and launches on the simulated GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/sim/serial.h"
#include "sim_fixture.h"

namespace bohr::gpu::sim {
namespace {

using Lines = std::vector<std::string>;

// A capture that forks to a side stream and joins it, with or without the edge that orders the
// reader on the side behind the writer on the main stream.
struct Forked {
  Stream main, side;
  Event forked, written, joined;
  Words x, y, z;
};

Result<Forked> forked_memory(Runtime& gpu) {
  Forked f;
  f.main = gpu.make_stream({.name = "main"});
  f.side = gpu.make_stream({.name = "side"});
  f.forked = gpu.make_event();
  f.written = gpu.make_event();
  f.joined = gpu.make_event();
  BOHR_TRY(x, device_words(gpu, f.main, 256, "x"));
  BOHR_TRY(y, device_words(gpu, f.main, 256, "y"));
  BOHR_TRY(z, device_words(gpu, f.main, 256, "z"));
  f.x = x, f.y = y, f.z = z;
  return f;
}

Result<Graph> capture_forked(Runtime& gpu, const Forked& f, bool ordered, uint32_t tag = 1) {
  BOHR_TRY_STATUS(gpu.begin_capture(f.main, Pool(), "step"));
  BOHR_TRY_STATUS(gpu.record(f.forked, f.main));
  BOHR_TRY_STATUS(gpu.wait(f.side, f.forked));
  BOHR_TRY_STATUS(gpu.launch(hash_words("write", tag, {}, f.x), f.main));
  BOHR_TRY_STATUS(gpu.record(f.written, f.main));
  if (ordered) BOHR_TRY_STATUS(gpu.wait(f.side, f.written));
  BOHR_TRY_STATUS(gpu.launch(hash_words("read", 2, {f.x}, f.y), f.side));
  BOHR_TRY_STATUS(gpu.record(f.joined, f.side));
  BOHR_TRY_STATUS(gpu.wait(f.main, f.joined));
  BOHR_TRY_STATUS(gpu.launch(hash_words("use", 3, {f.y}, f.z), f.main));
  return gpu.end_capture(f.main);
}

ProgramText forked_program(bool ordered, int launches) {
  return [=](Runtime& gpu) -> Status {
    BOHR_TRY(f, forked_memory(gpu));
    BOHR_TRY(graph, capture_forked(gpu, f, ordered));
    BOHR_TRY(exec, gpu.instantiate(graph));
    for (int i = 0; i < launches; ++i) BOHR_TRY_STATUS(gpu.launch(exec, f.main));
    return gpu.sync_stream(f.main);
  };
}

TEST(SimGraph, AMissingEdgeInACaptureIsARace) {
  EXPECT_EQ(findings_of(verdict_of(run_program(forked_program(false, 2)))),
            Lines{"RAW write read data"});
  const Verdict clean = verdict_of(run_program(forked_program(true, 2)));
  EXPECT_EQ(findings_of(clean), Lines{});
  EXPECT_EQ(clean.outcome, Outcome::clean);
}

TEST(SimGraph, TheCaptureHasItsNodesAndEdges) {
  const Ran ran = run_program(forked_program(true, 1));
  ASSERT_EQ(ran.program.graphs.size(), 1u);
  const bohr::Graph& graph = ran.program.graphs[0];
  EXPECT_EQ(graph.name, "step");
  EXPECT_TRUE(graph.fully_read);
  ASSERT_EQ(graph.nodes.size(), 3u);
  std::vector<std::pair<int, int>> edges;
  for (const Edge& edge : graph.edges) edges.emplace_back(edge.from.value(), edge.to.value());
  std::sort(edges.begin(), edges.end());
  EXPECT_EQ(edges, (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 2}}));
  for (const bohr::Access& access : graph.accesses)
    EXPECT_EQ(access.source, AccessSource::declared);
  EXPECT_EQ(graph.accesses.size(), 5u);
}

// A captured kernel does not run until its graph is launched, and then as often as that.
TEST(SimGraph, NodesRunAtEachLaunch) {
  for (const int launches : {0, 1, 3}) {
    Words total;
    const Ran ran = run_program([&](Runtime& gpu) -> Status {
      const Stream s = gpu.make_stream({});
      BOHR_TRY(one, device_words(gpu, s, 1, "one"));
      BOHR_TRY(sum, device_words(gpu, s, 1, "sum"));
      total = sum;
      BOHR_TRY_STATUS(gpu.fill(one.address, 1, 1, s));
      BOHR_TRY_STATUS(gpu.begin_capture(s, Pool(), "sum"));
      BOHR_TRY_STATUS(gpu.launch(sum_words("sum", one, sum), s));
      BOHR_TRY(graph, gpu.end_capture(s));
      BOHR_TRY(exec, gpu.instantiate(graph));
      for (int i = 0; i < launches; ++i) BOHR_TRY_STATUS(gpu.launch(exec, s));
      return Nothing{};
    });
    EXPECT_EQ(ran.words(total)[0], static_cast<uint32_t>(launches));
  }
}

// An update changes what later launches run, not earlier ones, and the checker knows versions.
TEST(SimGraph, AnUpdateMakesANewVersion) {
  Words z;
  const Ran ran = run_program([&](Runtime& gpu) -> Status {
    BOHR_TRY(f, forked_memory(gpu));
    z = f.z;
    BOHR_TRY(first, capture_forked(gpu, f, true, 1));
    BOHR_TRY(second, capture_forked(gpu, f, true, 9));
    BOHR_TRY(exec, gpu.instantiate(first));
    BOHR_TRY_STATUS(gpu.launch(exec, f.main));
    BOHR_TRY_STATUS(gpu.update(exec, second));
    return gpu.launch(exec, f.main);
  });
  std::vector<const Op*> launches;
  for (const Op& op : ran.program.ops)
    if (op.kind == bohr::OpKind::launch) launches.push_back(&op);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0]->exec, launches[1]->exec);
  EXPECT_NE(launches[0]->graph, launches[1]->graph);
  EXPECT_EQ(findings_of(verdict_of(ran)), Lines{});

  Words expected;
  const Ran other = run_program([&](Runtime& gpu) -> Status {
    BOHR_TRY(f, forked_memory(gpu));
    expected = f.z;
    BOHR_TRY(graph, capture_forked(gpu, f, true, 9));
    BOHR_TRY(exec, gpu.instantiate(graph));
    return gpu.launch(exec, f.main);
  });
  EXPECT_EQ(ran.words(z), other.words(expected));
}

TEST(SimGraph, OtherParametersMakeANewVersion) {
  Words a, b;
  const Ran ran = run_program([&](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    BOHR_TRY(da, device_words(gpu, s, 8, "a"));
    BOHR_TRY(db, device_words(gpu, s, 8, "b"));
    a = da, b = db;
    BOHR_TRY_STATUS(gpu.begin_capture(s, Pool(), "one"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("write", 7, {}, da), s));
    BOHR_TRY(graph, gpu.end_capture(s));
    BOHR_TRY(exec, gpu.instantiate(graph));
    BOHR_TRY_STATUS(gpu.launch(exec, s));
    BOHR_TRY_STATUS(gpu.set_params(exec, 0, hash_words("write", 7, {}, db)));
    return gpu.launch(exec, s);
  });
  EXPECT_EQ(ran.words(a), ran.words(b));
  EXPECT_NE(ran.words(a), std::vector<uint32_t>(8));
  ASSERT_EQ(ran.program.graphs.size(), 2u);
  EXPECT_NE(ran.program.graphs[0].accesses[0].lifetime, ran.program.graphs[1].accesses[0].lifetime);
}

TEST(SimGraph, AnUpdateWithOtherEdgesIsRefused) {
  const Error error = error_of([](Runtime& gpu) -> Status {
    BOHR_TRY(f, forked_memory(gpu));
    BOHR_TRY(first, capture_forked(gpu, f, true));
    BOHR_TRY(second, capture_forked(gpu, f, false));
    BOHR_TRY(exec, gpu.instantiate(first));
    return gpu.update(exec, second);
  });
  EXPECT_EQ(error.code, "graph-update");
}

TEST(SimGraph, MisuseOfACaptureIsNamed) {
  const auto misuse = [](const std::function<Status(Runtime&, Stream, Stream)>& text) {
    return error_of([&](Runtime& gpu) -> Status {
             const Stream a = gpu.make_stream({});
             const Stream b = gpu.make_stream({});
             return text(gpu, a, b);
           })
        .code;
  };
  EXPECT_EQ(misuse([](Runtime& gpu, Stream a, Stream) -> Status {
              BOHR_TRY_STATUS(gpu.begin_capture(a, Pool(), "g"));
              return gpu.sync_device();
            }),
            "capture-call");
  EXPECT_EQ(misuse([](Runtime& gpu, Stream a, Stream) -> Status {
              BOHR_TRY_STATUS(gpu.begin_capture(a, Pool(), "g"));
              EXPECT_FALSE(gpu.sync_device().ok());
              BOHR_TRY(graph, gpu.end_capture(a));
              return graph.valid() ? Status(Nothing{}) : gpu.sync_device();
            }),
            "capture-invalid");
  EXPECT_EQ(misuse([](Runtime& gpu, Stream a, Stream) -> Status {
              BOHR_TRY_STATUS(gpu.begin_capture(a, Pool(), "g"));
              return gpu.begin_capture(a, Pool(), "h");
            }),
            "capture-begin");
  EXPECT_EQ(misuse([](Runtime& gpu, Stream a, Stream b) -> Status {
              BOHR_TRY_STATUS(gpu.begin_capture(a, Pool(), "g"));
              BOHR_TRY(graph, gpu.end_capture(b));
              return graph.valid() ? Status(Nothing{}) : gpu.sync_device();
            }),
            "capture-end");
  EXPECT_EQ(misuse([](Runtime& gpu, Stream a, Stream b) -> Status {
              const Event e = gpu.make_event();
              BOHR_TRY_STATUS(gpu.record(e, b));
              BOHR_TRY_STATUS(gpu.begin_capture(a, Pool(), "g"));
              return gpu.wait(a, e);
            }),
            "capture-isolation");
  EXPECT_EQ(misuse([](Runtime& gpu, Stream a, Stream b) -> Status {
              const Event e = gpu.make_event();
              BOHR_TRY(x, device_words(gpu, a, 8, "x"));
              BOHR_TRY_STATUS(gpu.begin_capture(a, Pool(), "g"));
              BOHR_TRY_STATUS(gpu.record(e, a));
              BOHR_TRY_STATUS(gpu.wait(b, e));
              BOHR_TRY_STATUS(gpu.launch(hash_words("k", 1, {}, x), b));
              BOHR_TRY(graph, gpu.end_capture(a));
              return graph.valid() ? Status(Nothing{}) : gpu.sync_device();
            }),
            "capture-unjoined");
}

// A programmatic kernel reads y early, before the kernel in front of it has to be done.
ProgramText overlapping(bool early_reads_output) {
  return [=](Runtime& gpu) -> Status {
    const Stream s = gpu.make_stream({});
    BOHR_TRY(x, device_words(gpu, s, 64, "x"));
    BOHR_TRY(y, device_words(gpu, s, 64, "y"));
    BOHR_TRY(z, device_words(gpu, s, 64, "z"));
    BOHR_TRY_STATUS(gpu.begin_capture(s, Pool(), "pdl"));
    BOHR_TRY_STATUS(gpu.launch(hash_words("first", 1, {}, x), s));
    BOHR_TRY_STATUS(gpu.launch(hash_words_overlapping("second", 2, early_reads_output ? x : y,
                                                      early_reads_output ? y : x, z),
                               s));
    BOHR_TRY(graph, gpu.end_capture(s));
    BOHR_TRY(exec, gpu.instantiate(graph));
    return gpu.launch(exec, s);
  };
}

TEST(SimGraph, AnEarlyReadOfTheKernelInFrontIsARace) {
  const Ran race = run_program(overlapping(true));
  EXPECT_EQ(findings_of(verdict_of(race)), Lines{"RAW first second data"});
  const Verdict clean = verdict_of(run_program(overlapping(false)));
  EXPECT_EQ(findings_of(clean), Lines{});
  EXPECT_EQ(clean.outcome, Outcome::clean);
  const std::vector<Item> items = items_of(race.sim->tape());
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[1].part, Part::early);
  EXPECT_EQ(items[2].part, Part::rest);
}

// The early part before the kernel in front, and behind it: other bytes; what the rest reads is
// the same in both.
TEST(SimGraph, TheEarlyPartHasAPlaceOfItsOwnInAnOrder) {
  for (const bool race : {true, false}) {
    const Ran ran = run_program(overlapping(race));
    const std::vector<Item> items = items_of(ran.sim->tape());
    const auto all = [&](const std::vector<Item>& order) {
      EXPECT_TRUE(run_serial(ran.sim->tape(), order, 1, &ran.sim->arena()).ok());
      return ran.sim->arena().save();
    };
    const bool same = all(items) == all({items[1], items[0], items[2]});
    EXPECT_EQ(same, !race);
  }
}

}  // namespace
}  // namespace bohr::gpu::sim

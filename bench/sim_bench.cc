// SPDX-License-Identifier: Apache-2.0
// The simulated GPU: kernels per second, serially and in virtual time; replays per second of its
// replayer by program size; and whole explorations of a captured program with one race.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "check/check.h"
#include "explore/explore.h"
#include "gpu/sim/kernels.h"
#include "gpu/sim/serial.h"
#include "gpu/sim/sim.h"
#include "replay/sim/replayer.h"
#include "trace/import.h"
#include "trace/log_reader.h"

namespace bohr::bench {
namespace {

namespace sim = gpu::sim;

constexpr size_t kStreams = 4;

sim::ArenaSizes memory() { return {uint64_t{64} << 20, 1 << 16, 1 << 16}; }

// One captured graph of `kernels` kernels of `blocks` blocks on four streams. Each stream works on
// a ring of buffers of its own, and every eighth kernel takes a buffer of the next stream, for
// which it waits; the last of these waits is left out where `racy`.
Status write_program(gpu::Runtime& gpu, size_t kernels, uint64_t blocks, bool racy) {
  const uint64_t words = blocks * sim::kWordsPerBlock;
  std::vector<gpu::Stream> streams;
  std::vector<std::vector<sim::Words>> rings(kStreams);
  for (size_t s = 0; s < kStreams; ++s)
    streams.push_back(gpu.make_stream({.name = "s" + std::to_string(s)}));
  for (std::vector<sim::Words>& ring : rings) {
    for (int i = 0; i < 4; ++i) {
      BOHR_TRY(address, gpu.alloc(words * sizeof(uint32_t), streams[0], "buffer"));
      ring.push_back({address, words});
    }
  }
  const auto order = [&](size_t earlier, size_t later) -> Status {
    const gpu::Event event = gpu.make_event();
    BOHR_TRY_STATUS(gpu.record(event, streams[earlier]));
    return gpu.wait(streams[later], event);
  };
  BOHR_TRY_STATUS(gpu.begin_capture(streams[0], gpu::Pool(), "bench"));
  for (size_t s = 1; s < kStreams; ++s) BOHR_TRY_STATUS(order(0, s));
  for (size_t i = 0; i < kernels; ++i) {
    const size_t s = i % kStreams, next = (s + 1) % kStreams;
    const bool takes = i % 8 == 7;
    const bool last = i + 8 >= kernels;
    if (takes && !(racy && last)) BOHR_TRY_STATUS(order(next, s));
    const sim::Words in = takes ? rings[next][(i / kStreams + 1) % 4] : rings[s][i / kStreams % 4];
    const sim::Words out = takes ? rings[s][3] : rings[s][(i / kStreams + 1) % 4];
    BOHR_TRY_STATUS(
        gpu.launch(sim::hash_words("k", static_cast<uint32_t>(i), {in}, out), streams[s]));
    if (takes && !(racy && last)) BOHR_TRY_STATUS(order(s, next));
  }
  for (size_t s = 1; s < kStreams; ++s) BOHR_TRY_STATUS(order(s, 0));
  BOHR_TRY(graph, gpu.end_capture(streams[0]));
  BOHR_TRY(exec, gpu.instantiate(graph));
  BOHR_TRY_STATUS(gpu.launch(exec, streams[0]));
  return gpu.sync_device();
}

struct Recorded {
  std::unique_ptr<sim::Sim> sim;
  Program program;
};

Recorded recorded(size_t kernels, uint64_t blocks, bool racy) {
  namespace fs = std::filesystem;
  const std::string path =
      (fs::temp_directory_path() / ("bohr-sim-bench-" + std::to_string(getpid()))).string();
  fs::remove(path);
  sim::Options options;
  options.log = path;
  options.memory = memory();
  Recorded result;
  result.sim = sim::Sim::create(options).value();
  BOHR_CHECK(write_program(*result.sim, kernels, blocks, racy).ok());
  BOHR_CHECK(result.sim->finish().ok());
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  fs::remove(path);
  result.program = trace::import_log(trace::read_log(bytes, "bench").value()).value();
  return result;
}

std::unique_ptr<replay::Replayer> replayer_of(const Recorded& run) {
  auto replayer = replay::sim_replayer(run.program, run.sim->tape(), {}, memory());
  BOHR_CHECK(replayer.ok() && replayer.value()->learn().ok());
  return std::move(replayer).value();
}

benchmark::Counter rate(double count) { return {count, benchmark::Counter::kIsRate}; }

void count_kernels(benchmark::State& state) {
  state.counters["kernels/s"] =
      rate(static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)));
}

void serial(benchmark::State& state) {
  const Recorded run =
      recorded(static_cast<size_t>(state.range(0)), static_cast<uint64_t>(state.range(1)), false);
  const sim::Tape& tape = run.sim->tape();
  const std::vector<sim::Item> order = sim::items_of(tape);
  for (auto _ : state) BOHR_CHECK(sim::run_serial(tape, order, 1, &run.sim->arena()).ok());
  count_kernels(state);
}
BENCHMARK(serial)->Args({1000, 1})->Args({1000, 16})->Unit(benchmark::kMillisecond);

void concurrent(benchmark::State& state) {
  const Recorded run =
      recorded(static_cast<size_t>(state.range(0)), static_cast<uint64_t>(state.range(1)), false);
  uint64_t seed = 0;
  for (auto _ : state)
    BOHR_CHECK(sim::run_concurrent(run.sim->tape(), {}, ++seed, &run.sim->arena()).ok());
  count_kernels(state);
}
BENCHMARK(concurrent)->Args({1000, 1})->Args({1000, 16})->Unit(benchmark::kMillisecond);

// From the first call of the program to the log on disk and back to a program.
void record_and_import(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(recorded(static_cast<size_t>(state.range(0)), 1, false).program);
  count_kernels(state);
}
BENCHMARK(record_and_import)->Arg(1000)->Unit(benchmark::kMillisecond);

void replays(benchmark::State& state, bool stepwise) {
  const auto replayer = replayer_of(recorded(static_cast<size_t>(state.range(0)), 1, false));
  std::vector<int32_t> order(replayer->steps().size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  replay::Request request;
  request.order = order;
  request.stepwise = stepwise;
  for (auto _ : state) BOHR_CHECK(replayer->run(request).ok());
  state.counters["replays/s"] = rate(static_cast<double>(state.iterations()));
}
void replay_whole(benchmark::State& state) { replays(state, false); }
void replay_stepwise(benchmark::State& state) { replays(state, true); }
BENCHMARK(replay_whole)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(replay_stepwise)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

void explore_a_race(benchmark::State& state) {
  const Recorded run = recorded(static_cast<size_t>(state.range(0)), 1, true);
  const Verdict verdict = check::check(run.program, {}).value();
  const auto replayer = replayer_of(run);
  for (auto _ : state) {
    const auto explored = explore::explore(*replayer, verdict, {});
    BOHR_CHECK(explored.ok());
    state.counters["replays"] = static_cast<double>(explored.value().replays);
    state.counters["witnesses"] = static_cast<double>(explored.value().witnesses.size());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(explore_a_race)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bohr::bench

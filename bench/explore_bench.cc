// SPDX-License-Identifier: Apache-2.0
// Replays of symbolic memory by program size, the orders they are made in, and whole explorations
// of a program with one race.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "bench/programs.h"
#include "check/check.h"
#include "explore/equivalence.h"
#include "explore/explore.h"
#include "replay/symbolic/replayer.h"

namespace bohr::bench {
namespace {

std::unique_ptr<replay::Replayer> replayer_of(Program program) {
  auto replayer = replay::symbolic_replayer(std::move(program));
  BOHR_CHECK(replayer.ok());
  BOHR_CHECK(replayer.value()->learn().ok());
  return std::move(replayer).value();
}

// Symbolic memory tells nodes apart by their labels.
Program sized(const benchmark::State& state) {
  Program program = graph_program(static_cast<int32_t>(state.range(0)), 8, 10, 16, 1);
  for (Op& node : program.graphs[0].nodes) {
    node.label = NameId(program.names.size());
    program.names.push_back("kernel" + std::to_string(program.names.size()));
  }
  return program;
}

void replays(benchmark::State& state, bool stepwise) {
  const auto replayer = replayer_of(sized(state));
  explore::Schedule order(replayer->steps().size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  replay::Request request;
  request.order = order;
  request.stepwise = stepwise;
  for (auto _ : state) benchmark::DoNotOptimize(replayer->run(request));
  state.counters["replays/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
void replay_whole(benchmark::State& state) { replays(state, false); }
void replay_stepwise(benchmark::State& state) { replays(state, true); }
BENCHMARK(replay_whole)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);
BENCHMARK(replay_stepwise)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);

void order_of_steps(benchmark::State& state) {
  const Program program = sized(state);
  for (auto _ : state) benchmark::DoNotOptimize(order::step_order(program, false));
}
BENCHMARK(order_of_steps)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

void covering_order(benchmark::State& state) {
  const auto order = order::step_order(sized(state), false).value();
  const explore::Schedule base = explore::issue_schedule(order);
  for (auto _ : state) benchmark::DoNotOptimize(explore::with_chain_delayed(order, base, 0));
}
BENCHMARK(covering_order)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

// A graph without the edges into one of its joins, the first one that makes a race.
Program with_a_race(const Program& right) {
  const auto nodes = static_cast<int32_t>(right.graphs[0].nodes.size());
  for (int32_t join = nodes / 2; join < nodes; ++join) {
    Program program = right;
    std::erase_if(program.graphs[0].edges,
                  [&](const Edge& edge) { return edge.to.value() == join; });
    if (!check::check(program, {}).value().findings.empty()) return program;
  }
  BOHR_CHECK(false);
  return right;
}

// The explorer is told what the check found.
void explore_a_race(benchmark::State& state) {
  const Program program = with_a_race(sized(state));
  const Verdict verdict = check::check(program, {}).value();
  const auto replayer = replayer_of(program);
  for (auto _ : state) {
    const auto explored = explore::explore(*replayer, verdict, {});
    state.counters["replays"] = static_cast<double>(explored.value().replays);
    state.counters["witnesses"] = static_cast<double>(explored.value().witnesses.size());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(explore_a_race)
    ->Arg(100)
    ->Arg(1000)
    ->Arg(10000)
    ->Arg(100000)
    ->Unit(benchmark::kMillisecond);

// Every node updates one block besides, atomically (0), or plainly and unordered with others (1):
// what looks at all pairs of uses of a block shows here.
void explore_a_hot_block(benchmark::State& state) {
  Program program = sized(state);
  const LifetimeId hot(program.lifetimes.size());
  program.lifetimes.push_back(program.lifetimes.back());
  const ByteRange range{uint64_t{1} << 60, (uint64_t{1} << 60) + 64};
  program.lifetimes.back().pieces = {{range, 0}};
  Graph& graph = program.graphs[0];
  for (const Op& node : graph.nodes) {
    Access& access = graph.accesses[node.access_begin + node.access_count - 1];
    access.lifetime = hot;
    access.range = range;
    access.mode = state.range(1) == 0 ? AccessMode::atomic : AccessMode::update;
  }
  const auto replayer = replayer_of(program);
  for (auto _ : state) {
    const auto explored = explore::explore(*replayer, {}, {.budget = 100});
    state.counters["replays"] = static_cast<double>(explored.value().replays);
  }
}
BENCHMARK(explore_a_hot_block)
    ->ArgsProduct({{1000, 10000, 100000}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bohr::bench

// SPDX-License-Identifier: Apache-2.0
// The check: a large graph, eager traces of two sizes, and one launch against a thousand.
#include <benchmark/benchmark.h>

#include "bench/programs.h"
#include "check/check.h"

namespace bohr::bench {
namespace {

void run(benchmark::State& state, const Program& program) {
  for (auto _ : state) {
    auto verdict = check::check(program, {});
    benchmark::DoNotOptimize(verdict);
    state.counters["findings"] = static_cast<double>(verdict.value().findings.size());
  }
  state.counters["ops"] = static_cast<double>(program.ops.size());
}

void graph_10k_nodes(benchmark::State& state) { run(state, graph_program(10000, 8, 10, 16, 1)); }
BENCHMARK(graph_10k_nodes)->Unit(benchmark::kMillisecond);

void eager(benchmark::State& state) {
  run(state, eager_program(static_cast<int32_t>(state.range(0)), 8, 10));
}
BENCHMARK(eager)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)->Iterations(1);

void racy_100k_ops(benchmark::State& state) { run(state, racy_program(100000, 8, 100)); }
BENCHMARK(racy_100k_ops)->Unit(benchmark::kMillisecond)->Iterations(1);

void launches_of_5k_nodes(benchmark::State& state) {
  run(state, graph_program(5000, 8, 10, 16, static_cast<int32_t>(state.range(0))));
}
BENCHMARK(launches_of_5k_nodes)->Arg(1)->Arg(1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bohr::bench

BENCHMARK_MAIN();

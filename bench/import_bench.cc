// SPDX-License-Identifier: Apache-2.0
// Import of an eager trace: kernels with five pointers each among many live blocks, some of which
// are handed out anew all the time.
#include <benchmark/benchmark.h>

#include <cstring>

#include "trace/import.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kHeap = 0x7f0000000000;
constexpr uint64_t kBlock = 0x10000;
constexpr uint64_t kBlocks = 4096;
constexpr int kPointers = 5;

Bytes image(uint64_t seed) {
  uint64_t slots[kPointers + 2] = {};
  for (int i = 0; i < kPointers; ++i) slots[i] = kHeap + (seed * 7919 + i * 613) % kBlocks * kBlock;
  slots[kPointers] = seed;
  Bytes bytes(sizeof slots);
  std::memcpy(bytes.data(), slots, sizeof slots);
  return bytes;
}

History history(uint64_t index, HistoryAction action, uint64_t address) {
  History entry;
  entry.index = index;
  entry.action = action;
  entry.address = address;
  entry.bytes = kBlock;
  entry.stream = 1;
  return entry;
}

Log eager_log(uint64_t kernels) {
  Log log{"bench", {"", "_ZN2at6native6kernelEPfPKfS3_S3_S3_li"}, {}};
  Stream stream;
  stream.stream = 1;
  log.records.push_back(stream);
  Function function;
  function.function = 1;
  function.name = {1};
  function.offsets = {0, 8, 16, 24, 32, 40, 48};
  function.sizes = {8, 8, 8, 8, 8, 8, 4};
  function.layout_known = true;
  log.records.push_back(function);
  uint64_t seq = 0;
  uint64_t entry = 0;
  auto call = [&seq] { return Call{++seq, ++seq, 1, 0}; };
  auto alloc = [&](uint64_t address) {
    log.records.push_back(BlockAlloc{call(), address});
    log.records.push_back(history(entry++, HistoryAction::alloc, address));
  };
  for (uint64_t i = 0; i < kBlocks; ++i) alloc(kHeap + i * kBlock);
  for (uint64_t i = 0; i < kernels; ++i) {
    if (i % 4 == 0) {
      const uint64_t address = kHeap + i * 31 % kBlocks * kBlock;
      log.records.push_back(BlockFree{call(), address});
      log.records.push_back(history(entry++, HistoryAction::free_requested, address));
      log.records.push_back(history(entry++, HistoryAction::free_completed, address));
      alloc(address);
    }
    Kernel kernel;
    kernel.call = call();
    kernel.stream = kernel.function = 1;
    kernel.form = ParamForm::array;
    kernel.params = image(i);
    log.records.push_back(std::move(kernel));
  }
  return log;
}

void import_eager(benchmark::State& state) {
  const Log log = eager_log(static_cast<uint64_t>(state.range(0)));
  for (auto _ : state) {
    Result<Program> program = import_log(log);
    benchmark::DoNotOptimize(program.ok());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(import_eager)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// What a record costs: appending it inside the program under test, reading it, keeping it in
// SQLite.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/log_reader.h"
#include "trace/sqlite_trace.h"
#include "trace/writer/log_writer.h"

namespace {

using namespace bohr::trace;

constexpr uint64_t kLimit = uint64_t{4} << 30;

std::string log_path() {
  const auto name = "bohr-bench-" + std::to_string(::getpid()) + ".log";
  return (std::filesystem::temp_directory_path() / name).string();
}

std::unique_ptr<LogWriter> fresh_writer() {
  std::filesystem::remove(log_path());
  std::string why;
  auto writer = LogWriter::create(log_path(), kLimit, &why);
  if (!writer) std::abort();
  return writer;
}

Launch launch(uint64_t seq) {
  return {.call = {.seq = seq, .exit = seq + 1, .thread = 3, .stack = 70}, .exec = 12, .stream = 5};
}

Kernel kernel(uint64_t seq) {
  Kernel record{.call = {.seq = seq, .exit = seq + 1, .thread = 3, .stack = 70}, .stream = 5};
  record.function = 40;
  record.grid_x = 132, record.grid_y = 8, record.grid_z = 1;
  record.block_x = 256, record.block_y = 1, record.block_z = 1;
  record.form = ParamForm::array;
  record.params.assign(128, 0x5a);
  return record;
}

template <class Make>
void append(benchmark::State& state, Make make) {
  auto writer = fresh_writer();
  uint64_t seq = 1000000;
  for (auto _ : state) {
    if (writer->bytes() > kLimit / 2) {
      state.PauseTiming();
      writer = fresh_writer();
      state.ResumeTiming();
    }
    writer->append(make(seq += 2));
  }
  if (writer->lost() != 0) state.SkipWithError("records were lost");
  writer->close(seq);
  std::filesystem::remove(log_path());
}

void BM_AppendLaunch(benchmark::State& state) { append(state, launch); }
BENCHMARK(BM_AppendLaunch);

void BM_AppendKernel(benchmark::State& state) {
  Kernel record = kernel(0);
  append(state, [&](uint64_t seq) -> const Kernel& {
    record.call.seq = seq, record.call.exit = seq + 1;
    return record;
  });
}
BENCHMARK(BM_AppendKernel);

void BM_KnownText(benchmark::State& state) {
  auto writer = fresh_writer();
  const std::string name(60, 'k');
  for (auto _ : state) benchmark::DoNotOptimize(writer->text(name));
  std::filesystem::remove(log_path());
}
BENCHMARK(BM_KnownText);

std::vector<uint8_t> log_of(int64_t records) {
  auto writer = fresh_writer();
  for (int64_t i = 0; i < records; ++i) {
    const auto seq = static_cast<uint64_t>(2 * i + 1);
    if (i % 2 == 0) {
      writer->append(launch(seq));
    } else {
      writer->append(kernel(seq));
    }
  }
  writer->close(0);
  std::ifstream in(log_path(), std::ios::binary);
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(log_path());
  return bytes;
}

void BM_ReadLog(benchmark::State& state) {
  const auto bytes = log_of(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(read_log(bytes, "bench").value().records.size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_ReadLog)->Arg(200000)->Unit(benchmark::kMillisecond);

void BM_LogToSqlite(benchmark::State& state) {
  const std::vector<Log> logs = {read_log(log_of(state.range(0)), "bench").value()};
  for (auto _ : state) benchmark::DoNotOptimize(sqlite_in_memory(logs).ok());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_LogToSqlite)->Arg(200000)->Unit(benchmark::kMillisecond);

void BM_SqliteToLog(benchmark::State& state) {
  const std::vector<Log> logs = {read_log(log_of(state.range(0)), "bench").value()};
  const auto database = sqlite_in_memory(logs);
  for (auto _ : state) benchmark::DoNotOptimize(read_sqlite(database.value()).ok());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_SqliteToLog)->Arg(200000)->Unit(benchmark::kMillisecond);

}  // namespace

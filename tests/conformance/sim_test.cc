// SPDX-License-Identifier: Apache-2.0
// The replayer of the simulated GPU keeps the contract.
#include "gpu/sim/sim.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/replayer_suite.h"
#include "gpu/sim/kernels.h"
#include "replay/sim/replayer.h"
#include "trace/import.h"

namespace bohr::test {
namespace {

using gpu::sim::hash_words;
using gpu::sim::Words;

// kConformanceCase, on the simulated GPU.
Status write_program(gpu::Runtime& gpu) {
  const gpu::Stream a = gpu.make_stream({.name = "a"});
  const gpu::Stream b = gpu.make_stream({.name = "b"});
  const gpu::Event e = gpu.make_event();
  std::vector<Words> memory;
  for (const char* name : {"in", "x", "y", "z"}) {
    BOHR_TRY(address, gpu.alloc(4096, a, name));
    memory.push_back({address, 1024});
  }
  const auto [in, x, y, z] = std::tie(memory[0], memory[1], memory[2], memory[3]);
  BOHR_TRY_STATUS(gpu.launch(hash_words("first", 1, {in}, x), a));
  BOHR_TRY_STATUS(gpu.record(e, a));
  BOHR_TRY_STATUS(gpu.wait(b, e));
  BOHR_TRY_STATUS(gpu.launch(hash_words("use", 2, {x}, y), b));
  BOHR_TRY_STATUS(gpu.launch(hash_words("second", 3, {in}, x), a));
  return gpu.launch(hash_words("last", 4, {y}, z), b);
}

std::unique_ptr<replay::Replayer> make_sim() {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("bohr-conformance-" + std::to_string(getpid())))
          .string();
  std::filesystem::remove(path);
  gpu::sim::Options options;
  options.log = path;
  auto sim = gpu::sim::Sim::create(options);
  BOHR_CHECK(sim.ok() && write_program(*sim.value()).ok() && sim.value()->finish().ok());
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(path);
  auto log = trace::read_log(bytes, "conformance");
  BOHR_CHECK(log.ok());
  auto program = trace::import_log(log.value());
  BOHR_CHECK(program.ok());
  auto replayer = replay::sim_replayer(std::move(program).value(), sim.value()->tape(),
                                       options.timing, options.memory);
  BOHR_CHECK(replayer.ok());
  return std::move(replayer).value();
}

INSTANTIATE_TEST_SUITE_P(Sim, ReplayerSuite, testing::Values(Maker{"sim", make_sim}));

}  // namespace
}  // namespace bohr::test

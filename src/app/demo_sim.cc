// SPDX-License-Identifier: Apache-2.0
// The program stands here as any program against the runtime would; what follows it is the way that
// a recorded program takes too: log, import, check, explore.
#include "app/demo_sim.h"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "app/files.h"
#include "gpu/sim/kernels.h"
#include "gpu/sim/sim.h"
#include "replay/sim/replayer.h"
#include "trace/import.h"
#include "trace/open.h"

namespace bohr::app {

namespace fs = std::filesystem;
namespace sim = gpu::sim;

namespace {

constexpr uint64_t kWords = 1024;
constexpr int kLaunches = 2;
// The memory of the simulated GPU starts as zeros, as memory that was never used does. What earlier
// work of another kind would have left there has to be put in.
constexpr uint8_t kStale = 0xa5;

Result<sim::Words> words(gpu::Runtime& gpu, gpu::Stream stream, const char* name) {
  BOHR_TRY(address, gpu.alloc(kWords * sizeof(uint32_t), stream, name));
  return sim::Words{address, kWords};
}

Status decode(gpu::Runtime& gpu, bool repaired) {
  const gpu::Stream main = gpu.make_stream({.name = "main"});
  const gpu::Stream side = gpu.make_stream({.name = "indexer"});
  const gpu::Event forked = gpu.make_event(), joined = gpu.make_event();
  BOHR_TRY(hidden, words(gpu, main, "hidden"));
  BOHR_TRY(out, words(gpu, main, "out"));
  BOHR_TRY_STATUS(gpu.fill(hidden.address, 1, hidden.bytes(), main));

  BOHR_TRY_STATUS(gpu.begin_capture(main, gpu::Pool(), "decode"));
  BOHR_TRY(keys, words(gpu, main, "keys"));
  BOHR_TRY_STATUS(gpu.launch(sim::hash_words("index_keys", 1, {hidden}, keys), main));
  BOHR_TRY_STATUS(gpu.record(forked, main));
  BOHR_TRY_STATUS(gpu.wait(side, forked));
  BOHR_TRY(chosen, words(gpu, side, "chosen"));
  BOHR_TRY_STATUS(gpu.launch(sim::hash_words("topk", 2, {keys}, chosen), side));
  BOHR_TRY_STATUS(gpu.record(joined, side));
  if (!repaired) BOHR_TRY_STATUS(gpu.free(keys.address));
  BOHR_TRY(norm, words(gpu, main, "norm"));  // keys' bytes, if they are free by now
  BOHR_TRY_STATUS(gpu.launch(sim::hash_words("embed", 3, {hidden}, out), main));
  BOHR_TRY_STATUS(gpu.launch(sim::hash_words("rms_norm", 4, {out}, norm), main));
  BOHR_TRY_STATUS(gpu.wait(main, joined));
  if (repaired) BOHR_TRY_STATUS(gpu.free(keys.address));
  BOHR_TRY_STATUS(gpu.launch(sim::hash_words("attention", 5, {chosen, norm}, out), main));
  BOHR_TRY(graph, gpu.end_capture(main));

  BOHR_TRY(exec, gpu.instantiate(graph));
  for (int i = 0; i < kLaunches; ++i) BOHR_TRY_STATUS(gpu.launch(exec, main));
  return gpu.sync_device();
}

// A folder of its own below the system's for temporary files, gone with it.
class TemporaryFolder {
 public:
  static Result<std::unique_ptr<TemporaryFolder>> make() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "bohr-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) {
      return Error{"file-write", name, "", "no temporary folder can be made",
                   "set TMPDIR to a folder that is writable"};
    }
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(name));
  }
  ~TemporaryFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// By itself the program mostly wins its race: topk is done when rms_norm begins.
sim::Timing usual_timing() {
  sim::Timing timing;
  timing.kernels["topk"] = {6000, 0.5};
  timing.kernels["embed"] = {5200, 0.5};
  return timing;
}

}  // namespace

Result<Explored> explore_demo_program(bool repaired, int32_t own_runs) {
  BOHR_TRY(folder, TemporaryFolder::make());
  sim::Options options;
  options.log = folder->file("demo.bohr");
  options.timing = usual_timing();
  options.memory = {uint64_t{64} << 20, uint64_t{1} << 20, uint64_t{1} << 20};
  BOHR_TRY(gpu, sim::Sim::create(options));
  BOHR_TRY_STATUS(decode(*gpu, repaired));
  BOHR_TRY_STATUS(gpu->finish());

  BOHR_TRY(input, trace::read_input(options.log));
  BOHR_TRY(program, trace::to_program(input));
  const std::string name = repaired ? "repaired decode step" : "decode step";
  BOHR_TRY(checked, check_program(std::move(program), name, {}));
  BOHR_TRY(replayer,
           replay::sim_replayer(checked.program, gpu->tape(), options.timing, options.memory));
  explore::Options explore;
  explore.own_runs = own_runs;
  explore.fill = kStale;
  return explore_on(*replayer, std::move(checked), {}, explore);
}

}  // namespace bohr::app

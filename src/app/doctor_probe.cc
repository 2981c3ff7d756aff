// SPDX-License-Identifier: Apache-2.0
// The driver's and NVML's few functions are declared here by their ABI, which does not change, so
// that the tool builds without CUDA's headers. Free memory is NVML's word: the driver tells it in a
// context only.
//
// The child is armed like a program under `bohr run`. What the agent makes of that (a log, or the
// reason why there is none) is read from where a run's files would lie.
#include "app/doctor_probe.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

#include <charconv>

#include "agent/environment.h"
#include "app/ask_program.h"
#include "app/files.h"
#include "app/guest.h"
#include "app/process_tree.h"
#include "app/run_dir.h"
#include "app/temporary_folder.h"
#include "trace/open.h"

namespace bohr::app {

namespace {

constexpr std::chrono::seconds kProbePatience{60};  // a first cuInit wakes every GPU of the machine

struct NvmlMemory {
  unsigned long long total, free, used;
};

template <class Function>
Function find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Free memory of the GPU on that bus, by NVML.
class FreeMemory {
 public:
  FreeMemory() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto init = find<int (*)()>(library_, "nvmlInit_v2");
    by_bus_ = find<ByBus>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
    memory_ = find<Memory>(library_, "nvmlDeviceGetMemoryInfo");
    ready_ = init != nullptr && by_bus_ != nullptr && memory_ != nullptr && init() == 0;
  }
  bool of(const char* bus, NvmlMemory* memory) const {
    void* device = nullptr;
    return ready_ && by_bus_(bus, &device) == 0 && memory_(device, memory) == 0;
  }

 private:
  using ByBus = int (*)(const char*, void**);
  using Memory = int (*)(void*, NvmlMemory*);
  void* library_;
  ByBus by_bus_ = nullptr;
  Memory memory_ = nullptr;
  bool ready_ = false;
};

void tell_gpus(void* driver, const Tell& tell) {
  const auto count = find<int (*)(int*)>(driver, "cuDeviceGetCount");
  const auto get = find<int (*)(int*, int)>(driver, "cuDeviceGet");
  const auto name = find<int (*)(char*, int, int)>(driver, "cuDeviceGetName");
  const auto total = find<int (*)(size_t*, int)>(driver, "cuDeviceTotalMem_v2");
  const auto bus = find<int (*)(char*, int, int)>(driver, "cuDeviceGetPCIBusId");
  int devices = 0;
  if (count == nullptr || name == nullptr || total == nullptr || count(&devices) != 0) return;
  const FreeMemory free_memory;
  for (int number = 0; number < devices; ++number) {
    int device = number;
    if (get != nullptr && get(&device, number) != 0) continue;
    char text[256] = "", at[32] = "";
    size_t bytes = 0;
    name(text, sizeof text - 1, device);
    total(&bytes, device);
    NvmlMemory memory{};
    const bool known =
        bus != nullptr && bus(at, sizeof at - 1, device) == 0 && free_memory.of(at, &memory);
    tell(fmt::format("gpu={}|{}|{}", bytes, known ? fmt::format("{}", memory.free) : "", text));
  }
}

// What the agent reads stacks and pinned sources with; sandboxes may forbid it.
bool reads_own_memory() {
  int from = 1, to = 0;
  iovec local{&to, sizeof to}, remote{&from, sizeof from};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == sizeof from && to == 1;
}

void tell_mapped(const Tell& tell) {
  std::string last;
  for (const std::string& file : mapped_files(getpid())) {
    if (file != last) tell("mapped=" + file);
    last = file;
  }
}

template <class Number>
Number number(const std::string& text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "bytes|free|name"
Gpu gpu_of(const std::string& line) {
  const size_t first = line.find('|');
  const size_t second = line.find('|', first + 1);
  if (first == std::string::npos || second == std::string::npos) return {line, 0, 0, false};
  const std::string free = line.substr(first + 1, second - first - 1);
  return {line.substr(second + 1), number<uint64_t>(line.substr(0, first)), number<uint64_t>(free),
          !free.empty()};
}

void read_answers(const std::string& text, const std::string& agent, Probe* probe) {
  probe->driver_path = answer(text, "driver");
  probe->driver_found = !probe->driver_path.empty();
  if (!probe->driver_found) probe->driver_path = answer(text, "no-driver");
  probe->driver_version = number<int>(answer(text, "version"));
  probe->init = answer(text, "init");
  for (const std::string& line : answers(text, "gpu")) probe->gpus.push_back(gpu_of(line));
  probe->reads_own_memory = answer(text, "own-memory") == "yes";
  for (const std::string& path : answers(text, "mapped")) {
    if (base_name(path).rfind("libcupti.so", 0) == 0) probe->cupti_path = path;
    if (base_name(path) == base_name(agent)) probe->agent_mapped = true;
  }
}

// What a run's folder would hold.
void read_recording(const std::string& folder, Probe* probe) {
  for (const ProcessFiles& files : processes_in(folder)) {
    if (!files.error.empty()) probe->agent_error = files.error;
    if (files.log.empty()) continue;
    const Result<trace::Input> input = trace::read_input(files.log);
    if (!input.ok()) continue;
    const Result<trace::Log> log = trace::to_log(input.value());
    if (!log.ok()) continue;
    for (const trace::Record& record : log.value().records) {
      const auto* process = std::get_if<trace::Process>(&record);
      if (process == nullptr) continue;
      probe->recorded = true;
      probe->cupti_version = static_cast<int>(process->cupti);
      probe->driver_text = log.value().strings[process->driver_text.id];
    }
  }
}

std::string how_it_failed(const Said& said) {
  if (!said.started) return "could not be started";
  if (!said.in_time)
    return fmt::format("did not end within {} s, and was killed", kProbePatience.count());
  if (said.status > 128) return "was ended by " + signal_name(said.status - 128);
  return said.status == 0 ? "" : fmt::format("ended with status {}", said.status);
}

}  // namespace

void probe_driver(const std::string& preload, const Tell& tell) {
  tell(std::string("own-memory=") + (reads_own_memory() ? "yes" : "no"));
  if (!preload.empty()) dlopen(preload.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) {
    const char* why = dlerror();
    return tell(std::string("no-driver=") + (why == nullptr ? "" : why));
  }
  const auto init = find<int (*)(unsigned)>(driver, "cuInit");
  const auto version = find<int (*)(int*)>(driver, "cuDriverGetVersion");
  const auto words = find<int (*)(int, const char**)>(driver, "cuGetErrorString");
  const link_map* loaded = nullptr;  // of the library: its functions may be wrapped
  if (init == nullptr || dlinfo(driver, RTLD_DI_LINKMAP, &loaded) != 0)
    return tell("no-driver=libcuda.so.1 has no cuInit");
  tell(std::string("driver=") + loaded->l_name);
  int number = 0;
  if (version != nullptr && version(&number) == 0) tell(fmt::format("version={}", number));
  if (const int code = init(0); code != 0) {
    const char* text = nullptr;
    if (words != nullptr) words(code, &text);
    tell(fmt::format("init={} (error {})", text == nullptr ? "cuInit failed" : text, code));
  } else {
    tell_gpus(driver, tell);
  }
  tell_mapped(tell);
}

Probe probe(const std::string& bohr, const AgentFiles& files, Via via, const std::string& preload) {
  Probe probe;
  const Result<std::unique_ptr<TemporaryFolder>> folder = TemporaryFolder::make();
  if (!folder.ok()) return probe.failed = to_string(folder.error()), probe;
  std::vector<std::string> command = {bohr, "doctor", "--probe"};
  if (!preload.empty()) command.push_back("--preload=" + preload);
  Recording recording;
  recording.dir = folder.value()->path(), recording.via = via;
  auto variables = variables_of(recording, files, inherited());
  for (const char* unwanted :
       {agent::kExploreVariable, agent::kApplyVariable, agent::kRanksVariable})
    variables[unwanted] = "";
  const Said said = ask_program(command, variables, kProbePatience);
  probe.ran = said.started;
  probe.failed = how_it_failed(said);
  read_answers(said.text, via == Via::preload ? files.preload : files.agent, &probe);
  read_recording(folder.value()->path(), &probe);
  return probe;
}

}  // namespace bohr::app

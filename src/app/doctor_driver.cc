// SPDX-License-Identifier: Apache-2.0
// The driver, the GPUs, CUPTI, and whatever else wants CUPTI's one subscriber slot.
#include <fmt/format.h>

#include <cstdlib>

#include "agent/environment.h"
#include "app/doctor_topics.h"
#include "report/words.h"

namespace bohr::app {

namespace {

constexpr int kOldestDriver = 12040;

// 13000 -> "13.0"
std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// 130001 -> "13.0.1": major * 10000 + minor * 100 + patch from CUDA 12.9 on; older ones count.
std::string cupti_version(int number) {
  if (number < 10000) return std::to_string(number);
  return fmt::format("{}.{}.{}", number / 10000, number % 10000 / 100, number % 100);
}

bool mentions(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

bool subscriber_is_taken(const Probe& probe) { return mentions(probe.agent_error, "subscriber"); }

const char* cupti_origin(const std::string& path, const std::string& wheel) {
  const char* own = std::getenv(agent::kCuptiVariable);
  if (own != nullptr && path == own) return "named by BOHR_CUPTI";
  if (!wheel.empty() || mentions(path, "/nvidia/")) return "of a Python wheel";
  return mentions(path, "/cuda") ? "of a CUDA toolkit" : "found by the dynamic loader";
}

Topic topic_of(const char* name) { return Topic{.name = name}; }

}  // namespace

Topic driver_topic(const Probe& probe) {
  Topic topic = topic_of("driver");
  topic.facts["path"] = probe.driver_found ? probe.driver_path : "";
  topic.facts["cuda"] = std::to_string(probe.driver_version);
  topic.facts["version"] = probe.driver_text;
  if (!probe.driver_found) {
    topic.works = Works::no;
    topic.found = probe.failed.empty() ? "none: " + probe.driver_path
                                       : "not known: the process that asked " + probe.failed;
    topic.follows =
        "nothing can be recorded here (in a container: start it with the NVIDIA runtime); check, "
        "show, explore and fix of recorded files need no driver";
    return topic;
  }
  topic.found =
      fmt::format("{}{}CUDA {}, {}", probe.driver_text, probe.driver_text.empty() ? "" : ", ",
                  cuda_version(probe.driver_version), probe.driver_path);
  if (!probe.failed.empty()) {
    topic.works = Works::no;
    topic.found += "; the process that asked it for its GPUs " + probe.failed;
    topic.follows = "any CUDA program would fare so; look at the driver (nvidia-smi, dmesg)";
  } else if (!probe.init.empty()) {
    topic.works = Works::no;
    topic.found += "; cuInit: " + probe.init;
    topic.follows = "no CUDA program runs here; look at the driver (nvidia-smi) and the container";
  } else if (probe.driver_version < kOldestDriver) {
    topic.works = Works::no;
    topic.follows = "recording needs a driver for CUDA 12.4 or newer";
  }
  return topic;
}

Topic gpu_topic(const Probe& probe) {
  Topic topic = topic_of("gpu");
  topic.facts["count"] = std::to_string(probe.gpus.size());
  if (probe.gpus.empty()) {
    topic.works = Works::no;
    topic.found = "none that a process could use";
    topic.follows = "no CUDA program runs here (is CUDA_VISIBLE_DEVICES set to nothing?)";
    return topic;
  }
  for (size_t i = 0; i < probe.gpus.size(); ++i) {
    const Gpu& gpu = probe.gpus[i];
    const std::string number = std::to_string(i);
    topic.facts["name_" + number] = gpu.name;
    topic.facts["bytes_" + number] = std::to_string(gpu.bytes);
    if (gpu.free_known) topic.facts["free_bytes_" + number] = std::to_string(gpu.free);
    topic.found += fmt::format("{}{}: {}, {} of {} free", i == 0 ? "" : "; ", i, gpu.name,
                               gpu.free_known ? report::bytes(gpu.free) : "(not known)",
                               report::bytes(gpu.bytes));
  }
  topic.follows =
      "recording takes no GPU memory; --explore keeps copies of what a graph may write, on the GPU "
      "where they fit and else on the host";
  return topic;
}

Topic cupti_topic(const Probe& probe, const std::string& wheel) {
  Topic topic = topic_of("cupti");
  topic.facts["path"] = probe.cupti_path;
  topic.facts["version"] = std::to_string(probe.cupti_version);
  if (!probe.agent_mapped) {
    topic.works = Works::no;
    topic.found = "not known: the driver did not load the recorder";
    topic.follows = probe.driver_found ? "is its folder mounted noexec, or readable for nobody?"
                                       : "a driver has to be there first";
  } else if (probe.cupti_path.empty()) {
    topic.works = Works::no;
    topic.found = probe.agent_error.empty() ? "not found" : probe.agent_error;
    topic.follows =
        "install the toolkit's CUPTI or `pip install nvidia-cuda-cupti`, and set BOHR_CUPTI to the "
        "path of its libcupti.so where it is not found by itself; or record with --via preload";
  } else {
    topic.found = fmt::format(
        "{}{}, {}", probe.cupti_version == 0 ? "" : cupti_version(probe.cupti_version) + ", ",
        probe.cupti_path, cupti_origin(probe.cupti_path, wheel));
    if (!probe.agent_error.empty() && !subscriber_is_taken(probe)) {
      topic.works = Works::no;
      topic.follows = probe.agent_error;
    }
  }
  return topic;
}

Topic preload_topic(const Probe& probe, const std::string& library) {
  Topic topic = topic_of("preload");
  topic.facts["path"] = library;
  topic.works = Works::no;
  if (!probe.driver_found) {
    topic.found = "not known: nothing loads the driver";
    topic.follows = "a driver has to be there first";
  } else if (!probe.agent_mapped) {
    topic.found = "the loader did not take the library from LD_PRELOAD";
    topic.follows = "is its folder mounted noexec, or readable for nobody?";
  } else if (probe.recorded) {
    topic.works = Works::yes;
    topic.found = "the library is between the program and the driver; it needs no CUPTI";
    topic.follows = "static and setuid programs are not reached";
  } else if (!probe.agent_error.empty()) {
    topic.found = probe.agent_error;
    topic.follows = "record with --via cupti";
  } else {
    topic.found = "the library is loaded, and no call of the driver reached it";
    topic.follows =
        "another library in LD_PRELOAD may be in front of it; take it out, or record with --via "
        "cupti";
  }
  return topic;
}

Topic subscriber_topic(const Probe& probe, const std::string& agent) {
  Topic topic = topic_of("other tools");
  const char* injection = std::getenv(agent::kInjectionVariable);
  const char* kineto = std::getenv("KINETO_USE_DAEMON");
  if (injection != nullptr && *injection != '\0' && injection != agent) {
    topic.works = Works::no;
    topic.found = fmt::format("{}={} loads another tool", agent::kInjectionVariable, injection);
    topic.follows = "unset it, or leave out --via cupti: two such tools cannot record at once";
  } else if (subscriber_is_taken(probe)) {
    topic.works = Works::no;
    topic.found = "another tool holds CUPTI's one subscriber slot";
    topic.follows =
        "start without it (a profiler, nsys, a library in LD_PRELOAD, KINETO_USE_DAEMON), or "
        "record "
        "with --via preload";
  } else if (kineto != nullptr && *kineto != '\0') {
    topic.works = Works::partly;
    topic.found = "KINETO_USE_DAEMON is set";
    topic.follows =
        "PyTorch's profiler may take CUPTI's one subscriber slot first; unset it, "
        "or record with --via preload";
  } else {
    topic.found = "none that would take CUPTI's one subscriber slot";
  }
  return topic;
}

Topic own_memory_topic(const Probe& probe) {
  Topic topic = topic_of("sandbox");
  if (probe.reads_own_memory) {
    topic.found = "process_vm_readv on the own process is allowed";
    return topic;
  }
  topic.works = Works::partly;
  topic.found = probe.ran ? "process_vm_readv on the own process is not allowed" : "not known";
  topic.follows =
      "no Python stacks, and no watch on rewritten copy sources; allow it in the seccomp profile";
  return topic;
}

}  // namespace bohr::app

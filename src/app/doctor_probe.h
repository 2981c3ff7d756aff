// SPDX-License-Identifier: Apache-2.0
// What a process on this machine gets when it asks for a GPU under the agent. The asking is done by
// a child (`bohr doctor --probe`), so that a driver that crashes or hangs takes nothing else down.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/environment.h"
#include "app/install.h"

namespace bohr::app {

// One line "key=value".
using Tell = std::function<void(const std::string& line)>;

// The child's side: asks the driver, and tells each thing as soon as it is known. `preload`: a
// library that the program would have mapped before (CUPTI of a Python wheel), or empty. No context
// is made, for that takes memory of the GPU.
void probe_driver(const std::string& preload, const Tell& tell);

struct Gpu {
  std::string name;
  uint64_t bytes = 0;
  uint64_t free = 0;
  bool free_known = false;
};

struct Probe {
  bool ran = false;
  std::string failed;  // how the child ended, where that was not well: "was ended by SIGSEGV"
  bool driver_found = false;
  std::string driver_path;  // or, where it was not found, what the loader said
  int driver_version = 0;   // 13000
  std::string init;         // what cuInit returned, in words; empty: it succeeded
  std::vector<Gpu> gpus;
  bool reads_own_memory = false;
  bool agent_mapped = false;
  bool recorded = false;    // it left a log
  std::string cupti_path;   // that was mapped in the end
  int cupti_version = 0;    // 130001, where the agent recorded
  std::string agent_error;  // what the agent left
  std::string driver_text;  // "580.159.04"
};

// The parent's side. `bohr`: this program; `preload`: as above.
Probe probe(const std::string& bohr, const AgentFiles& files, Via via, const std::string& preload);

}  // namespace bohr::app

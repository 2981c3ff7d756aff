// SPDX-License-Identifier: Apache-2.0
// The topics of `bohr doctor` that look at one thing each.
#pragma once

#include "app/doctor.h"
#include "app/doctor_probe.h"
#include "app/install.h"

namespace bohr::app {

// What a Python says of itself when it is started as the program would start it.
struct Python {
  bool answered = false;
  std::string version;
  bool shim = false;      // it loaded our shim
  std::string torch;      // version of PyTorch, or empty
  std::string own_cupti;  // path of CUPTI in a wheel, or empty
};
Python ask_python(const std::vector<std::string>& call, const AgentFiles& files);

// Of the driver and what the agent meets in a process with it.
Topic driver_topic(const Probe& probe);
Topic gpu_topic(const Probe& probe);
Topic cupti_topic(const Probe& probe, const std::string& wheel);
// In the place of the two around it, for a recorder that is preloaded.
Topic preload_topic(const Probe& probe, const std::string& library);
Topic subscriber_topic(const Probe& probe, const std::string& agent);
Topic own_memory_topic(const Probe& probe);

// Of Python and PyTorch. `python` may have been asked, or there is none to ask.
Topic shim_topic(const AgentFiles& files, const Python* python);
Topic allocator_topic(const Python* python);

// Of the machine.
Topic glibc_topic();
Topic folder_topic(const std::string& dir);
Topic disk_topic(const std::string& dir, uint64_t max_log);
Topic limits_topic(uint64_t max_log);

}  // namespace bohr::app

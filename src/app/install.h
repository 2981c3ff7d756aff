// SPDX-License-Identifier: Apache-2.0
// Where the parts of Bohr lie that are not in the tool itself: beside it in a build folder, or
// where they were installed.
#pragma once

#include <string>

#include "base/result.h"

namespace bohr::app {

struct AgentFiles {
  std::string agent;    // absolute path of libbohr_agent.so
  std::string preload;  // of libbohr_preload.so, which is built with it
  std::string shim;     // the folder that holds sitecustomize.py; empty when there is none
};

// `lib`: a folder to look in instead; empty: relative to the running program.
Result<AgentFiles> find_agent(const std::string& lib);

// The demo's CUDA program, which is there where the build had nvcc.
Result<std::string> find_demo_program();

// A folder of recorded traces that the demo tells its story with; empty when there is none.
std::string find_traces();

}  // namespace bohr::app

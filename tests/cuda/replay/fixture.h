// SPDX-License-Identifier: Apache-2.0
// Small CUDA graphs for the replayer's tests, and their programs as Bohr sees them.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/cuda/replayer.h"

namespace bohr::test {

// The device and its driver; null where there is none, and then tests are skipped.
struct Gpu {
  replay::cuda::Driver driver;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function(const char* name) const;
};
const Gpu* gpu();

// A case and the kernels behind its steps. Buffers of
// the case become allocations of the device.
class GraphProgram {
 public:
  explicit GraphProgram(const std::string& case_text);
  ~GraphProgram();
  GraphProgram(const GraphProgram&) = delete;
  GraphProgram& operator=(const GraphProgram&) = delete;

  CUdeviceptr address(const std::string& buffer) const { return addresses_.at(buffer); }
  void fill(const std::string& buffer, uint8_t byte);
  // The node of the next step, behind earlier ones, which are named by their place. Every argument
  // is 8 bytes wide, or the low half of one.
  void add(const std::string& function, std::vector<uint64_t> arguments, uint32_t threads,
           const std::vector<int>& after);
  const Program& program() const { return program_; }
  // One plain replay of the instantiated graph, and one copy of so many bytes of a buffer to memory
  // of their own. Both wait.
  void launch();
  void copy(const std::string& buffer, uint64_t bytes);
  std::unique_ptr<replay::Replayer> replayer();

 private:
  Program program_;
  std::map<std::string, CUdeviceptr> addresses_;
  CUgraph graph_ = nullptr;
  CUgraphExec exec_ = nullptr;
  std::vector<CUgraphNode> nodes_;
  CUstream stream_ = nullptr;
  CUdeviceptr copied_ = 0;
};

}  // namespace bohr::test

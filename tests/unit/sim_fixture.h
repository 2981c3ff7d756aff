// SPDX-License-Identifier: Apache-2.0
// Programs on the simulated GPU: run, written to a log, read back and checked.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/sim/kernels.h"
#include "gpu/sim/sim.h"
#include "log_files.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::gpu::sim {

using ProgramText = std::function<Status(Runtime&)>;

// A program that ran to its end.
struct Ran {
  std::unique_ptr<Sim> sim;
  std::vector<uint8_t> log;
  bohr::Program program;

  // All words of a buffer, as they are in the arena now.
  std::vector<uint32_t> words(Words buffer) const;
};

Ran run_program(const ProgramText& text, Options options = {});
// The error that the program ends with.
Error error_of(const ProgramText& text, const Options& options = {});

Verdict verdict_of(const Ran& ran);
// "WAR read write reuse", sorted; node numbers and launches left out.
std::vector<std::string> findings_of(const Verdict& verdict);

// A buffer of device memory, and one whose words were written by the host.
Result<Words> device_words(Runtime& gpu, Stream stream, uint64_t count, const std::string& name);
Result<Words> host_words(Runtime& gpu, HostMemory kind, uint64_t count, const std::string& name);
Status put_words(Runtime& gpu, Words buffer, uint32_t first);

}  // namespace bohr::gpu::sim

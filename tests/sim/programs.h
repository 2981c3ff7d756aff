// SPDX-License-Identifier: Apache-2.0
// Programs with one mistake that they seldom pay for, each with its repaired twin: the mistakes
// that real programs make, in the smallest form, with timings under which the right order nearly
// always comes about by itself.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "unit/sim_fixture.h"

namespace bohr::gpu::sim {

struct RacyProgram {
  std::string name;
  Status (*text)(Runtime&, bool repaired) = nullptr;
  Timing timing;
  std::string pair;  // that its witness names, as pairs_of() tells it

  ProgramText twin(bool repaired) const {
    return [text = text, repaired](Runtime& gpu) { return text(gpu, repaired); };
  }
};

void PrintTo(const RacyProgram& program, std::ostream* out);  // for GoogleTest

const std::vector<RacyProgram>& racy_programs();

}  // namespace bohr::gpu::sim

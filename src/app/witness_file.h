// SPDX-License-Identifier: Apache-2.0
// A witness as a file: two schedules, what they gave, and which program they are of. It holds no
// memory contents.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/exploration.h"

namespace bohr::app {

struct WitnessFile {
  std::string program;  // path of what was explored, as it was given
  std::string subject;  // which of its programs, where it holds several; else empty
  uint64_t program_digest = 0;
  std::string site;             // of the cause; empty when the pair is no finding's
  bool strict_threads = false;  // explored without the order in which threads were observed
  Witness witness;
};

std::string render_witness(const WitnessFile& file);
// Refuses what is no witness (`witness-syntax`) and newer versions (`witness-version`). `name`: for
// errors.
Result<WitnessFile> parse_witness(std::string_view text, const std::string& name);

}  // namespace bohr::app

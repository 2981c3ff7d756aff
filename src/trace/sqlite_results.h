// SPDX-License-Identifier: Apache-2.0
// Results in a SQLite trace. The trace itself never changes: what an exploration found goes to
// tables of its own, keyed by the tool's version and the seed, so that a second exploration under
// the same key takes the place of the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace bohr::trace {

struct ResultKey {
  std::string tool;
  uint64_t seed = 0;
};

// One witness, without its schedules, which `file` holds.
struct WitnessRow {
  std::string subject;  // which program of the trace
  std::string site;
  std::string first;
  std::string second;
  std::string range;
  uint64_t range_begin = 0;
  uint64_t range_end = 0;
  bool reaches_output = false;
  int32_t replays = 0;
  int32_t identical = 0;
  std::string right_digest;
  std::string wrong_digest;
  std::string file;  // the witness as `bohr replay` takes it
};

// Bytes that a step was seen to change.
struct ObservedRow {
  std::string subject;
  int32_t op = 0;
  int32_t node = -1;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct Results {
  std::vector<WitnessRow> witnesses;
  std::vector<ObservedRow> observed;
};

// In one transaction. Fails on a file that cannot be written (code `results-not-written`).
Status write_results(const std::string& path, const ResultKey& key, const Results& results);

}  // namespace bohr::trace

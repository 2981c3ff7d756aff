// SPDX-License-Identifier: Apache-2.0
// From a file to witnesses, and from a witness back to its replays.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/check_file.h"
#include "app/held_fix.h"
#include "app/witness_file.h"
#include "explore/explore.h"
#include "model/exploration.h"
#include "replay/replayer.h"

namespace bohr::app {

struct Explored {
  Checked checked;
  std::optional<Exploration> exploration;
  std::optional<Error> refusal;          // why there is none
  uint64_t program_digest = 0;           // of the program as it was read
  bool unwatched = false;                // something of what was to be watched was not
  std::vector<TriedRepairs> tried = {};  // in the running program
};

// What people named on the command line.
struct Named {
  std::vector<std::string> ignore;  // what carries no meaning (app/ignore.h)
  std::vector<std::string> watch;   // canaries (app/watch.h)
};
// Everything that `path` holds, checked, then explored on symbolic memory. Errors are those of
// reading, checking and of names; what cannot be explored says so beside its verdict.
Result<std::vector<Explored>> explore_path(const std::string& path, const CheckOptions& check,
                                           const explore::Options& options,
                                           const Named& named = {});
// On any replayer of the checked program. What step mode showed goes into the program, which is
// then checked again, with the pairs that replays settled.
Result<Explored> explore_on(replay::Replayer& replayer, Checked checked, const CheckOptions& check,
                            const explore::Options& options);

// Says for each cause of what was explored what becomes of its pair in the program in `path`.
Status compare_with_arm(const std::string& path, bool strict_threads,
                        std::vector<Explored>* explored);

std::vector<report::Subject> subjects_of(std::span<const Explored> explored);
// As check's; a witness of a pair that is no finding counts as one, and so does a write to watched
// bytes by a step that is not expected to.
ExitStatus status_of(std::span<const Explored> explored, const std::vector<HazardClass>& require);

// Writes each witness below `stem` (stem-SITE.witness), and gives the paths.
Result<std::vector<std::string>> save_witnesses(std::span<const Explored> explored,
                                                const std::string& path, const std::string& stem,
                                                bool strict_threads);

// Puts witnesses and observations into the SQLite trace behind `path`: the file itself, or the
// trace.db of a run's folder. Nothing for other formats, which have no place for them.
Status store_results(std::span<const Explored> explored, const std::string& path,
                     const explore::Options& options);

// What replaying a witness gave.
struct Repeated {
  WitnessFile file;
  int32_t replays = 0;    // of each schedule
  int32_t identical = 0;  // gave the two recorded results
};
// `program`: where the program is now; empty: where the witness says, or beside the witness.
Result<Repeated> repeat_witness(const std::string& witness, const std::string& program);

}  // namespace bohr::app

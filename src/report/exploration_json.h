// SPDX-License-Identifier: Apache-2.0
// Witnesses and searches as JSON, for the document of json.h.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/exploration.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::report {

// `cause`: its id in the document; 0 where the pair is no finding's.
nlohmann::ordered_json witness_json(const Witness& witness, int64_t cause);
nlohmann::ordered_json exploration_json(const Exploration& exploration, const Verdict& verdict,
                                        const Program& program);
// "same-bytes", …
const char* trial_word(TrialResult result);

}  // namespace bohr::report

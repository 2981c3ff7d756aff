// SPDX-License-Identifier: Apache-2.0
// Why a mistake seldom shows, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "report/entries.h"

namespace bohr::report {

// Sentences; empty where nothing is known.
std::string why_it_hides(std::span<const Subject> subjects, const Entry& entry);
// {"slack": {…}, "not_in": […]}; null where nothing is known.
nlohmann::ordered_json hides_json(std::span<const Subject> subjects, const Entry& entry);

}  // namespace bohr::report

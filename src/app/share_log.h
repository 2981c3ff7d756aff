// SPDX-License-Identifier: Apache-2.0
// A log without what is nobody else's business, and with all that its findings rest on.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/share_words.h"
#include "trace/log_reader.h"

namespace bohr::app {

// Owners of homes that the logs' texts name.
std::set<std::string> home_owners(std::span<const trace::Log> logs);

// What is left of one. Of kernel parameters only values that point into memory of the log stay, the
// rest becomes zero: `zeroed` counts these bytes.
trace::Log scrub_log(const trace::Log& log, ShareWords* words, int64_t* zeroed);

}  // namespace bohr::app

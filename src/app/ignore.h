// SPDX-License-Identifier: Apache-2.0
// Bytes that carry no meaning, as `--ignore` names them (app/names.h): dummy slots, padded rows,
// the tail beyond a length.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/check_file.h"
#include "model/exploration.h"

namespace bohr::app {

// For each program what of `texts` it has. Refuses a name that none of them has (`ignore-name`,
// with the nearest there are) and bytes that its block has not (`ignore-range`).
Result<std::vector<std::vector<Ignored>>> ignored_in(std::span<const Checked> programs,
                                                     const std::vector<std::string>& texts);

}  // namespace bohr::app

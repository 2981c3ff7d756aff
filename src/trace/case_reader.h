// SPDX-License-Identifier: Apache-2.0
// Reads the .case text format (docs: CASE-FORMAT) into a program.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/program.h"

namespace bohr::trace {

// `source` names the text in errors ("FILE" or "-"). Errors carry "line N" as where.
Result<Program> read_case(std::string_view text, const std::string& source);

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Reads a suppression file: one rule a line, "MATCH  # reason".
//
// MATCH is one or more KEY=VALUE words that must all hold; VALUE may hold `*`. Blank lines and
// lines that begin with `#` are passed over. A rule without a reason is refused: whoever reads it
// next year needs to know why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/verdict.h"

namespace bohr::app {

// `source` names the text in errors.
Result<std::vector<Suppression>> parse_suppressions(std::string_view text,
                                                    const std::string& source);

}  // namespace bohr::app

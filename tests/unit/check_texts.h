// SPDX-License-Identifier: Apache-2.0
// Checks a case given as text and says in one word a finding what came out, so that a test reads as
// text in, expected text out.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "model/verdict.h"

namespace bohr::test {

// "RAW first second class" for each finding, in order.
std::vector<std::string> findings_of(const std::string& case_text);
Verdict verdict_of(const std::string& case_text);
std::string told(const Finding& finding);

}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// judge: holds a case's expectations against the verdict of a check, in both directions: each
// expectation must be met, and each finding expected.
#pragma once

#include <string>
#include <vector>

#include "model/judgement.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::check {

// By line, the unexpected findings last.
std::vector<Judgement> judge(const Program& program, const Verdict& verdict);

// Whether one `expect hazard` fits one finding.
bool matches(const Expectation& expectation, const Finding& finding);

// "WAR kv_store q_gemm on q class reuse", in the words of an expectation.
std::string describe(const Finding& finding);
std::string describe(const Expectation& expectation);

}  // namespace bohr::check

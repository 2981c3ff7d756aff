// SPDX-License-Identifier: Apache-2.0
// judge: holds a case's expectations against the verdict of a check, in both directions: each
// expectation must be met, and each finding expected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/program.h"
#include "model/verdict.h"

namespace bohr::check {

// `open`: a check cannot tell; witnesses and fixes are judged where they are found.
enum class Judged : uint8_t { met, failed, open };

struct Judgement {
  Judged state = Judged::met;
  int32_t line = 0;      // of the expectation; 0 for a finding that nobody expected
  std::string sentence;  // what was expected, and what was found where that differs
};

// By line, the unexpected findings last.
std::vector<Judgement> judge(const Program& program, const Verdict& verdict);

int64_t count(const std::vector<Judgement>& judgements, Judged state);

// Whether one `expect hazard` fits one finding.
bool matches(const Expectation& expectation, const Finding& finding);

// "WAR kv_store q_gemm on q class reuse", in the words of an expectation.
std::string describe(const Finding& finding);
std::string describe(const Expectation& expectation);

}  // namespace bohr::check

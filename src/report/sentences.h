// SPDX-License-Identifier: Apache-2.0
// What a finding means, in sentences made from its facts.
#pragma once

#include <string>

#include "model/program.h"
#include "model/verdict.h"

namespace bohr::report {

// What a side does, beside its name: "still reads logits [0, 64K)", "overwrites it as q [0, 64K)".
std::string first_does(const Program& program, const Finding& finding);
std::string second_does(const Program& program, const Finding& finding);

// "stream main", "thread host", "agent nic".
std::string where_words(const Program& program, const Side& side);

// How the harm comes about, from the facts of its class.
std::string what_happens(const Program& program, const Finding& finding);

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// Explores a case given as text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "model/exploration.h"
#include "model/program.h"
#include "replay/replayer.h"

namespace bohr::test {

std::unique_ptr<replay::Replayer> symbolic_of(Program program);
Program program_of(const std::string& case_text);  // "case 1" is put before it
Exploration exploration_of(const std::string& case_text, const explore::Options& options = {});
// "first | second on range", then " -> " and the outputs, for each witness.
std::vector<std::string> witnesses_of(const Exploration& exploration);
// Labels of a schedule, separated by blanks.
std::string labels_of(const Program& program, const std::vector<Step>& schedule);

}  // namespace bohr::test

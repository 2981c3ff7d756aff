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
// Two steps that are intended to follow each other, and that nothing orders.
inline const std::string kProduceConsume =
    "stream a\nstream b\nbuffer x 64\nbuffer y 64\n"
    "a: kernel produce writes x\nb: kernel consume reads x writes y\n";

Exploration exploration_of(const std::string& case_text, const explore::Options& options = {});
// "first | second on range", then " -> " and the outputs, for each witness.
std::vector<std::string> witnesses_of(const Exploration& exploration);
// Labels of a schedule, separated by blanks.
std::string labels_of(const Program& program, const std::vector<Step>& schedule);

}  // namespace bohr::test

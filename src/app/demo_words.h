// SPDX-License-Identifier: Apache-2.0
// The demo's sentences, which its text and its page share.
#pragma once

#include <string>
#include <vector>

#include "app/demo.h"

namespace bohr::app::demo {

std::string lead_text(const Measured& measured);
std::string program_title();
std::string program_text(const Measured& measured);
std::string counting_text(const Measured& measured);
std::string checked_title();
std::string checked_text(const Measured& measured);
std::string eager_text(const Measured& measured);
std::string proof_title();
std::string proof_text();
std::string repair_title();
std::string repair_text(const Measured& measured);
std::string repaired_title();
std::string repaired_text(const Measured& measured);
std::string traces_title();
std::string next_command();

std::string share_text(const stats::Share& share);  // "2.1% (1.3 to 3.2%)"
std::string wrong_text(const ArmCount& count);      // "21 of 1000"
std::string wrong_runs_text(const ArmCount& count);
std::string check_word(const Way& way);  // "clean" or "RACE"
std::string explored_text(const Explored& explored);
std::string again_text(const Explored& repaired);
std::string races_text(const std::vector<std::string>& found);  // one line

}  // namespace bohr::app::demo

// SPDX-License-Identifier: Apache-2.0
// Why something is not there, for people and for JSON.
#pragma once

#include <string>

#include "model/absence.h"

namespace bohr::report {

// "absent: no such block".
std::string absence_text(const Absence& absence);
const char* absence_word(AbsenceKind kind);  // "no-block", …

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// The `expect` lines of a case.
#pragma once

#include "base/result.h"
#include "model/program.h"
#include "trace/case_cursor.h"

namespace bohr::trace::text {

// What stands after `expect`.
Status parse_expectation(Cursor* cursor, Expectation* expectation);

}  // namespace bohr::trace::text

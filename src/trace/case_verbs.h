// SPDX-License-Identifier: Apache-2.0
// The verbs of actions, and ranges.
#pragma once

#include "base/result.h"
#include "trace/case_cursor.h"
#include "trace/case_statement.h"

namespace bohr::trace::text {

// `[@THREAD] NAME: verb …` up to the end of the verb.
Status parse_action(Cursor* cursor, Statement* statement);

Result<RangeRef> take_range(Cursor* cursor);

// The verb as it is written, for messages.
const char* verb_word(OpKind verb);

}  // namespace bohr::trace::text

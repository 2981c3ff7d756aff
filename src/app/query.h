// SPDX-License-Identifier: Apache-2.0
// SQL over a trace: a SQLite trace, an event log or the folder of a run.
#pragma once

#include <string>

#include "base/result.h"

namespace bohr::app {

enum class TableFormat { text, json, csv };

// The rows of one query that only looks. Ends with a line feed unless there is nothing to show.
Result<std::string> query(const std::string& path, const std::string& sql, TableFormat format);

}  // namespace bohr::app

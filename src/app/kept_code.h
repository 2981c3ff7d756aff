// SPDX-License-Identifier: Apache-2.0
// The machine code that a recorder kept beside a log, looked at where the log leaves open what a
// programmatic edge orders.
#pragma once

#include "base/result.h"
#include "model/program.h"
#include "trace/log_reader.h"

namespace bohr::app {

// The program of a log, with programmatic edges decided as far as the code that was kept tells. A
// note says why it does not where code was kept and there is no disassembler.
Result<Program> import_with_code(const trace::Log& log);

}  // namespace bohr::app

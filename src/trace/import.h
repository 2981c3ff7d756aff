// SPDX-License-Identifier: Apache-2.0
// Records -> program: what a recorder saw becomes ops, graphs, lifetimes and accesses.
#pragma once

#include "base/result.h"
#include "model/program.h"
#include "trace/log_reader.h"
#include "trace/machine_code.h"

namespace bohr::trace {

// `codes`: of kernels whose machine code was looked at.
Result<Program> import_log(const Log& log, const GridCodes& codes = {});

}  // namespace bohr::trace

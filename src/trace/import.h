// SPDX-License-Identifier: Apache-2.0
// Records -> program: what a recorder saw becomes ops, graphs, lifetimes and accesses.
#pragma once

#include "base/result.h"
#include "model/program.h"
#include "trace/log_reader.h"

namespace bohr::trace {

Result<Program> import_log(const Log& log);

}  // namespace bohr::trace

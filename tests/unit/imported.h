// SPDX-License-Identifier: Apache-2.0
// The program that a log tells of, where the log is a good one.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "log_builder.h"
#include "trace/import.h"

namespace bohr::trace {

inline Program imported(const LogBuilder& b) {
  Result<Program> program = import_log(b.log);
  EXPECT_TRUE(program.ok());
  return std::move(program).value();
}

}  // namespace bohr::trace

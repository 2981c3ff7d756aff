// SPDX-License-Identifier: Apache-2.0
// bohr check --compare: arms side by side.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace bohr::cli {

// The exit status.
int run_compare(const std::vector<std::string>& files, const CheckArguments& arguments,
                const app::CheckOptions& options);

}  // namespace bohr::cli

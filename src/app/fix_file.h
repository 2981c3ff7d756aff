// SPDX-License-Identifier: Apache-2.0
// From a file to repairs: checked, explored, and for each cause what would mend it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/explore_file.h"
#include "check/check.h"
#include "fix/setting.h"
#include "model/repair.h"

namespace bohr::app {

struct Fixed {
  Explored explored;
  std::optional<Repairs> repairs;
  std::optional<Error> refusal;  // why there are none
  // What repairs were looked for in where the program is too long (reason `fix-some-launches`): a
  // launch of each graph with a finding. Graphs, ops and lifetimes have the program's numbers.
  std::optional<Checked> narrowed = std::nullopt;
};

// What the verdict of an explored program was made with: what replays settled, too.
check::Options check_options(const CheckOptions& check, const Explored& explored);

// Of a recorded program the orders that its exploration showed to be right.
fix::ShownOrders shown_in(const Program& program, const Explored& explored);

// A program without findings has nothing to be repaired.
std::vector<Fixed> fix_all(std::vector<Explored> explored, const CheckOptions& check,
                           const explore::Options& options);
// Everything that `path` holds.
Result<std::vector<Fixed>> fix_path(const std::string& path, const CheckOptions& check,
                                    const explore::Options& options);

std::vector<report::Subject> subjects_of(std::span<const Fixed> fixed);
ExitStatus status_of(std::span<const Fixed> fixed, const std::vector<HazardClass>& require);

}  // namespace bohr::app

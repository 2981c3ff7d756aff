// SPDX-License-Identifier: Apache-2.0
// What could be changed, as text and as JSON: for each cause the proposals, the preferred one
// first, with what verifying each of them gave.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "report/entries.h"
#include "report/layout.h"

namespace bohr::report {

// What a part asks for, with file and line where they are known.
std::string part_text(const Program& program, const RepairPart& part);

void add_repairs(Page* page, std::span<const Subject> subjects);
// One object for each part; `proposal` numbers those that belong together.
nlohmann::ordered_json repairs_json(std::span<const Subject> subjects);
// What the repairs' costs are held against, one object for each subject that has any.
nlohmann::ordered_json repair_costs_json(std::span<const Subject> subjects);

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// What repairs cost, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/repair.h"
#include "report/layout.h"

namespace bohr::report {

// A repair by the name that it has on the page.
using NamedCost = std::pair<std::string, const Cost*>;

// Nothing where there is no repair to hold against the program.
void add_costs(Page* page, const Costs& costs, const std::vector<NamedCost>& repairs);

// {"step_us": {"value": …, "low": …, "high": …}, …}; what is not known is null.
nlohmann::ordered_json cost_json(const Cost& cost);
nlohmann::ordered_json costs_json(const Costs& costs);

}  // namespace bohr::report

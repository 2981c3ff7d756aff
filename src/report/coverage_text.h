// SPDX-License-Identifier: Apache-2.0
// What was checked and what was not, by class, for people.
#pragma once

#include <array>
#include <vector>

#include "model/verdict.h"
#include "report/layout.h"

namespace bohr::report {

void add_coverage(Page* page, const std::array<Coverage, kHazardClasses>& coverage);

// The classes that are completely covered, comma separated as --require takes them.
std::string complete_classes(const std::array<Coverage, kHazardClasses>& coverage);

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// Which repair of a cause comes first once it is known what each costs.
#pragma once

#include <span>

#include "model/repair.h"

namespace bohr::fix {

// Of one cause: the verified ones first, of these the one with fewest changes, then with the
// shorter critical path, then with less memory. Where the critical path of a verified one is not
// known, as they were.
void by_preference(std::span<Repair> proposals);

}  // namespace bohr::fix

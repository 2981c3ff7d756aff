// SPDX-License-Identifier: Apache-2.0
// The legal serial orders in which every read sees its intended writer.
#pragma once

#include <optional>
#include <vector>

#include "explore/intended.h"

namespace bohr::explore {

struct RightOrder {
  std::optional<Schedule> schedule;
  bool given_up = false;  // there may be one: the search was ended before all was tried
};

// The right order nearest to issue order that the search finds, if it finds one: issue order first;
// else each foreign write is put on the side of the span from writer to reader that order forces,
// and where none does on the side that issue order suggests. It makes at most `trials` changes of
// mind, and looks at no more than a second allows: where every step races for one block there are
// too many sides to choose.
RightOrder right_order(const order::StepOrder& order, const Footprints& uses,
                       const std::vector<Intent>& intents, int64_t trials);

}  // namespace bohr::explore

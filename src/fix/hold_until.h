// SPDX-License-Identifier: Apache-2.0
// For how long a block has to be held so that all its uses are done before its owner stream goes
// on: until a join that exists already.
#pragma once

#include "fix/setting.h"

namespace bohr::fix {

// Where the block's owner stream, some time after the block is given back now, has waited for all
// its uses: before the first op or node that runs after them, or behind the wait that makes it so.
// In a capture its end is a join. An unknown point where there is none, for then no join exists.
Point join_after(const Setting& setting, LifetimeId block);

}  // namespace bohr::fix

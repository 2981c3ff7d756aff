// SPDX-License-Identifier: Apache-2.0
// Which accesses to a block belong together because they carry one value from its writer to its
// readers: what compilers call webs. Different webs of one block share its bytes and nothing else,
// so each could have memory of its own: a workspace for each stream, a second buffer.
//
// A read belongs to its intended writer, and atomic updates of one cell belong together. What
// updates belongs to both sides, unless updates may be parted: then what it reads and what it
// writes are two values, which asks for a kernel that writes elsewhere than it reads. On cells
// where nothing races, everything belongs together. A web that begins with what was there before,
// or ends in what is an output, must stay where it is.
#pragma once

#include <set>
#include <vector>

#include "base/result.h"
#include "fix/setting.h"
#include "model/repair.h"

namespace bohr::fix {

struct Web {
  std::vector<AccessRef> accesses;  // in the order of graphs and tables
  bool movable = false;
};

std::vector<Web> webs_of(const Setting& setting, LifetimeId block, bool parts_updates);

// Whether with repairs in place every read still sees the writer that was meant before, wherever
// that now writes. Steps of both programs are the same. `blocks`: only reads of these; none: all.
Result<bool> keeps_intents(const Setting& setting, const Program& repaired,
                           const std::set<LifetimeId>& blocks);

}  // namespace bohr::fix

// SPDX-License-Identifier: Apache-2.0
// How a running program is told that somebody wants to explore its launches: a page in a private
// file, <pid>.attach in the folder of the run, that the agent maps and looks at before each launch
// of a graph. That is one load from memory; there is no thread and no socket until somebody writes.
//
// Who attaches fills in `socket` and then raises `turn`. An empty path means that nobody listens
// any more. Whoever it is, the agent connects to a socket of its own user alone (replay/hold.h).
#pragma once

#include <atomic>
#include <cstdint>

namespace bohr::replay {

constexpr uint64_t kAttachMagic = 0x31636174746f6862;  // "bohttac1", as bytes

struct AttachPage {
  uint64_t magic = kAttachMagic;
  std::atomic<uint64_t> turn{0};
  uint64_t launch = 1;    // of each graph that was instantiated before: from now, from 1
  char socket[108] = {};  // as in sockaddr_un, with its zero
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace bohr::replay

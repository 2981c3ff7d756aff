// SPDX-License-Identifier: Apache-2.0
// How a held launch is offered by the process that is about to make it, and taken or left by
// whoever explores. One connection a hold:
//
//   agent   Offer    "I hold this launch"
//   bohr    Answer   "go on", or "explore: these steps", or "go on with the search"
//   agent   done, or refused with the reason
//   then the requests of replay/service.h, until bohr pauses or closes
#pragma once

#include "replay/plan.h"
#include "replay/wire.h"

namespace bohr::replay {

struct Offer {
  std::string version;  // of the agent
  std::string log;      // the process's log, as a path
  uint32_t exec = 0;    // recorder's numbers
  uint32_t graph = 0;
  uint64_t launch = 0;  // of that exec, from 1
  uint64_t nodes = 0;
  bool paused = false;  // a search of this exec is paused, and can go on now
};

struct Answer {
  bool explore = false;
  uint64_t ask_again = 0;   // at that launch; 0: never
  uint64_t rest_ms = 0;     // and not before so long
  uint64_t longest_ms = 0;  // what may run at one go, or else hangs
  uint64_t slice_ms = 500;  // for which a timing begins new rounds
  Plan plan;
  std::vector<int32_t> nodes;  // of the graph, by step
};

Bytes body_of(const Offer& offer);
Bytes body_of(const Answer& answer);
Result<Offer> offer_of(std::span<const uint8_t> body);
Result<Answer> answer_of(std::span<const uint8_t> body);

}  // namespace bohr::replay

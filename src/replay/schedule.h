// SPDX-License-Identifier: Apache-2.0
// What every replayer refuses before it runs anything.
#pragma once

#include "replay/replayer.h"

namespace bohr::replay {

// Codes: `schedule-steps` when the order is no permutation of the steps, `replay-pin` when a pin
// does not fit its step, `replay-request` when what needs stepwise is asked of a whole run, or
// when ignored ranges are in no order.
// `pin_bytes(step)` is the length of that step's contents.
template <class PinBytes>
Status check_request(const Replayer& replayer, const Request& request, PinBytes&& pin_bytes);

Status check_order(const Replayer& replayer, std::span<const int32_t> order);
Status check_parts(const Replayer& replayer, const Request& request);
Error bad_pin(const Replayer& replayer, int32_t step);
// `replay-request` when a variant names steps that are none.
Status check_variants(const Replayer& replayer, std::span<const Variant> variants);
Status check_moves(const Replayer& replayer, std::span<const Move> moved);
// `replay-moved`, of those that cannot.
Status refuse_moved(const Replayer& replayer, std::span<const Move> moved);
Error no_timing(const Replayer& replayer, std::string why);

template <class PinBytes>
Status check_request(const Replayer& replayer, const Request& request, PinBytes&& pin_bytes) {
  BOHR_TRY_STATUS(check_order(replayer, request.order));
  BOHR_TRY_STATUS(check_parts(replayer, request));
  for (const Pin& pin : request.pins)
    if (pin.bytes.size() != pin_bytes(pin.step)) return bad_pin(replayer, pin.step);
  return Nothing{};
}

}  // namespace bohr::replay

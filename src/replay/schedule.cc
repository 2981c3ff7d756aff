// SPDX-License-Identifier: Apache-2.0
// The checks are of numbers only; that a schedule respects happens-before is the caller's business.
#include "replay/schedule.h"

#include <algorithm>
#include <string>

namespace bohr::replay {

namespace {

bool is_step(const Replayer& replayer, int32_t step) {
  return step >= 0 && static_cast<size_t>(step) < replayer.steps().size();
}

Error bad_schedule(const Replayer& replayer, std::string why) {
  return {"schedule-steps", replayer.program().source, "", std::move(why),
          "name every step of the program once"};
}

}  // namespace

Status check_order(const Replayer& replayer, std::span<const int32_t> order) {
  if (order.size() != replayer.steps().size()) {
    return bad_schedule(replayer, "the schedule has " + std::to_string(order.size()) +
                                      " steps, the program " +
                                      std::to_string(replayer.steps().size()));
  }
  std::vector<uint8_t> named(order.size(), 0);
  for (const int32_t step : order) {
    if (!is_step(replayer, step) || named[static_cast<size_t>(step)]++) {
      return bad_schedule(replayer, "the schedule names step " + std::to_string(step) +
                                        ", which the program does not have, or names it twice");
    }
  }
  return Nothing{};
}

Status check_parts(const Replayer& replayer, const Request& request) {
  const auto refuse = [&](std::string why) {
    return Error{"replay-request", replayer.program().source, "", std::move(why),
                 "this is a bug in whoever asked"};
  };
  const bool looks = !request.expected.empty() || !request.keep.empty() || request.observe;
  if (looks && !request.stepwise) return refuse("what each step wrote is seen stepwise only");
  if (!request.expected.empty() && request.expected.size() != replayer.steps().size())
    return refuse("one expected digest is needed for each step");
  for (const int32_t step : request.keep)
    if (!is_step(replayer, step)) return refuse("a step that is to be kept does not exist");
  for (size_t i = 0; i < request.ignored.size(); ++i) {
    const bool apart = i == 0 || request.ignored[i - 1].end <= request.ignored[i].begin;
    if (request.ignored[i].empty() || !apart)
      return refuse("ignored ranges are empty, or not sorted and disjoint");
  }
  for (const Pin& pin : request.pins)
    if (!is_step(replayer, pin.step)) return bad_pin(replayer, pin.step);
  return check_moves(replayer, request.moved);
}

Status check_moves(const Replayer& replayer, std::span<const Move> moved) {
  const auto fits = [&](const Move& move) {
    return !move.from.empty() && std::all_of(move.steps.begin(), move.steps.end(),
                                             [&](int32_t step) { return is_step(replayer, step); });
  };
  if (std::all_of(moved.begin(), moved.end(), fits)) return Nothing{};
  return Error{"replay-request", replayer.program().source, "",
               "other memory is wanted for nothing, or for steps that do not exist",
               "this is a bug in whoever asked"};
}

Status check_variants(const Replayer& replayer, std::span<const Variant> variants) {
  const auto refuse = [&](std::string why) {
    return Error{"replay-request", replayer.program().source, "", std::move(why),
                 "this is a bug in whoever asked"};
  };
  for (const Variant& variant : variants) {
    if (!variant.serial.empty()) BOHR_TRY_STATUS(check_order(replayer, variant.serial));
    if (!variant.serial.empty() && !variant.more.empty())
      return refuse("a serial order cannot be given more order");
    BOHR_TRY_STATUS(check_moves(replayer, variant.moved));
    for (const auto& [from, to] : variant.more)
      if (!is_step(replayer, from) || !is_step(replayer, to) || from == to)
        return refuse("order is wanted between steps that do not exist");
  }
  return Nothing{};
}

Error no_timing(const Replayer& replayer, std::string why) {
  return {"no-timing", replayer.program().source, "", std::move(why),
          "measure the repaired program itself"};
}

Status refuse_moved(const Replayer& replayer, std::span<const Move> moved) {
  if (moved.empty()) return Nothing{};
  return Error{"replay-moved", replayer.program().source, "",
               "its blocks cannot be given other memory where it is replayed",
               "replay a program that has them elsewhere"};
}

Result<Outcome> Replayer::run_variant(const Variant&) {
  return Error{"no-own-run", program().source, "", "it cannot run otherwise than it does",
               "run orders of steps"};
}

Result<Timings> Replayer::time(std::span<const Variant>, int32_t) {
  return no_timing(*this, "where its steps run there is no clock");
}

Error bad_pin(const Replayer& replayer, int32_t step) {
  return {"replay-pin", replayer.program().source, "step " + std::to_string(step),
          "the pinned contents do not fit what the step writes",
          "pin what a run of the same program kept of this step"};
}

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Repairs that a run verified in a copy, held against a recording of the patched program: what a
// copy cannot show is whether the program was changed as proposed, and still does the work.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/check_file.h"
#include "base/result.h"

namespace bohr::app {

enum class Confirmed : uint8_t {
  yes,        // both sides are there, and the mistake is not
  no,         // it is still there
  undecided,  // a pair of its kind is there that only replays decide
  unknown     // the new recording does not get to the two sides, or not whole
};

struct Confirmation {
  std::string site;
  std::string repair;  // what was proposed: "keep logits until topk"
  Confirmed confirmed = Confirmed::unknown;
  std::string why;  // for people
};

// Those that findings.json in `before` calls verified in a copy; `before` is the folder of a run,
// or that of an attachment below it. Errors: `confirm-nothing` where there are none, and those of
// reading and checking what lies there.
Result<std::vector<Confirmation>> confirm(const std::string& before, std::span<const Checked> now,
                                          const CheckOptions& options);

std::string confirmation_line(const Confirmation& confirmation);

}  // namespace bohr::app

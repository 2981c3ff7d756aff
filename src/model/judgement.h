// SPDX-License-Identifier: Apache-2.0
// What became of a case's expectations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bohr {

// `open`: who judged could not tell; a check leaves witnesses and fixes to the stages that find
// them.
enum class Judged : uint8_t { met, failed, open };

struct Judgement {
  Judged state = Judged::met;
  int32_t line = 0;      // of the expectation; 0 for a finding that nobody expected
  std::string sentence;  // what was expected, and what was found where that differs
};

inline int64_t count(const std::vector<Judgement>& judgements, Judged state) {
  return std::count_if(judgements.begin(), judgements.end(),
                       [&](const Judgement& judgement) { return judgement.state == state; });
}

}  // namespace bohr

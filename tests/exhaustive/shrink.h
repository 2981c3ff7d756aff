// SPDX-License-Identifier: Apache-2.0
// Makes a failing list of lines shorter: takes out ever smaller runs of lines while it still fails.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bohr::naive {

using Lines = std::vector<std::string>;

// `fails` must hold for `lines`; it holds for the result, from which no single line can be taken.
inline Lines shrink(Lines lines, const std::function<bool(const Lines&)>& fails) {
  for (size_t run = lines.size() / 2; run > 0;) {
    bool shorter = false;
    for (size_t at = 0; at + run <= lines.size();) {
      Lines less = lines;
      less.erase(less.begin() + static_cast<ptrdiff_t>(at),
                 less.begin() + static_cast<ptrdiff_t>(at + run));
      if (fails(less)) {
        lines = std::move(less);
        shorter = true;
      } else {
        ++at;
      }
    }
    if (!shorter) run /= 2;
  }
  return lines;
}

}  // namespace bohr::naive

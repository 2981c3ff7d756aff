// SPDX-License-Identifier: Apache-2.0
// Reports a broken internal condition and stops: going on would risk a wrong verdict.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace bohr {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr,
               "bohr: internal error: '%s' does not hold at %s:%d. This is a bug of bohr; please "
               "report it with the input.\n",
               expression, file, line);
  std::abort();
}

}  // namespace bohr

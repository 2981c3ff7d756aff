// SPDX-License-Identifier: Apache-2.0
// BOHR_CHECK: a condition that only a bug of ours can break. Stays on in release.
#pragma once

namespace bohr {
[[noreturn]] void check_failed(const char* expression, const char* file, int line);
}  // namespace bohr

#define BOHR_CHECK(condition) \
  ((condition) ? void(0) : ::bohr::check_failed(#condition, __FILE__, __LINE__))

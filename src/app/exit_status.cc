// SPDX-License-Identifier: Apache-2.0
// Verdict -> exit status.
#include "app/exit_status.h"

#include <algorithm>

#include "check/check.h"

namespace bohr::app {

namespace {

int rank(ExitStatus status) {
  switch (status) {
    case ExitStatus::clean:
      return 0;
    case ExitStatus::incomplete:
      return 1;
    case ExitStatus::program_failed:
      return 2;
    case ExitStatus::findings:
      return 3;
    case ExitStatus::unusable:
      break;
  }
  return 4;
}

std::vector<HazardClass> all_classes() {
  std::vector<HazardClass> all;
  for (size_t i = 0; i < kHazardClasses; ++i) all.push_back(static_cast<HazardClass>(i));
  return all;
}

}  // namespace

ExitStatus worst(ExitStatus a, ExitStatus b) { return rank(a) >= rank(b) ? a : b; }

ExitStatus status_of(const Verdict& verdict, const std::vector<HazardClass>& require) {
  const bool race = std::ranges::any_of(verdict.findings, [](const Finding& finding) {
    return !finding.suppressed && !finding.latent;
  });
  if (race) return ExitStatus::findings;
  const bool complete = check::complete_for(verdict, require.empty() ? all_classes() : require);
  return complete ? ExitStatus::clean : ExitStatus::incomplete;
}

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Exit statuses and which of two stands. The numbers are a contract with users' scripts.
#pragma once

#include <span>
#include <vector>

#include "model/verdict.h"

namespace bohr::app {

enum class ExitStatus : int {
  clean = 0,
  findings = 1,        // not suppressed, not latent
  unusable = 2,        // wrong usage or unreadable input
  incomplete = 3,      // a required class is not complete, or only latent findings
  program_failed = 4,  // the program under test failed by itself
};

// The higher in this order: unusable, findings, program_failed, incomplete, clean.
ExitStatus worst(ExitStatus a, ExitStatus b);

// Every class where `require` is empty.
ExitStatus status_of(const Verdict& verdict, const std::vector<HazardClass>& require);

}  // namespace bohr::app

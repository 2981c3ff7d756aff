// SPDX-License-Identifier: Apache-2.0
// A hand-made program and verdict: one graph in which a block is dropped while a side stream still
// reads it, as a recorder with stacks would see it.
#pragma once

#include "model/program.h"
#include "model/verdict.h"

namespace bohr::test {

struct Sample {
  Program program;
  Verdict verdict;
};

Sample reuse_sample();      // one reuse cause in 3 places, data undecided
Sample clean_sample();      // the same program, nothing found, everything checked
Sample undecided_sample();  // no finding; two candidates, one class not checked

}  // namespace bohr::test

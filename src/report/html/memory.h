// SPDX-License-Identifier: Apache-2.0
// The bytes that a pair races for, over the issue order of its graph: whose they are when, and who
// touches them.
#pragma once

#include "model/program.h"
#include "model/verdict.h"
#include "report/html/page.h"

namespace bohr::report::html {

// The pair's sides are nodes of one graph. An access may run from behind the last node that is
// ordered before it to the first that is ordered after it.
MemoryPicture memory_picture(const Program& program, const Finding& finding);
Table memory_numbers(const MemoryPicture& picture);

}  // namespace bohr::report::html

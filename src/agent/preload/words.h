// SPDX-License-Identifier: Apache-2.0
// Calls whose parameters nobody looks at. The driver's functions take integers, pointers and small
// structs alone, each in a register or, from the seventh on, in a word of the stack, on both
// machines that we build for (x86-64, aarch64): so a call can be handed on as words. A function
// ignores words that it has no parameter for.
#pragma once

#include <cstdint>

namespace bohr::agent {

using Word = uint64_t;
using AnyCall = Word (*)(Word, Word, Word, Word, Word, Word);
using AnyLongCall = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                             Word, Word, Word, Word);

}  // namespace bohr::agent

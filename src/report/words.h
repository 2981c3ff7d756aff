// SPDX-License-Identifier: Apache-2.0
// Words and figures for people: the names of classes and reasons, counts, sizes, ranges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/access.h"
#include "model/program.h"
#include "model/verdict.h"

namespace bohr::report {

// What users call a class: "memory reused too early".
const char* class_words(HazardClass cls);
// What examining a class counts: "lifetimes".
const char* examined_words(HazardClass cls);
// A named reason in plain words; empty for a name that is not known here.
std::string_view reason_words(std::string_view reason);
std::string_view assumption_words(std::string_view assumption);

const char* mode_word(AccessMode mode);        // "read", …
const char* source_word(AccessSource source);  // "params", …
const char* state_word(CoverageState state);   // "complete", "undecided", "not-checked"
const char* outcome_word(Outcome outcome);     // "clean", …
const char* op_word(OpKind kind);              // "kernel", …

// "stream main", but "stream 2" for a name that says what it is already.
std::string noun(std::string_view kind, std::string_view name);
std::string count(int64_t number);                         // "1,204"
std::string count(int64_t number, std::string_view noun);  // "1 graph", "1,204 nodes"
std::string bytes(uint64_t size);                          // "64 KiB"
std::string duration(int64_t nanoseconds);                 // "41 us"
std::string range(uint64_t begin, uint64_t end);           // "[0, 64K)"

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// That no function is recorded which the preloaded library does not define.
#pragma once

#include <cstddef>
#include <string_view>

namespace bohr::agent {

// Of a row of the tables in *_calls.cc. Does not compile where linked_names.inc lacks the name, or
// has it with another number of parameters.
consteval const char* linked_name(std::string_view name, size_t parameters) {
#define BOHR_LINKED_SHORT(known) \
  if (name == #known && parameters <= 6) return #known;
#define BOHR_LINKED_LONG(known) \
  if (name == #known && parameters > 6 && parameters <= 16) return #known;
#include "agent/linked_names.inc"
#undef BOHR_LINKED_SHORT
#undef BOHR_LINKED_LONG
  throw "linked_names.inc lacks this function";
}

}  // namespace bohr::agent

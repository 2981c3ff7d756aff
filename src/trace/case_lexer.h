// SPDX-License-Identifier: Apache-2.0
// The lexis of a .case text: lines, words and sizes. Nothing here knows a statement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bohr::trace::text {

constexpr size_t kMaxLineBytes = 1 << 20;

// An error of one line; read_case adds what was read.
Error case_error(const char* code, int32_t line, std::string why, std::string remedy);

// A word is a run of letters, digits, `_`, `.`, `-` and bytes beyond ASCII; `->` and each other
// printable character stand for themselves.
struct Token {
  std::string_view text;
  bool is_word = false;
};

// The tokens of one line, with its comment left out. Refuses NULs, what is no UTF-8, and overlong
// lines, comments included.
Status tokenize(std::string_view line, int32_t number, std::vector<Token>* tokens);

// The next line without its end, taking it off `text`.
std::string_view take_line(std::string_view* text);

bool is_identifier(std::string_view word);
bool is_utf8(std::string_view text);

// SIZE: a decimal number with an optional K, M or G.
enum class SizeFault : uint8_t { none, malformed, overflow };
SizeFault parse_size(std::string_view word, uint64_t* size);

}  // namespace bohr::trace::text

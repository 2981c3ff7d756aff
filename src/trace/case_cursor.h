// SPDX-License-Identifier: Apache-2.0
// Walks over the tokens of one line; each `take_…` names what it expected when it fails.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/case_lexer.h"

namespace bohr::trace::text {

class Cursor {
 public:
  Cursor(const std::vector<Token>& tokens, int32_t line) : tokens_(tokens), line_(line) {}

  bool done() const { return at_ == tokens_.size(); }
  std::string_view peek() const { return done() ? std::string_view() : tokens_[at_].text; }
  std::string_view peek_second() const {
    return at_ + 1 < tokens_.size() ? tokens_[at_ + 1].text : std::string_view();
  }
  int32_t line() const { return line_; }

  // Takes the next token if it is `text`.
  bool accept(std::string_view text);

  Result<std::string_view> take_word(const char* what);
  Result<std::string_view> take_identifier(const char* what);
  Result<uint64_t> take_size(const char* what);
  Status take_exactly(const char* text);
  Status take_end() const;

  // "case-syntax" at the next token: "expected WHAT, found 'x'".
  Error unexpected(const std::string& what) const;

 private:
  const std::vector<Token>& tokens_;
  int32_t line_;
  size_t at_ = 0;
};

}  // namespace bohr::trace::text

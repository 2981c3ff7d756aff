// SPDX-License-Identifier: Apache-2.0
// Takes words, names and sizes off a line.
#include "trace/case_cursor.h"

namespace bohr::trace::text {

bool Cursor::accept(std::string_view text) {
  if (peek() != text) return false;
  ++at_;
  return true;
}

Result<std::string_view> Cursor::take_word(const char* what) {
  if (done() || !tokens_[at_].is_word) return unexpected(what);
  return tokens_[at_++].text;
}

Result<std::string_view> Cursor::take_identifier(const char* what) {
  if (!is_identifier(peek())) return unexpected(what);
  return tokens_[at_++].text;
}

Result<uint64_t> Cursor::take_size(const char* what) {
  uint64_t size = 0;
  switch (parse_size(peek(), &size)) {
    case SizeFault::malformed:
      return unexpected(what);
    case SizeFault::overflow:
      return case_error("case-size", line_, "'" + std::string(peek()) + "' does not fit 64 bits",
                        "use a smaller size");
    case SizeFault::none:
      break;
  }
  ++at_;
  return size;
}

Status Cursor::take_exactly(const char* text) {
  if (accept(text)) return Nothing{};
  return unexpected("'" + std::string(text) + "'");
}

Status Cursor::take_end() const {
  if (done()) return Nothing{};
  return unexpected("the end of the line");
}

Error Cursor::unexpected(const std::string& what) const {
  const std::string found = done() ? "the end of the line" : "'" + std::string(peek()) + "'";
  return case_error("case-syntax", line_, "expected " + what + ", found " + found,
                    "docs/case-format.md has the form of each statement");
}

}  // namespace bohr::trace::text

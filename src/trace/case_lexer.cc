// SPDX-License-Identifier: Apache-2.0
// Splits a .case text into lines and words.
#include "trace/case_lexer.h"

#include <utility>

namespace bohr::trace::text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_word_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_arrow(std::string_view text, size_t at) {
  return at + 1 < text.size() && text[at] == '-' && text[at + 1] == '>';
}

// The length of the UTF-8 sequence at the head of `text`, or 0. Surrogates, overlong forms and
// what lies beyond U+10FFFF are refused.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](size_t i, unsigned low, unsigned high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

Status check_bytes(std::string_view line, int32_t number) {
  if (line.size() > kMaxLineBytes) {
    return case_error("case-encoding", number, "the line is longer than 1 MiB",
                      "a case is text with one statement a line; check that this is a case");
  }
  if (line.find('\0') != std::string_view::npos) {
    return case_error("case-encoding", number, "the line has a NUL byte",
                      "a case is UTF-8 text; check that this is a case");
  }
  if (!is_utf8(line)) {
    return case_error("case-encoding", number, "the line is not UTF-8", "save the file as UTF-8");
  }
  return Nothing{};
}

}  // namespace

Error case_error(const char* code, int32_t line, std::string why, std::string remedy) {
  return {code, "", "line " + std::to_string(line), std::move(why), std::move(remedy)};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view take_line(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

Status tokenize(std::string_view line, int32_t number, std::vector<Token>* tokens) {
  tokens->clear();
  BOHR_TRY_STATUS(check_bytes(line, number));
  size_t at = 0;
  while (at < line.size() && line[at] != '#') {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && is_word_byte(line[end]) && !is_arrow(line, end)) ++end;
    const bool word = end > at;
    if (!word) end = at + (is_arrow(line, at) ? 2 : 1);
    tokens->push_back({line.substr(at, end - at), word});
    at = end;
  }
  return Nothing{};
}

bool is_identifier(std::string_view word) {
  if (word.empty() || !(is_letter(word[0]) || word[0] == '_')) return false;
  for (const char c : word) {
    if (!is_letter(c) && !is_digit(c) && c != '_' && c != '.') return false;
  }
  return true;
}

SizeFault parse_size(std::string_view word, uint64_t* size) {
  int shift = 0;
  if (!word.empty()) {
    shift = word.back() == 'K' ? 10 : word.back() == 'M' ? 20 : word.back() == 'G' ? 30 : 0;
    if (shift != 0) word.remove_suffix(1);
  }
  if (word.empty()) return SizeFault::malformed;
  uint64_t value = 0;
  bool overflow = false;
  for (const char c : word) {
    if (!is_digit(c)) return SizeFault::malformed;
    const auto digit = static_cast<uint64_t>(c - '0');
    overflow = overflow || value > (UINT64_MAX - digit) / 10;
    value = value * 10 + digit;
  }
  if (overflow || value > (UINT64_MAX >> shift)) return SizeFault::overflow;
  *size = value << shift;
  return SizeFault::none;
}

}  // namespace bohr::trace::text

// SPDX-License-Identifier: Apache-2.0
// Fills words into lines. Colour is applied to whole lines after wrapping, so it takes no columns.
#include "report/layout.h"

#include <algorithm>

namespace bohr::report {

namespace {

constexpr size_t kKeyColumn = 17;   // where the values of fields begin
constexpr size_t kLeastValue = 20;  // narrower than this, a value goes below its key

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The byte position after `count` code points.
size_t position(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count > 0) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
    --count;
  }
  return at;
}

const char* code(Ink ink) {
  switch (ink) {
    case Ink::bold:
      return "\033[1m";
    case Ink::red:
      return "\033[1;31m";
    case Ink::yellow:
      return "\033[1;33m";
    case Ink::green:
      return "\033[1;32m";
    case Ink::dim:
      return "\033[2m";
    case Ink::plain:
      break;
  }
  return "";
}

}  // namespace

size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return out;
}

std::string shortened(std::string_view text, size_t most) {
  const size_t size = columns(text);
  if (size <= most) return std::string(text);
  const size_t head = (most - 1) / 2;
  const size_t tail = most - 1 - head;
  return std::string(text.substr(0, position(text, head))) + "…" +
         std::string(text.substr(position(text, size - tail)));
}

std::vector<std::string> wrap(std::string_view text, size_t width) {
  width = std::max<size_t>(width, 1);
  std::vector<std::string> lines;
  std::string line;
  auto flush = [&] { lines.push_back(std::move(line)), line.clear(); };
  while (!text.empty()) {
    const size_t start = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = std::min(text.find(' ', start), text.size());
    std::string gap(text.substr(0, start));
    std::string_view word = text.substr(start, end - start);
    text.remove_prefix(end);
    if (word.empty()) break;
    if (!line.empty() && columns(line) + gap.size() + columns(word) > width) flush();
    if (!line.empty()) line += gap;
    while (columns(word) > width) {
      const size_t cut = position(word, width);
      line = word.substr(0, cut), flush();
      word.remove_prefix(cut);
    }
    line += word;
  }
  if (!line.empty() || lines.empty()) flush();
  return lines;
}

std::string padded(std::string text, size_t width) {
  const size_t size = columns(text);
  if (size < width) text.append(width - size, ' ');
  return text;
}

void Page::line(std::string_view text, Ink ink) {
  const size_t last = text.find_last_not_of(' ');
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const bool coloured = style_.colour && ink != Ink::plain && !text.empty();
  if (coloured) text_ += code(ink);
  text_ += text;
  if (coloured) text_ += "\033[0m";
  text_ += '\n';
}

void Page::blank() { text_ += '\n'; }

void Page::paragraph(std::string_view text, Ink ink, size_t indent) {
  for (const std::string& part : wrap(printable(text), width() - std::min(indent, width() - 1))) {
    line(std::string(indent, ' ') + part, ink);
  }
}

void Page::verbatim(std::string_view text, size_t indent) {
  line(std::string(indent, ' ') + printable(text));
}

void Page::heading(std::string_view left, std::string_view right, Ink ink) {
  const std::string start = printable(left);
  const std::string end = printable(right);
  const size_t taken = columns(start) + columns(end);
  if (taken + 3 <= width()) {
    line(start + std::string(width() - taken, ' ') + end, ink);
  } else {
    line(start, ink);
    line("  " + end, ink);
  }
}

void Page::field(std::string_view key, std::string_view value) {
  std::string start = "  " + printable(key);
  size_t column = kKeyColumn;
  if (columns(start) + 1 > column || width() < column + kLeastValue) {
    line(start);
    start.clear();
    column = 4;
  }
  for (const std::string& part : wrap(printable(value), width() - std::min(column, width() - 1))) {
    line(padded(std::move(start), column) + part);
    start.clear();
  }
}

void Page::row(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
               std::string_view last, size_t indent) {
  std::string start(indent, ' ');
  for (size_t i = 0; i < cells.size(); ++i) start += padded(printable(cells[i]), widths[i]) + "  ";
  size_t column = columns(start);
  if (width() < column + kLeastValue) {
    line(start);
    if (last.empty()) return;
    column = indent + 4;
    start.clear();
  }
  for (const std::string& part : wrap(printable(last), width() - std::min(column, width() - 1))) {
    line(padded(std::move(start), column) + part);
    start.clear();
  }
}

}  // namespace bohr::report

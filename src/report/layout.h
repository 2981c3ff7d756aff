// SPDX-License-Identifier: Apache-2.0
// A page of text of a given width: paragraphs, "key  value" fields, rows of a table. Text that came
// from a trace is made printable here, so no name in a trace can send control codes to a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bohr::report {

struct Style {
  int width = 80;
  bool colour = false;
};

enum class Ink { plain, bold, red, yellow, green, dim };

// Columns a text takes: code points, as good as it gets without a table of wide characters.
size_t columns(std::string_view text);
// Control characters become '?'.
std::string printable(std::string_view text);
// At most `most` columns, the middle replaced by an ellipsis.
std::string shortened(std::string_view text, size_t most);
// Words filled into lines of at most `width` columns; a longer word is cut.
std::vector<std::string> wrap(std::string_view text, size_t width);
std::string padded(std::string text, size_t width);

class Page {
 public:
  explicit Page(Style style) : style_(style) {}

  size_t width() const { return static_cast<size_t>(style_.width); }
  void blank();
  void paragraph(std::string_view text, Ink ink = Ink::plain, size_t indent = 0);
  // One line, whatever its length: for commands, which must survive being copied.
  void verbatim(std::string_view text, size_t indent = 0);
  // `left` and, at the right edge where both fit, `right`.
  void heading(std::string_view left, std::string_view right, Ink ink);
  // "  key            value", the value wrapped beside the key.
  void field(std::string_view key, std::string_view value);
  // Cells of the given widths, then a last cell that is wrapped: beside the others where at least
  // 20 columns are left for it, else below them.
  void row(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
           std::string_view last, size_t indent = 2);

  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view text, Ink ink = Ink::plain);
  Style style_;
  std::string text_;
};

}  // namespace bohr::report

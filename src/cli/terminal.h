// SPDX-License-Identifier: Apache-2.0
// What is printed, and on what.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/layout.h"

namespace bohr::cli {

// Of standard output: its width and colour where it is a terminal, else 80 columns and plain.
report::Style output_style();
bool output_is_terminal();

// To standard output, at once. False when that failed, which has then been said.
bool print(std::string_view text);
// "bohr: …" to standard error.
void say(std::string_view line);
void say_error(const Error& error);

// Says on standard error what is being done, once it has taken a second.
class Progress {
 public:
  explicit Progress(std::string doing);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// Starts a program to ask it something: what it says on standard output, within a time, however it
// ends. Its input and its errors are /dev/null.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace bohr::app {

struct Said {
  bool started = false;
  bool in_time = false;  // it ended by itself; else it was killed
  int pid = 0;
  int status = 0;  // its code, or 128 plus the signal that ended it
  std::string text;
};

// `variables` are set in its environment; one with an empty value counts as not set for our own.
Said ask_program(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& variables,
                 std::chrono::milliseconds patience);

// As execvp looks for it; empty: there is none.
std::string find_program(const std::string& name);

// The values of the lines "key=value" of a text. Of a key that stands there often, all.
std::vector<std::string> answers(const std::string& text, const std::string& key);
std::string answer(const std::string& text, const std::string& key);  // the first, or nothing

}  // namespace bohr::app

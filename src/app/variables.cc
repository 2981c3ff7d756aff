// SPDX-License-Identifier: Apache-2.0
#include "app/variables.h"

extern char** environ;

namespace bohr::app {

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> list;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string entry = *at;
    if (variables.count(entry.substr(0, entry.find('='))) == 0) list.push_back(entry);
  }
  for (const auto& [name, value] : variables) {
    std::string& entry = list.emplace_back(name);
    entry += '=';
    entry += value;
  }
  return list;
}

std::vector<char*> pointers_to(std::vector<std::string>* strings) {
  std::vector<char*> list;
  for (std::string& string : *strings) list.push_back(string.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace bohr::app

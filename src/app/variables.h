// SPDX-License-Identifier: Apache-2.0
// The environment and arguments of a program that we start, as exec wants them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace bohr::app {

// Our own environment, with these set in it.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables);

// Of the strings, which must outlive them; a null pointer behind the last.
std::vector<char*> pointers_to(std::vector<std::string>* strings);

}  // namespace bohr::app

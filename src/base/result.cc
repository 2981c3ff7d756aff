// SPDX-License-Identifier: Apache-2.0
// The one-line form of an error.
#include "base/result.h"

#include <initializer_list>

namespace bohr {

std::string to_string(const Error& error) {
  std::string line;
  for (const std::string* part : {&error.what, &error.where, &error.why}) {
    if (part->empty()) continue;
    if (!line.empty()) line += ": ";
    line += *part;
  }
  if (!error.remedy.empty()) line += " (" + error.remedy + ")";
  return line;
}

}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// The words for hazards and their classes.
#include "model/verdict.h"

namespace bohr {

namespace {
constexpr std::array<const char*, kHazardClasses> kClassNames = {
    "data", "reuse", "lifetime", "pool", "host", "external", "launch"};
}  // namespace

const char* to_string(Hazard hazard) {
  switch (hazard) {
    case Hazard::raw:
      return "RAW";
    case Hazard::waw:
      return "WAW";
    case Hazard::war:
      return "WAR";
  }
  return "?";
}

const char* to_string(HazardClass cls) { return kClassNames[static_cast<size_t>(cls)]; }

bool hazard_class_from(std::string_view word, HazardClass* cls) {
  for (size_t i = 0; i < kHazardClasses; ++i) {
    if (word != kClassNames[i]) continue;
    *cls = static_cast<HazardClass>(i);
    return true;
  }
  return false;
}

}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// The table of coverage. Classes stand in the order in which they tend to be complete.
#include "report/coverage_text.h"

#include <fmt/format.h>

#include "report/words.h"

namespace bohr::report {

namespace {

constexpr std::array<HazardClass, kHazardClasses> kOrder = {
    HazardClass::reuse,  HazardClass::lifetime, HazardClass::pool,    HazardClass::host,
    HazardClass::launch, HazardClass::data,     HazardClass::external};

std::string state_text(const Coverage& coverage) {
  if (coverage.state == CoverageState::complete) return "complete";
  if (coverage.state == CoverageState::not_checked) return "not checked";
  if (coverage.count == 0) return "undecided";
  return count(coverage.count) + " undecided";
}

std::string detail_text(HazardClass cls, const Coverage& coverage) {
  if (coverage.state == CoverageState::complete) {
    return coverage.examined > 0 ? count(coverage.examined, examined_words(cls)) : "";
  }
  std::string text;
  for (const std::string& reason : coverage.reasons) {
    if (!text.empty()) text += "; ";
    const std::string_view words = reason_words(reason);
    text += words.empty() ? reason : fmt::format("{} ({})", words, reason);
  }
  return text;
}

}  // namespace

void add_coverage(Page* page, const std::array<Coverage, kHazardClasses>& coverage) {
  const std::vector<size_t> widths = {8, 27, 13};
  page->row({"kind", "of race", "checked"}, widths, "looked at, or missing");
  for (HazardClass cls : kOrder) {
    const Coverage& one = coverage[static_cast<size_t>(cls)];
    page->row({to_string(cls), class_words(cls), state_text(one)}, widths, detail_text(cls, one));
  }
}

std::string complete_classes(const std::array<Coverage, kHazardClasses>& coverage) {
  std::string list;
  for (HazardClass cls : kOrder) {
    if (coverage[static_cast<size_t>(cls)].state != CoverageState::complete) continue;
    if (!list.empty()) list += ",";
    list += to_string(cls);
  }
  return list;
}

}  // namespace bohr::report

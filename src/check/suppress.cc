// SPDX-License-Identifier: Apache-2.0
// Suppressions match the stable properties of a finding: `site=`, `class=`, `hazard=`, `first=`,
// `second=`, `block=`, each with `*` for any text. A word without `=` is a site. All must match.
#include <algorithm>
#include <sstream>

#include "check/check.h"
#include "check/coverage.h"

namespace bohr::check {

namespace {

bool glob(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool word_matches(std::string_view word, const Finding& finding, const Cause& cause) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos) return glob(word, cause.site);
  const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
  if (key == "site") return glob(value, cause.site);
  if (key == "class") return glob(value, to_string(finding.cls));
  if (key == "hazard") return glob(value, to_string(finding.hazard));
  if (key == "first") return glob(value, finding.first.label);
  if (key == "second") return glob(value, finding.second.label);
  if (key == "block") return glob(value, finding.first.block) || glob(value, finding.second.block);
  return false;
}

bool matches(const Suppression& suppression, const Finding& finding, const Cause& cause) {
  std::istringstream words(suppression.match);
  std::string word;
  bool any = false;
  while (words >> word) {
    if (!word_matches(word, finding, cause)) return false;
    any = true;
  }
  return any;
}

void suppress_causes(std::vector<Suppression>* suppressions, std::vector<Cause>* causes,
                     std::vector<Finding>* findings) {
  for (Cause& cause : *causes) {
    cause.suppressed = !cause.findings.empty();
    for (const int32_t i : cause.findings) {
      Finding& finding = (*findings)[static_cast<size_t>(i)];
      const auto by = std::find_if(
          suppressions->begin(), suppressions->end(),
          [&](const Suppression& suppression) { return matches(suppression, finding, cause); });
      finding.suppressed = by != suppressions->end();
      finding.suppression =
          finding.suppressed ? static_cast<int32_t>(by - suppressions->begin()) : -1;
      if (finding.suppressed) ++by->used;
      cause.suppressed = cause.suppressed && finding.suppressed;
    }
  }
}

}  // namespace

void suppress(const Program& program, std::vector<Suppression> suppressions, Verdict* verdict) {
  suppress_causes(&suppressions, &verdict->causes, &verdict->findings);
  suppress_causes(&suppressions, &verdict->candidate_causes, &verdict->candidates);
  verdict->suppressions = std::move(suppressions);
  verdict->coverage = coverage_of(program, verdict->candidate_causes, verdict->candidates);
  verdict->outcome = outcome_of(*verdict);
}

bool complete_for(const Verdict& verdict, const std::vector<HazardClass>& classes) {
  if (verdict.outcome == Outcome::findings) return false;
  return std::all_of(classes.begin(), classes.end(), [&](HazardClass cls) {
    return verdict.coverage[static_cast<size_t>(cls)].state == CoverageState::complete;
  });
}

}  // namespace bohr::check

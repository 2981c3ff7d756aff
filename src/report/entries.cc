// SPDX-License-Identifier: Apache-2.0
// Merges causes by their site: it leaves out addresses and numbers, so ranks of one program give
// the same one.
#include "report/entries.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace bohr::report {

namespace {

// The place that stands for a cause.
const Finding* shown_place(const Cause& cause, const std::vector<Finding>& listed) {
  const Finding* shown = nullptr;
  for (const int32_t index : cause.findings) {
    const Finding& one = listed[static_cast<size_t>(index)];
    if (shown == nullptr || one.suspicion > shown->suspicion) shown = &one;
  }
  return shown;
}

std::vector<Entry> gather(std::span<const Subject> subjects, bool candidates) {
  std::vector<Entry> entries;
  std::map<std::string, size_t> by_site;
  for (size_t i = 0; i < subjects.size(); ++i) {
    const Verdict& verdict = *subjects[i].verdict;
    const auto& listed = candidates ? verdict.candidates : verdict.findings;
    for (const Cause& cause : candidates ? verdict.candidate_causes : verdict.causes) {
      if (cause.findings.empty()) continue;
      const auto [at, added] = by_site.try_emplace(cause.site, entries.size());
      if (added) {
        entries.push_back({.subject = i,
                           .cause = &cause,
                           .finding = shown_place(cause, listed),
                           .latent = true,
                           .suppressed = true});
      }
      Entry& entry = entries[at->second];
      entry.places += cause.places;
      entry.graphs += cause.graphs;
      entry.latent = entry.latent && cause.latent;
      entry.suppressed = entry.suppressed && cause.suppressed;
      if (entry.subjects.empty() || entry.subjects.back() != i) entry.subjects.push_back(i);
    }
  }
  return entries;
}

}  // namespace

std::vector<Entry> finding_entries(std::span<const Subject> subjects) {
  std::vector<Entry> entries = gather(subjects, false);
  std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return entry.latent; });
  return entries;
}

std::vector<Entry> candidate_entries(std::span<const Subject> subjects) {
  std::vector<Entry> entries = gather(subjects, true);
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    const auto rank = [](const Entry& entry) {
      return std::tuple(entry.finding->suspicion, entry.graphs > 0, entry.places);
    };
    return rank(a) > rank(b);
  });
  return entries;
}

std::array<Coverage, kHazardClasses> merged_coverage(std::span<const Subject> subjects) {
  std::array<Coverage, kHazardClasses> merged;
  for (const Subject& subject : subjects) {
    for (size_t i = 0; i < kHazardClasses; ++i) {
      const Coverage& one = subject.verdict->coverage[i];
      Coverage& all = merged[i];
      all.state = std::max(all.state, one.state);
      all.count += one.count;
      all.examined += one.examined;
      all.reasons.insert(all.reasons.end(), one.reasons.begin(), one.reasons.end());
      std::ranges::sort(all.reasons);
      all.reasons.erase(std::unique(all.reasons.begin(), all.reasons.end()), all.reasons.end());
    }
  }
  return merged;
}

Outcome merged_outcome(std::span<const Subject> subjects) {
  Outcome merged = Outcome::clean;
  for (const Subject& subject : subjects) {
    const Outcome one = subject.verdict->outcome;
    if (one == Outcome::findings) return one;
    if (one == Outcome::incomplete) merged = one;
  }
  return merged;
}

}  // namespace bohr::report

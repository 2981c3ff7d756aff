// SPDX-License-Identifier: Apache-2.0
// Expectations against a verdict.
#include "check/judge.h"

#include <algorithm>

namespace bohr::check {

namespace {

bool has_kind(const Finding& finding, const std::string& word) {
  for (const Hazard hazard : {Hazard::raw, Hazard::waw, Hazard::war}) {
    if (word != to_string(hazard)) continue;
    return finding.hazard == hazard || (finding.kinds >> static_cast<int>(hazard) & 1) != 0;
  }
  return false;
}

bool is_on(const Finding& finding, const std::string& name) {
  return finding.range.name == name ||
         std::find(finding.names.begin(), finding.names.end(), name) != finding.names.end();
}

bool same_pair(const Expectation& expectation, const Finding& finding) {
  const bool block = finding.cls == HazardClass::lifetime;
  const std::string& second = block ? finding.second.block : finding.second.label;
  return finding.first.label == expectation.first &&
         (second == expectation.second || finding.second.label == expectation.second);
}

std::string incomplete_classes(const Verdict& verdict) {
  std::string text;
  for (size_t i = 0; i < kHazardClasses; ++i) {
    const Coverage& coverage = verdict.coverage[i];
    if (coverage.state == CoverageState::complete) continue;
    if (!text.empty()) text += ", ";
    text += to_string(static_cast<HazardClass>(i));
    text += coverage.state == CoverageState::undecided ? " undecided" : " not checked";
    for (const std::string& reason : coverage.reasons) text += " " + reason;
  }
  return text;
}

bool has_reason(const Verdict& verdict, const std::string& word) {
  return std::any_of(verdict.coverage.begin(), verdict.coverage.end(), [&](const Coverage& c) {
    return c.state != CoverageState::complete &&
           std::find(c.reasons.begin(), c.reasons.end(), word) != c.reasons.end();
  });
}

Judgement judge_silence(const Expectation& expectation, const Verdict& verdict) {
  Judgement judgement{Judged::met, expectation.line, describe(expectation)};
  const std::string open = incomplete_classes(verdict);
  const bool clean = expectation.kind == ExpectKind::clean;
  const bool covered = clean ? open.empty() : has_reason(verdict, expectation.word);
  if (verdict.findings.empty() && covered) return judgement;
  judgement.state = Judged::failed;
  if (!verdict.findings.empty()) {
    judgement.sentence += ": there are findings";
  } else {
    judgement.sentence += ": coverage is " + (open.empty() ? std::string("complete") : open);
  }
  return judgement;
}

Judgement judge_hazard(const Expectation& expectation, const Verdict& verdict) {
  Judgement judgement{Judged::met, expectation.line, describe(expectation)};
  const Finding* near = nullptr;
  for (const Finding& finding : verdict.findings) {
    if (matches(expectation, finding)) return judgement;
    if (same_pair(expectation, finding)) near = &finding;
  }
  judgement.state = Judged::failed;
  judgement.sentence += near == nullptr ? ": not found" : ": found " + describe(*near);
  return judgement;
}

Judgement judge_one(const Expectation& expectation, const Verdict& verdict) {
  switch (expectation.kind) {
    case ExpectKind::clean:
    case ExpectKind::incomplete:
      return judge_silence(expectation, verdict);
    case ExpectKind::hazard:
      return judge_hazard(expectation, verdict);
    case ExpectKind::others:
      return {Judged::met, expectation.line, describe(expectation)};
    default:
      return {Judged::open, expectation.line, describe(expectation) + ": not judged by a check"};
  }
}

bool is_expected(const Program& program, const Finding& finding) {
  return std::any_of(program.expectations.begin(), program.expectations.end(),
                     [&](const Expectation& expectation) {
                       return expectation.kind == ExpectKind::others ||
                              matches(expectation, finding);
                     });
}

}  // namespace

bool matches(const Expectation& expectation, const Finding& finding) {
  return expectation.kind == ExpectKind::hazard && same_pair(expectation, finding) &&
         has_kind(finding, expectation.word) &&
         (expectation.on.empty() || is_on(finding, expectation.on)) &&
         (expectation.cls.empty() || expectation.cls == to_string(finding.cls));
}

std::string describe(const Finding& finding) {
  const bool block = finding.cls == HazardClass::lifetime;
  return std::string(to_string(finding.hazard)) + " " + finding.first.label + " " +
         (block ? finding.second.block : finding.second.label) + " on " + finding.range.name +
         " class " + to_string(finding.cls);
}

std::string describe(const Expectation& expectation) {
  switch (expectation.kind) {
    case ExpectKind::clean:
      return "clean";
    case ExpectKind::incomplete:
      return "incomplete " + expectation.word;
    case ExpectKind::others:
      return "others";
    case ExpectKind::witness:
      return "witness";
    case ExpectKind::no_witness:
      return "no-witness";
    case ExpectKind::fix_edge:
      return "fix edge " + expectation.first + " -> " + expectation.second;
    case ExpectKind::fix_lifetime:
      return "fix lifetime " + expectation.first;
    case ExpectKind::hazard:
      break;
  }
  std::string text =
      "hazard " + expectation.word + " " + expectation.first + " " + expectation.second;
  if (!expectation.on.empty()) text += " on " + expectation.on;
  if (!expectation.cls.empty()) text += " class " + expectation.cls;
  return text;
}

std::vector<Judgement> judge(const Program& program, const Verdict& verdict) {
  std::vector<Judgement> judgements;
  for (const Expectation& expectation : program.expectations) {
    judgements.push_back(judge_one(expectation, verdict));
  }
  std::stable_sort(judgements.begin(), judgements.end(),
                   [](const Judgement& a, const Judgement& b) { return a.line < b.line; });
  for (const Finding& finding : verdict.findings) {
    if (is_expected(program, finding)) continue;
    judgements.push_back({Judged::failed, 0, "nobody expected " + describe(finding)});
  }
  return judgements;
}

}  // namespace bohr::check

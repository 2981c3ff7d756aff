// SPDX-License-Identifier: Apache-2.0
// Checks that expectations name what the case has, so a misspelt one cannot stand unmet, or met,
// by accident.
#include <algorithm>
#include <string>

#include "trace/case_builder.h"

namespace bohr::trace::text {

namespace {

Error bad_expectation(int32_t line, std::string why) {
  return case_error("case-expect", line, std::move(why), "correct the expectation");
}

bool has(const std::vector<Expectation>& expectations, ExpectKind kind) {
  return std::any_of(expectations.begin(), expectations.end(),
                     [&](const Expectation& e) { return e.kind == kind; });
}

}  // namespace

Status Builder::check_expectations() const {
  for (const Expectation& expectation : program_.expectations) {
    BOHR_TRY_STATUS(check_expectation(expectation));
  }
  const bool silent = has(program_.expectations, ExpectKind::clean) ||
                      has(program_.expectations, ExpectKind::incomplete);
  const bool found = has(program_.expectations, ExpectKind::hazard);
  const bool both = has(program_.expectations, ExpectKind::witness) &&
                    has(program_.expectations, ExpectKind::no_witness);
  if ((!silent || !found) && !both) return Nothing{};
  return bad_expectation(program_.expectations.back().line,
                         both ? "the case expects a witness and no witness"
                              : "the case expects a hazard and no finding");
}

Status Builder::check_expectation(const Expectation& expectation) const {
  const int32_t line = expectation.line;
  switch (expectation.kind) {
    case ExpectKind::fix_edge:
      BOHR_TRY_STATUS(check_label(expectation.first, line));
      return check_label(expectation.second, line);
    case ExpectKind::fix_lifetime:
      return check_freed(expectation.first, line);
    case ExpectKind::hazard:
      break;
    default:
      return Nothing{};
  }
  BOHR_TRY_STATUS(check_label(expectation.first, line));
  if (!expectation.on.empty()) {
    BOHR_TRY_STATUS(memory_.resolve({expectation.on, true, 0, 0}, line));
  }
  if (expectation.cls == "lifetime") return check_freed(expectation.second, line);
  if (expectation.cls.empty() && check_freed(expectation.second, line).ok()) return Nothing{};
  return check_label(expectation.second, line);
}

Status Builder::check_label(const std::string& label, int32_t line) const {
  const size_t at = label.find('@');
  const auto entry = labels_.find(std::string_view(label).substr(0, at));
  if (entry == labels_.end()) return bad_expectation(line, "no op has the label '" + label + "'");
  if (at == std::string::npos) return Nothing{};
  const GraphId graph = entry->second.graph;
  const uint64_t launch = std::stoull(label.substr(at + 1));
  if (graph.valid() && launch <= static_cast<uint64_t>(launches_[graph.index()])) return Nothing{};
  return bad_expectation(line, "'" + label + "' names a launch that does not happen");
}

Status Builder::check_freed(const std::string& name, int32_t line) const {
  const Named* named = names_.find(name);
  if (named != nullptr && named->kind == NameKind::lifetime &&
      lifetimes_[static_cast<size_t>(named->index)].freed) {
    return Nothing{};
  }
  return bad_expectation(line, "'" + name + "' is no allocation that is freed");
}

}  // namespace bohr::trace::text

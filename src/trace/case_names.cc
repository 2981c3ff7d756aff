// SPDX-License-Identifier: Apache-2.0
// The table of declared names.
#include "trace/case_names.h"

#include <string>

namespace bohr::trace::text {

const char* kind_phrase(NameKind kind) {
  switch (kind) {
    case NameKind::stream:
      return "a stream";
    case NameKind::thread:
      return "a thread";
    case NameKind::agent:
      return "an agent";
    case NameKind::lifetime:
      return "a buffer or an allocation";
    case NameKind::view:
      return "a view";
    case NameKind::pool:
      return "a pool";
    case NameKind::graph:
      return "a graph";
  }
  return "?";
}

Error unknown_name(std::string_view name, const char* what, int32_t line) {
  return case_error("case-unknown-name", line,
                    "'" + std::string(name) + "' is not the name of " + what,
                    "declare it on an earlier line, or correct the name");
}

Status Names::declare(std::string_view name, Named named) {
  const auto [entry, fresh] = names_.emplace(name, named);
  if (fresh) return Nothing{};
  const Named& earlier = entry->second;
  const std::string where =
      earlier.line > 0 ? " of line " + std::to_string(earlier.line) : " that always exists";
  return case_error("case-duplicate", named.line,
                    "'" + std::string(name) + "' is " + kind_phrase(earlier.kind) + where,
                    "names are unique; choose another");
}

const Named* Names::find(std::string_view name) const {
  const auto entry = names_.find(name);
  return entry == names_.end() ? nullptr : &entry->second;
}

Result<int32_t> Names::get(std::string_view name, NameKind kind, int32_t line) const {
  const Named* named = find(name);
  if (named == nullptr) return unknown_name(name, kind_phrase(kind), line);
  if (named->kind == kind) return named->index;
  return case_error(
      "case-unknown-name", line,
      "'" + std::string(name) + "' is " + kind_phrase(named->kind) + ", not " + kind_phrase(kind),
      "correct the name");
}

}  // namespace bohr::trace::text

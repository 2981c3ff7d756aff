// SPDX-License-Identifier: Apache-2.0
// Parses `expect` lines. Words are checked here, names by the builder, which knows the whole case.
#include "trace/case_expect.h"

#include <array>
#include <string>

namespace bohr::trace::text {

namespace {

constexpr std::array<const char*, 7> kClasses = {"data", "reuse",    "lifetime", "pool",
                                                 "host", "external", "launch"};

Error unknown_word(const Cursor& cursor, const char* what) {
  const std::string found =
      cursor.done() ? "the end of the line" : "'" + std::string(cursor.peek()) + "'";
  return case_error("case-expect", cursor.line(),
                    "expected " + std::string(what) + ", found " + found,
                    "docs/case-format.md lists the expectations");
}

// LABEL, or LABEL@n for the n-th launch.
Result<std::string> take_label(Cursor* cursor) {
  BOHR_TRY(name, cursor->take_identifier("a label"));
  if (!cursor->accept("@")) return std::string(name);
  BOHR_TRY(launch, cursor->take_size("the number of a launch"));
  if (launch < 2) {
    return case_error("case-expect", cursor->line(), "launches are named from @2 on",
                      "leave @ out for the first launch");
  }
  return std::string(name) + "@" + std::to_string(launch);
}

Status take_class(Cursor* cursor, std::string* cls) {
  for (const char* word : kClasses) {
    if (!cursor->accept(word)) continue;
    *cls = word;
    return Nothing{};
  }
  return unknown_word(*cursor, "a class (data, reuse, lifetime, pool, host, external, launch)");
}

Status take_pair(Cursor* cursor, bool arrow, Expectation* expectation) {
  BOHR_TRY(first, take_label(cursor));
  if (arrow) BOHR_TRY_STATUS(cursor->take_exactly("->"));
  BOHR_TRY(second, take_label(cursor));
  expectation->first = first;
  expectation->second = second;
  return Nothing{};
}

Status parse_hazard(Cursor* cursor, Expectation* expectation) {
  expectation->kind = ExpectKind::hazard;
  const std::string_view kind = cursor->peek();
  if (!cursor->accept("RAW") && !cursor->accept("WAR") && !cursor->accept("WAW")) {
    return unknown_word(*cursor, "RAW, WAR or WAW");
  }
  expectation->word = kind;
  BOHR_TRY_STATUS(take_pair(cursor, false, expectation));
  if (cursor->accept("on")) {
    BOHR_TRY(name, cursor->take_identifier("a name"));
    expectation->on = name;
  }
  if (cursor->accept("class")) BOHR_TRY_STATUS(take_class(cursor, &expectation->cls));
  return Nothing{};
}

Status parse_fix(Cursor* cursor, Expectation* expectation) {
  if (cursor->accept("edge")) {
    expectation->kind = ExpectKind::fix_edge;
    return take_pair(cursor, true, expectation);
  }
  if (!cursor->accept("lifetime")) return unknown_word(*cursor, "edge or lifetime");
  expectation->kind = ExpectKind::fix_lifetime;
  BOHR_TRY(name, cursor->take_identifier("an allocation"));
  expectation->first = name;
  return Nothing{};
}

struct Plain {
  const char* word;
  ExpectKind kind;
};
constexpr std::array<Plain, 4> kPlain = {{{"clean", ExpectKind::clean},
                                          {"others", ExpectKind::others},
                                          {"witness", ExpectKind::witness},
                                          {"no-witness", ExpectKind::no_witness}}};

}  // namespace

Status parse_expectation(Cursor* cursor, Expectation* expectation) {
  expectation->line = cursor->line();
  for (const Plain& plain : kPlain) {
    if (!cursor->accept(plain.word)) continue;
    expectation->kind = plain.kind;
    return Nothing{};
  }
  if (cursor->accept("hazard")) return parse_hazard(cursor, expectation);
  if (cursor->accept("fix")) return parse_fix(cursor, expectation);
  if (!cursor->accept("incomplete")) {
    return unknown_word(*cursor, "clean, incomplete, hazard, others, witness, no-witness or fix");
  }
  expectation->kind = ExpectKind::incomplete;
  BOHR_TRY(word, cursor->take_word("the reason, for instance unknown-access"));
  expectation->word = word;
  return Nothing{};
}

}  // namespace bohr::trace::text

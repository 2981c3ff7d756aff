// SPDX-License-Identifier: Apache-2.0
// Parses declarations, captures and the head of actions; the verbs are in case_verbs.cc, the
// expectations in case_expect.cc.
#include "trace/case_statement.h"

#include <array>
#include <utility>

#include "trace/case_cursor.h"
#include "trace/case_expect.h"
#include "trace/case_verbs.h"

namespace bohr::trace::text {

namespace {

struct Keyword {
  std::string_view word;
  StatementKind kind;
};
constexpr std::array<Keyword, 12> kKeywords = {{{"case", StatementKind::version},
                                                {"stream", StatementKind::stream},
                                                {"thread", StatementKind::thread},
                                                {"agent", StatementKind::agent},
                                                {"buffer", StatementKind::buffer},
                                                {"pool", StatementKind::pool},
                                                {"view", StatementKind::view},
                                                {"live", StatementKind::live},
                                                {"scratch", StatementKind::scratch},
                                                {"capture", StatementKind::capture},
                                                {"end", StatementKind::end},
                                                {"expect", StatementKind::expect}}};

Status parse_stream_kind(Cursor* cursor, StreamKind* kind) {
  if (cursor->done() || cursor->accept("nonblocking")) return Nothing{};
  if (cursor->accept("blocking")) {
    *kind = StreamKind::blocking;
  } else if (cursor->accept("legacy")) {
    *kind = StreamKind::legacy;
  } else if (cursor->accept("per-thread")) {
    *kind = StreamKind::per_thread;
  } else {
    return cursor->unexpected("nonblocking, blocking, legacy or per-thread");
  }
  return Nothing{};
}

Status parse_buffer(Cursor* cursor, Statement* statement) {
  BOHR_TRY(size, cursor->take_size("a size"));
  statement->size = size;
  if (cursor->done() || cursor->accept("device")) return Nothing{};
  if (cursor->accept("pinned")) {
    statement->memory = MemoryKind::pinned;
  } else if (cursor->accept("pageable")) {
    statement->memory = MemoryKind::pageable;
  } else {
    return cursor->unexpected("device, pinned or pageable");
  }
  return Nothing{};
}

Status parse_view(Cursor* cursor, Statement* statement) {
  BOHR_TRY_STATUS(cursor->take_exactly("of"));
  BOHR_TRY(range, take_range(cursor));
  statement->range = range;
  return Nothing{};
}

Status parse_capture(Cursor* cursor, Statement* statement) {
  BOHR_TRY_STATUS(cursor->take_exactly("on"));
  BOHR_TRY(stream, cursor->take_identifier("a stream"));
  statement->other = stream;
  return Nothing{};
}

Status parse_version(Cursor* cursor) {
  BOHR_TRY(version, cursor->take_word("a version"));
  if (version == "1") return Nothing{};
  return case_error("case-version", cursor->line(),
                    "version '" + std::string(version) + "' is not known",
                    "this reader knows version 1; start with 'case 1', or use a newer release");
}

Status parse_declaration(Cursor* cursor, Statement* statement) {
  BOHR_TRY(name, cursor->take_identifier("a name"));
  statement->name = name;
  switch (statement->kind) {
    case StatementKind::stream:
      return parse_stream_kind(cursor, &statement->stream_kind);
    case StatementKind::buffer:
      return parse_buffer(cursor, statement);
    case StatementKind::view:
      return parse_view(cursor, statement);
    case StatementKind::capture:
      return parse_capture(cursor, statement);
    default:
      return Nothing{};
  }
}

Status parse_rest(Cursor* cursor, Statement* statement) {
  switch (statement->kind) {
    case StatementKind::version:
      return parse_version(cursor);
    case StatementKind::expect:
      return parse_expectation(cursor, &statement->expectation);
    default:
      return parse_declaration(cursor, statement);
  }
}

// An action starts with `@` or with a word and a colon, so a stream may bear a keyword's name.
bool is_action(const Cursor& cursor) { return cursor.peek() == "@" || cursor.peek_second() == ":"; }

Status parse_keyword(Cursor* cursor, StatementKind* kind) {
  for (const Keyword& keyword : kKeywords) {
    if (!cursor->accept(keyword.word)) continue;
    *kind = keyword.kind;
    return Nothing{};
  }
  return case_error("case-syntax", cursor->line(),
                    "'" + std::string(cursor->peek()) + "' starts no statement",
                    "write a declaration, 'NAME: verb …', capture, end or expect");
}

}  // namespace

Result<Statement> parse_statement(const std::vector<Token>& tokens, int32_t line) {
  Statement statement;
  statement.line = line;
  Cursor cursor(tokens, line);
  if (is_action(cursor)) {
    statement.kind = StatementKind::action;
    BOHR_TRY_STATUS(parse_action(&cursor, &statement));
  } else {
    BOHR_TRY_STATUS(parse_keyword(&cursor, &statement.kind));
    BOHR_TRY_STATUS(parse_rest(&cursor, &statement));
  }
  BOHR_TRY_STATUS(cursor.take_end());
  return statement;
}

}  // namespace bohr::trace::text

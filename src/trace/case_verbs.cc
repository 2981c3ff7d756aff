// SPDX-License-Identifier: Apache-2.0
// Parses the verbs of actions. Words such as `reads` are told from names by their place, so every
// identifier may be a name.
#include "trace/case_verbs.h"

#include <array>
#include <string>

namespace bohr::trace::text {

namespace {

struct Verb {
  const char* word;
  OpKind kind;
};
constexpr std::array<Verb, 14> kVerbs = {{{"kernel", OpKind::kernel},
                                          {"copy", OpKind::copy},
                                          {"fill", OpKind::fill},
                                          {"callback", OpKind::callback},
                                          {"alloc", OpKind::alloc},
                                          {"free", OpKind::free},
                                          {"uses", OpKind::uses},
                                          {"record", OpKind::record},
                                          {"wait", OpKind::wait},
                                          {"launch", OpKind::launch},
                                          {"touch", OpKind::touch},
                                          {"sync", OpKind::sync_device},
                                          {"signal", OpKind::signal},
                                          {"await", OpKind::await}}};

struct ClauseWord {
  const char* word;
  AccessMode mode;
};
constexpr std::array<ClauseWord, 4> kClauseWords = {{{"reads", AccessMode::read},
                                                     {"writes", AccessMode::write},
                                                     {"updates", AccessMode::update},
                                                     {"atomics", AccessMode::atomic}}};

Status take_ranges(Cursor* cursor, AccessMode mode, bool early, std::vector<Clause>* clauses) {
  do {
    BOHR_TRY(range, take_range(cursor));
    clauses->push_back({mode, early, range});
  } while (cursor->accept(","));
  return Nothing{};
}

// The word of a clause that `verb` has: only kernels update.
const ClauseWord* accept_clause(Cursor* cursor, OpKind verb) {
  for (const ClauseWord& clause : kClauseWords) {
    const bool both = clause.mode == AccessMode::update || clause.mode == AccessMode::atomic;
    if (both && verb != OpKind::kernel) continue;
    if (cursor->accept(clause.word)) return &clause;
  }
  return nullptr;
}

Status parse_clauses(Cursor* cursor, Statement* statement) {
  bool early = false;
  while (!cursor->done()) {
    if (const ClauseWord* clause = accept_clause(cursor, statement->verb)) {
      BOHR_TRY_STATUS(take_ranges(cursor, clause->mode, early, &statement->clauses));
    } else if (statement->verb != OpKind::kernel) {
      return cursor->unexpected("reads or writes");
    } else if (!early && cursor->accept("early")) {
      early = true;
    } else if (!statement->programmatic && cursor->accept("pdl")) {
      statement->programmatic = true;
    } else if (!statement->unknown && cursor->accept("unknown")) {
      statement->unknown = true;
    } else {
      return cursor->unexpected("reads, writes, updates, atomics, early, pdl or unknown");
    }
  }
  return Nothing{};
}

Status parse_copy(Cursor* cursor, Statement* statement) {
  BOHR_TRY_STATUS(cursor->take_exactly("from"));
  BOHR_TRY(source, take_range(cursor));
  BOHR_TRY_STATUS(cursor->take_exactly("to"));
  BOHR_TRY(target, take_range(cursor));
  statement->clauses.push_back({AccessMode::read, false, source});
  statement->clauses.push_back({AccessMode::write, false, target});
  return Nothing{};
}

Status parse_fill(Cursor* cursor, Statement* statement) {
  BOHR_TRY(target, take_range(cursor));
  statement->clauses.push_back({AccessMode::write, false, target});
  return Nothing{};
}

Status parse_alloc(Cursor* cursor, Statement* statement) {
  BOHR_TRY(size, cursor->take_size("a size"));
  statement->size = size;
  if (cursor->accept("pool")) {
    BOHR_TRY(pool, cursor->take_identifier("a pool"));
    statement->pool = pool;
  }
  if (cursor->accept("over")) {
    BOHR_TRY(old, cursor->take_identifier("a freed allocation"));
    statement->other = old;
    if (cursor->accept("+")) {
      BOHR_TRY(offset, cursor->take_size("an offset"));
      statement->offset = offset;
    }
  }
  return Nothing{};
}

const char* operand_of(OpKind verb) {
  switch (verb) {
    case OpKind::kernel:
    case OpKind::copy:
    case OpKind::fill:
    case OpKind::callback:
    case OpKind::touch:
      return "a label";
    case OpKind::record:
    case OpKind::wait:
      return "an event";
    case OpKind::launch:
      return "a graph";
    case OpKind::sync_device:
      return "a stream, an event or device";
    case OpKind::signal:
    case OpKind::await:
      return "a token";
    default:
      return "a name";
  }
}

Status parse_verb(Cursor* cursor, OpKind* kind) {
  for (const Verb& verb : kVerbs) {
    if (!cursor->accept(verb.word)) continue;
    *kind = verb.kind;
    return Nothing{};
  }
  return cursor->unexpected("a verb");
}

}  // namespace

Result<RangeRef> take_range(Cursor* cursor) {
  RangeRef range;
  BOHR_TRY(name, cursor->take_identifier("a buffer, an allocation or a view"));
  range.name = name;
  if (!cursor->accept("[")) return range;
  range.whole = false;
  BOHR_TRY(begin, cursor->take_size("the first byte"));
  BOHR_TRY_STATUS(cursor->take_exactly(":"));
  BOHR_TRY(end, cursor->take_size("the end of the range"));
  BOHR_TRY_STATUS(cursor->take_exactly("]"));
  range.begin = begin;
  range.end = end;
  return range;
}

Status parse_action(Cursor* cursor, Statement* statement) {
  if (cursor->accept("@")) {
    BOHR_TRY(issuer, cursor->take_identifier("a thread"));
    statement->issuer = issuer;
  }
  BOHR_TRY(subject, cursor->take_identifier("a stream, thread or agent"));
  statement->subject = subject;
  BOHR_TRY_STATUS(cursor->take_exactly(":"));
  BOHR_TRY_STATUS(parse_verb(cursor, &statement->verb));
  BOHR_TRY(name, cursor->take_identifier(operand_of(statement->verb)));
  statement->name = name;
  switch (statement->verb) {
    case OpKind::kernel:
    case OpKind::callback:
    case OpKind::touch:
      return parse_clauses(cursor, statement);
    case OpKind::copy:
      return parse_copy(cursor, statement);
    case OpKind::fill:
      return parse_fill(cursor, statement);
    case OpKind::alloc:
      return parse_alloc(cursor, statement);
    default:
      return Nothing{};
  }
}

const char* verb_word(OpKind verb) {
  for (const Verb& entry : kVerbs) {
    if (entry.kind == verb) return entry.word;
  }
  return "?";
}

}  // namespace bohr::trace::text

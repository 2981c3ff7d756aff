// SPDX-License-Identifier: Apache-2.0
// One statement of a .case text as it stands on its line: names are still words. The words point
// into the text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/program.h"
#include "trace/case_lexer.h"

namespace bohr::trace::text {

enum class StatementKind : uint8_t {
  version,
  stream,
  thread,
  agent,
  buffer,
  pool,
  view,
  live,
  scratch,
  capture,
  end,
  action,
  expect
};

// NAME or NAME[begin:end].
struct RangeRef {
  std::string_view name;
  bool whole = true;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct Clause {
  AccessMode mode = AccessMode::read;
  bool early = false;
  RangeRef range;
};

struct Statement {
  StatementKind kind = StatementKind::version;
  int32_t line = 0;
  std::string_view name;   // what is declared, allocated, freed, recorded, signalled, …
  std::string_view other;  // capture: the stream; alloc: OLD
  uint64_t size = 0;       // buffer, alloc

  StreamKind stream_kind = StreamKind::nonblocking;
  MemoryKind memory = MemoryKind::device;
  RangeRef range;  // view

  // Actions.
  OpKind verb = OpKind::empty;  // sync_device stands for all three syncs
  std::string_view subject;     // the stream, thread or agent before the colon
  std::string_view issuer;      // after `@`; empty for `host`
  std::string_view pool;        // alloc
  uint64_t offset = 0;          // alloc: of its first byte in OLD
  std::vector<Clause> clauses;  // copy: the source, then the destination
  bool programmatic = false;
  bool unknown = false;

  Expectation expectation;
};

// The statement of a line that has at least one token.
Result<Statement> parse_statement(const std::vector<Token>& tokens, int32_t line);

}  // namespace bohr::trace::text

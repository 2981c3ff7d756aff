// SPDX-License-Identifier: Apache-2.0
// Reads a case: line by line through the lexer, the parser and the builder.
#include "trace/case_reader.h"

#include <utility>
#include <vector>

#include "trace/case_builder.h"
#include "trace/case_lexer.h"
#include "trace/case_statement.h"

namespace bohr::trace {

namespace {

using text::case_error;

constexpr int64_t kMaxStatements = 10'000'000;
constexpr int32_t kMaxLines = 100'000'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Status check_counts(int64_t statements, int32_t line) {
  if (statements <= kMaxStatements && line <= kMaxLines) return Nothing{};
  return case_error("case-too-large", line, "the case has over 10 million statements",
                    "split the case");
}

Status check_first(const text::Statement& statement) {
  if (statement.kind == text::StatementKind::version) return Nothing{};
  return case_error("case-version", statement.line, "the first statement is not 'case 1'",
                    "start the file with 'case 1'");
}

Result<Program> read(std::string_view input, const std::string& source) {
  if (input.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    input.remove_prefix(kByteOrderMark.size());
  }
  text::Builder builder(source, input.size());
  std::vector<text::Token> tokens;
  int32_t line = 0;
  int64_t statements = 0;
  while (!input.empty()) {
    BOHR_TRY_STATUS(check_counts(statements, ++line));
    BOHR_TRY_STATUS(text::tokenize(text::take_line(&input), line, &tokens));
    if (tokens.empty()) continue;
    BOHR_TRY(statement, text::parse_statement(tokens, line));
    if (statements++ == 0) {
      BOHR_TRY_STATUS(check_first(statement));
    } else {
      BOHR_TRY_STATUS(builder.add(statement));
    }
  }
  if (statements == 0) {
    return Error{"case-empty", "", "", "there is no statement in it",
                 "a case starts with 'case 1'"};
  }
  BOHR_TRY_STATUS(builder.finish(line));
  return builder.take();
}

}  // namespace

Result<Program> read_case(std::string_view text, const std::string& source) {
  Result<Program> program = read(text, source);
  if (program.ok()) return program;
  Error error = program.error();
  error.what = source;
  return error;
}

}  // namespace bohr::trace

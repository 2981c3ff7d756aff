// SPDX-License-Identifier: Apache-2.0
// Two tables, made when they are first needed.
#include "trace/sqlite_results.h"

#include "store/database.h"

namespace bohr::trace {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS result_witness (
  tool TEXT NOT NULL, seed INTEGER NOT NULL, subject TEXT NOT NULL, site TEXT NOT NULL,
  first TEXT NOT NULL, second TEXT NOT NULL, range TEXT NOT NULL, range_begin INTEGER NOT NULL,
  range_end INTEGER NOT NULL, reaches_output INTEGER NOT NULL, replays INTEGER NOT NULL,
  identical INTEGER NOT NULL, right_digest TEXT NOT NULL, wrong_digest TEXT NOT NULL,
  file TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS result_observed (
  tool TEXT NOT NULL, seed INTEGER NOT NULL, subject TEXT NOT NULL, op INTEGER NOT NULL,
  node INTEGER NOT NULL, begin INTEGER NOT NULL, "end" INTEGER NOT NULL);
)";

Status drop_old(const store::Database& database, const ResultKey& key) {
  for (const char* sql : {"DELETE FROM result_witness WHERE tool = ? AND seed = ?",
                          "DELETE FROM result_observed WHERE tool = ? AND seed = ?"}) {
    BOHR_TRY(statement, database.prepare(sql));
    statement.bind(1, key.tool);
    statement.bind(2, static_cast<int64_t>(key.seed));
    BOHR_TRY_STATUS(statement.run());
  }
  return Nothing{};
}

Status add_witnesses(const store::Database& database, const ResultKey& key,
                     const std::vector<WitnessRow>& rows) {
  BOHR_TRY(statement,
           database.prepare("INSERT INTO result_witness VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const WitnessRow& row : rows) {
    int at = 0;
    statement.bind(++at, key.tool);
    statement.bind(++at, static_cast<int64_t>(key.seed));
    for (const std::string* text : {&row.subject, &row.site, &row.first, &row.second, &row.range})
      statement.bind(++at, *text);
    for (const uint64_t number : {row.range_begin, row.range_end})
      statement.bind(++at, static_cast<int64_t>(number));
    for (const int32_t number : {int32_t{row.reaches_output}, row.replays, row.identical})
      statement.bind(++at, int64_t{number});
    for (const std::string* text : {&row.right_digest, &row.wrong_digest, &row.file})
      statement.bind(++at, *text);
    BOHR_TRY_STATUS(statement.run());
  }
  return Nothing{};
}

Status add_observed(const store::Database& database, const ResultKey& key,
                    const std::vector<ObservedRow>& rows) {
  BOHR_TRY(statement, database.prepare("INSERT INTO result_observed VALUES (?,?,?,?,?,?,?)"));
  for (const ObservedRow& row : rows) {
    statement.bind(1, key.tool);
    statement.bind(2, static_cast<int64_t>(key.seed));
    statement.bind(3, row.subject);
    statement.bind(4, int64_t{row.op});
    statement.bind(5, int64_t{row.node});
    statement.bind(6, static_cast<int64_t>(row.begin));
    statement.bind(7, static_cast<int64_t>(row.end));
    BOHR_TRY_STATUS(statement.run());
  }
  return Nothing{};
}

Status write(const store::Database& database, const ResultKey& key, const Results& results) {
  BOHR_TRY_STATUS(database.run("BEGIN IMMEDIATE"));
  BOHR_TRY_STATUS(database.run(kTables));
  BOHR_TRY_STATUS(drop_old(database, key));
  BOHR_TRY_STATUS(add_witnesses(database, key, results.witnesses));
  BOHR_TRY_STATUS(add_observed(database, key, results.observed));
  return database.run("COMMIT");
}

}  // namespace

Status write_results(const std::string& path, const ResultKey& key, const Results& results) {
  Status status = Nothing{};
  {
    auto database = store::Database::open_writable(path);
    status = database.ok() ? write(database.value(), key, results) : Status(database.error());
  }
  if (status.ok()) return status;
  return Error{"results-not-written", path, "", status.error().why,
               "make the file writable, or use -o for the witnesses alone"};
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Log -> SQLite -> log loses nothing, and a SQLite file from a stranger is refused with a reason.
#include "trace/sqlite_trace.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <limits>
#include <random>

#include "log_files.h"
#include "log_random.h"

namespace bohr::trace {
namespace {

Log random_log(uint64_t seed, int rounds) {
  std::mt19937_64 random(seed);
  Log log{.source = "log " + std::to_string(seed), .strings = {""}};
  for (int i = 1; i < 8; ++i) log.strings.push_back("text " + std::to_string(i));
  log.strings.push_back(std::string("with\0zero and \xff", 15));
  log.records = random_records(random, log.strings.size(), rounds);
  std::shuffle(log.records.begin(), log.records.end(), random);
  log.records.emplace_back(End{.seq = 5, .lost = seed});
  return log;
}

void expect_equal(const std::vector<Log>& got, const std::vector<Log>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t p = 0; p < got.size(); ++p) {
    EXPECT_EQ(got[p].source, wanted[p].source);
    EXPECT_EQ(got[p].strings, wanted[p].strings);
    ASSERT_EQ(got[p].records.size(), wanted[p].records.size());
    for (size_t i = 0; i < got[p].records.size(); ++i) {
      ASSERT_EQ(got[p].records[i], wanted[p].records[i]) << "process " << p << " record " << i;
    }
  }
}

std::vector<uint8_t> sqlite_bytes(const std::vector<Log>& logs) {
  TempFolder folder;
  const Status written = write_sqlite(logs, folder.file("t.sqlite"));
  EXPECT_TRUE(written.ok()) << to_string(written.error());
  return file_bytes(folder.file("t.sqlite"));
}

// What reading says after `sql` was run on a good trace by other hands.
Error after(const std::string& sql) {
  static const auto good = sqlite_bytes({random_log(1, 8)});
  TempFolder folder;
  const std::string path = folder.file("t.sqlite");
  put_file(path, good);
  {
    auto database = store::Database::open_writable(path);
    const Status changed = database.value().run("PRAGMA synchronous = OFF; " + sql);
    EXPECT_TRUE(changed.ok()) << sql << to_string(changed.error());
  }
  const auto logs = read_sqlite(file_bytes(path), "t.sqlite");
  EXPECT_FALSE(logs.ok()) << sql;
  return logs.ok() ? Error{} : logs.error();
}

class SqliteTraceSeeds : public testing::TestWithParam<uint64_t> {};

TEST_P(SqliteTraceSeeds, KeepsEveryKindOfEveryProcess) {
  const uint64_t seed = GetParam();
  const std::vector<Log> logs = {random_log(seed, 20), random_log(seed + 1000, 1),
                                 random_log(seed + 2000, 3)};
  auto back = read_sqlite(sqlite_bytes(logs), "t.sqlite");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  expect_equal(back.value(), logs);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SqliteTraceSeeds, testing::Range(uint64_t{1}, uint64_t{9}));

TEST(SqliteTrace, KeepsTheExtremesOfNumbers) {
  Log log{.source = "x", .strings = {""}};
  log.records.emplace_back(EventWait{.version = kUnknownVersion});
  log.records.emplace_back(Stream{.stream = std::numeric_limits<uint32_t>::max(),
                                  .priority = std::numeric_limits<int32_t>::min()});
  log.records.emplace_back(
      Edges{.graph = 1, .from = {0, ~uint64_t{0}}, .to = {1, 2}, .types = {0, 1}});
  auto back = read_sqlite(sqlite_bytes({log}), "t.sqlite");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  expect_equal(back.value(), {log});
}

TEST(SqliteTrace, HoldsNoProcessAtAll) {
  auto back = read_sqlite(sqlite_bytes({}), "t.sqlite");
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  EXPECT_TRUE(back.value().empty());
}

TEST(SqliteTrace, SameLogsGiveTheSameBytes) {
  EXPECT_EQ(sqlite_bytes({random_log(3, 5)}), sqlite_bytes({random_log(3, 5)}));
}

TEST(SqliteTrace, InMemoryIsTheSame) {
  const std::vector<Log> logs = {random_log(4, 5), random_log(5, 2)};
  auto database = sqlite_in_memory(logs);
  ASSERT_TRUE(database.ok()) << to_string(database.error());
  auto back = read_sqlite(database.value());
  ASSERT_TRUE(back.ok()) << to_string(back.error());
  expect_equal(back.value(), logs);
}

TEST(SqliteTrace, ViewsJoinTextsAndNameValues) {
  Log log{.source = "x", .strings = {"", "gemm", "a.py", "step", "cuMemAdvise"}};
  log.records.emplace_back(
      Function{.function = 7, .name = {1}, .offsets = {0, 8}, .sizes = {8, 4}});
  log.records.emplace_back(Kernel{.call = {.seq = 3, .exit = 4}, .stream = 2, .function = 7});
  log.records.emplace_back(Stream{.stream = 2, .type = StreamType::legacy});
  log.records.emplace_back(Unmodelled{.call = {.seq = 1, .exit = 2}, .api = {4}});
  log.records.emplace_back(
      Stack{.stack = 1, .functions = {3}, .files = {2}, .lines = {10}, .python = {1}});
  log.records.emplace_back(
      Edges{.graph = 1, .from = {0}, .to = {1}, .types = {1 | 2 << 8 | 3 << 16}});
  auto database = sqlite_in_memory(std::vector<Log>{log});
  ASSERT_TRUE(database.ok()) << to_string(database.error());
  const auto text = [&](const std::string& sql) {
    auto query = database.value().prepare(sql);
    if (!query.ok()) return to_string(query.error());
    auto row = query.value().step();
    if (!row.ok() || !row.value()) return std::string("no row");
    std::string all;
    for (int i = 0; i < query.value().columns(); ++i) {
      all += (i ? "|" : "") + std::string(query.value().text(i));
    }
    return all;
  };
  EXPECT_EQ(text("SELECT function_name, seq, \"exit\", form FROM kernel_v"), "gemm|3|4|none");
  EXPECT_EQ(text("SELECT type FROM stream_v"), "legacy");
  EXPECT_EQ(text("SELECT api FROM unmodelled_v"), "cuMemAdvise");
  EXPECT_EQ(text("SELECT function, file, line, python FROM frame_v"), "step|a.py|10|1");
  EXPECT_EQ(text("SELECT from_node, to_node, type, from_port, to_port FROM edge_v"), "0|1|1|2|3");
  EXPECT_EQ(text("SELECT group_concat(kind || ' ' || ifnull(stream, '-')) FROM "
                 "(SELECT * FROM call ORDER BY seq)"),
            "unmodelled 0,kernel 2");
  EXPECT_EQ(text("SELECT count(*), sum(size) FROM param"), "2|12");
}

TEST(SqliteTrace, EveryViewCanBeRead) {
  auto database = sqlite_in_memory(std::vector<Log>{random_log(6, 2)});
  auto views = database.value().prepare("SELECT name FROM sqlite_schema WHERE type = 'view'");
  int count = 0;
  while (views.value().step().value()) {
    const std::string name(views.value().text(0));
    auto rows = database.value().number("SELECT count(*) FROM (SELECT * FROM \"" + name + "\")");
    EXPECT_TRUE(rows.ok()) << name << ": " << to_string(rows.error());
    EXPECT_GT(rows.value(), 0) << name;
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(SqliteTrace, ReadingFollowsTheKeysAndSortsNothing) {
  auto database = sqlite_in_memory({});
  for (const std::string table : {"kernel", "edge", "string", "log"}) {
    const std::string order = table == "edge"     ? "position, n"
                              : table == "string" ? "proc, id"
                              : table == "log"    ? "proc"
                                                  : "position";
    auto plan = database.value().prepare("EXPLAIN QUERY PLAN SELECT * FROM " + table +
                                         " NOT INDEXED ORDER BY " + order);
    ASSERT_TRUE(plan.ok());
    while (plan.value().step().value()) {
      EXPECT_EQ(plan.value().text(3).find("TEMP B-TREE"), std::string::npos) << table;
    }
  }
}

TEST(SqliteTrace, RefusesForeignFiles) {
  const auto refusal = [](std::vector<uint8_t> bytes) {
    const auto logs = read_sqlite(std::move(bytes), "f");
    return logs.ok() ? "accepted" : logs.error().code;
  };
  EXPECT_EQ(refusal({}), "trace-not-a-trace");
  EXPECT_EQ(refusal({1, 2, 3}), "trace-unreadable");
  EXPECT_EQ(after("PRAGMA application_id = 5").code, "trace-not-a-trace");
  EXPECT_EQ(after("PRAGMA user_version = 9").code, "trace-version");
  EXPECT_EQ(after("PRAGMA user_version = 0").code, "trace-version");
}

std::string without(const std::string& table) {
  return "DROP VIEW " + table + "_v; DROP TABLE " + table + "; ";
}

// Each version is the next one without some tables.
TEST(SqliteTrace, ReadsTheVersionsBefore) {
  Log log{.source = "x", .strings = {""}};
  log.records.emplace_back(Stream{.stream = 3});
  const std::string seventh = without("entry_call");
  const std::string sixth = seventh + without("code") + without("tensor_map") +
                            without("conditional") + without("stream_handle") + without("mapping") +
                            without("clock") + "DROP TABLE sample; DROP VIEW call; ";
  const std::string fifth = sixth + without("timing");
  const std::string fourth = fifth + without("provenance");
  const std::string third = fourth + without("graph_version");
  const std::string second =
      third + without("scope") + without("name") + without("access") + without("host_access");
  const std::string first = second + without("host_write");
  for (const std::string& sql :
       {seventh + "PRAGMA user_version = 7", sixth + "PRAGMA user_version = 6",
        fifth + "PRAGMA user_version = 5", fourth + "PRAGMA user_version = 4",
        third + "PRAGMA user_version = 3", second + "PRAGMA user_version = 2",
        first + "PRAGMA user_version = 1"}) {
    TempFolder folder;
    const std::string path = folder.file("t.sqlite");
    put_file(path, sqlite_bytes({log}));
    {
      auto database = store::Database::open_writable(path);
      ASSERT_TRUE(database.value().run(sql).ok());
    }
    auto back = read_sqlite(file_bytes(path), path);
    ASSERT_TRUE(back.ok()) << to_string(back.error());
    expect_equal(back.value(), {log});
  }
  EXPECT_EQ(after("DROP VIEW call; " + without("host_write")).where, "table host_write");
  EXPECT_EQ(after("DROP VIEW call; " + without("access")).where, "table access");
}

TEST(SqliteTrace, RefusesChangedTables) {
  EXPECT_EQ(after("DROP TABLE kernel").where, "table kernel");
  EXPECT_EQ(after("DROP VIEW kernel_v; ALTER TABLE kernel DROP COLUMN grid_x").where,
            "table kernel");
  EXPECT_EQ(
      after("ALTER TABLE kernel ADD COLUMN more GENERATED ALWAYS AS (zeroblob(900000000))").where,
      "table kernel");
  EXPECT_EQ(after("DROP TABLE edge; CREATE VIEW edge AS WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL "
                  "SELECT i + 1 FROM r) SELECT i AS position FROM r")
                .where,
            "table edge");
}

TEST(SqliteTrace, RefusesImpossibleValues) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"UPDATE kernel SET grid_x = 'many'", "column grid_x"},
      {"UPDATE kernel SET grid_x = -1", "column grid_x"},
      {"UPDATE kernel SET grid_x = 4294967296", "column grid_x"},
      {"UPDATE kernel SET grid_x = 1.5", "column grid_x"},
      {"UPDATE kernel SET form = 4", "column form"},
      {"UPDATE kernel SET params = 'text'", "column params"},
      {"UPDATE graph SET complete = 2", "column complete"},
      {"UPDATE stream SET priority = 2147483648", "column priority"},
      {"UPDATE device SET name = 1000", "column name"},
      {"UPDATE kernel SET proc = 1", "column proc"},
      {"UPDATE kernel SET proc = 'x'", "table kernel"},
      {"DELETE FROM kernel", "position"},
      {"UPDATE kernel SET position = position + 1000", "position"},
      {"DELETE FROM string WHERE id = 3", "table string, proc 0, id 3"},
      {"UPDATE string SET text = 'x' WHERE id = 0", "string 0"},
      {"UPDATE string SET text = x'00' WHERE id = 2", "id 2"},
      {"DELETE FROM log", "table string"},
      {"UPDATE log SET proc = 1", "table log"},
      {"UPDATE edge SET n = 99 WHERE n = 0", "table edge"},
      {"UPDATE edge SET type = 'x'", "table edge"},
      {"UPDATE frame SET python = 256", "table frame"},
      {"UPDATE frame SET file = 99", "table stack"},
      {"INSERT INTO edge VALUES (0, 99, 0, 0, 0)", "table edge"}};
  for (const auto& [sql, place] : changes) {
    SCOPED_TRACE(sql);
    const Error error = after(sql);
    EXPECT_EQ(error.code, "trace-damaged");
    EXPECT_NE((error.where + error.why).find(place), std::string::npos) << to_string(error);
  }
}

TEST(SqliteTrace, DamagedPagesAreRefusedOrHarmless) {
  const std::vector<Log> logs = {random_log(9, 8)};
  const auto whole = sqlite_bytes(logs);
  std::mt19937_64 random(11);
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    auto bytes = whole;
    for (uint64_t n = 1 + random() % 8; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    refused += read_sqlite(std::move(bytes), "t.sqlite").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 300);
}

TEST(SqliteTrace, ReplacesAFileAndLeavesNothingElse) {
  TempFolder folder;
  const std::string path = folder.file("t.sqlite");
  put_file(path, {'o', 'l', 'd'});
  ASSERT_TRUE(write_sqlite(std::vector<Log>{random_log(1, 1)}, path).ok());
  EXPECT_TRUE(read_sqlite(file_bytes(path), path).ok());
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST(SqliteTrace, SaysWhyItCannotWrite) {
  TempFolder folder;
  const Status missing = write_sqlite({}, folder.file("none/t.sqlite"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "trace-not-written");
  EXPECT_NE(missing.error().why.find("No such file"), std::string::npos);
  const Status system = write_sqlite({}, "/proc/t.sqlite");
  ASSERT_FALSE(system.ok());
  EXPECT_EQ(system.error().code, "trace-not-written");
}

TEST(SqliteTrace, AFullDiskLeavesTheOldFile) {
  TempFolder folder;
  const std::string path = folder.file("t.sqlite");
  put_file(path, {'o', 'l', 'd'});
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit limit = {100 << 10, 100 << 10};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const Status written = write_sqlite(std::vector<Log>{random_log(1, 200)}, path);
    ::_exit(!written.ok() && written.error().code == "trace-not-written" ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(file_bytes(path), (std::vector<uint8_t>{'o', 'l', 'd'}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// The thin layer over SQLite: values come back, errors are told, and queries cannot change
// anything.
#include <gtest/gtest.h>

#include <filesystem>

#include "store/database.h"

namespace bohr::store {
namespace {

Database filled() {
  auto database = Database::in_memory();
  EXPECT_TRUE(database.ok());
  EXPECT_TRUE(database.value().run("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x')").ok());
  return std::move(database).value();
}

TEST(StoreDatabase, BindsAndReadsEachType) {
  const Database database = filled();
  auto query = database.prepare("SELECT ?1, ?2, ?3, 2.5, NULL");
  ASSERT_TRUE(query.ok());
  Statement& statement = query.value();
  const std::vector<uint8_t> bytes = {0, 1, 255};
  statement.bind(1, int64_t{-7});
  statement.bind(2, std::string_view("a\0b", 3));
  statement.bind_blob(3, bytes);
  ASSERT_TRUE(statement.step().value());
  EXPECT_EQ(statement.columns(), 5);
  EXPECT_EQ(statement.integer(0), -7);
  EXPECT_EQ(statement.text(1), std::string_view("a\0b", 3));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), statement.blob(2).begin()));
  EXPECT_EQ(statement.real(3), 2.5);
  EXPECT_EQ(statement.type(0), ColumnType::integer);
  EXPECT_EQ(statement.type(1), ColumnType::text);
  EXPECT_EQ(statement.type(2), ColumnType::blob);
  EXPECT_EQ(statement.type(3), ColumnType::real);
  EXPECT_EQ(statement.type(4), ColumnType::null);
  EXPECT_FALSE(statement.step().value());
}

TEST(StoreDatabase, EmptyValuesAreNotNull) {
  const Database database = filled();
  auto query = database.prepare("SELECT typeof(?1), typeof(?2)");
  query.value().bind(1, std::string_view());
  query.value().bind_blob(2, {});
  ASSERT_TRUE(query.value().step().value());
  EXPECT_EQ(query.value().text(0), "text");
  EXPECT_EQ(query.value().text(1), "blob");
}

TEST(StoreDatabase, RefusesMoreOrLessThanOneStatement) {
  const Database database = filled();
  EXPECT_FALSE(database.prepare("").ok());
  EXPECT_FALSE(database.prepare("  -- nothing").ok());
  EXPECT_FALSE(database.prepare("SELECT 1; SELECT 2").ok());
  EXPECT_TRUE(database.prepare("SELECT 1; \n").ok());
  EXPECT_FALSE(database.prepare(std::string(3 << 20, ' ') + "SELECT 1").ok());
}

TEST(StoreDatabase, AQuotedNameThatDoesNotExistIsAnError) {
  const Database database = filled();
  const auto query = database.prepare("SELECT \"none\" FROM t");
  ASSERT_FALSE(query.ok());
  EXPECT_NE(query.error().why.find("none"), std::string::npos);
}

TEST(StoreDatabase, QueriesCannotChangeAnything) {
  Database database = filled();
  ASSERT_TRUE(database.allow_only_queries().ok());
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const std::string& sql : std::vector<std::string>{
           "INSERT INTO t VALUES (2, 'y')", "UPDATE t SET a = 2", "DELETE FROM t", "DROP TABLE t",
           "CREATE TABLE u (a)", "CREATE TEMP TABLE u (a)", "PRAGMA query_only = OFF",
           "PRAGMA user_version = 3", "PRAGMA journal_mode = WAL", "VACUUM", "BEGIN",
           "VACUUM INTO '" + folder + "/bohr-none.db'",
           "ATTACH '" + folder + "/bohr-none.db' AS other", "SELECT load_extension('x')"}) {
    auto statement = database.prepare(sql);
    EXPECT_FALSE(statement.ok() && statement.value().step().ok()) << sql;
  }
  EXPECT_EQ(database.number("SELECT count(*) FROM t WHERE a = 1").value(), 1);
  EXPECT_EQ(database.number("SELECT count(*) FROM pragma_table_info('t')").value(), 2);
  EXPECT_EQ(database
                .number("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE "
                        "i < 5) SELECT sum(i) FROM r")
                .value(),
            15);
  EXPECT_FALSE(std::filesystem::exists(folder + "/bohr-none.db"));
}

TEST(StoreDatabase, BytesAreReadOnly) {
  auto database = Database::from_bytes({}, "nothing");
  ASSERT_TRUE(database.ok());
  const Status written = database.value().run("CREATE TABLE t (a)");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().what, "nothing");
}

TEST(StoreDatabase, AMissingFileIsAnError) {
  const auto database = Database::open_read_only("/none/such.sqlite");
  ASSERT_FALSE(database.ok());
  EXPECT_EQ(database.error().what, "/none/such.sqlite");
}

TEST(StoreDatabase, AStatementKeepsItsErrorToItself) {
  const Database database = filled();
  ASSERT_TRUE(database.run("CREATE UNIQUE INDEX i ON t (a)").ok());
  auto insert = database.prepare("INSERT INTO t VALUES (?, 'z')");
  insert.value().bind(1, int64_t{1});
  const Status again = insert.value().run();
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().why.find("UNIQUE"), std::string::npos);
}

}  // namespace
}  // namespace bohr::store

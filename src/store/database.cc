// SPDX-License-Identifier: Apache-2.0
// The connection. Settings follow what SQLite's makers advise for files from strangers.
#include "store/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace bohr::store {
namespace {

// Longest string, blob or row that is read or written: a record's longest payload and some.
constexpr int kMaxValue = 300 << 20;
constexpr size_t kMaxSql = size_t{1} << 20;

bool allowed_pragma(std::string_view name, const char* argument) {
  static constexpr std::array<std::string_view, 6> kShape = {
      "table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"};
  static constexpr std::array<std::string_view, 3> kNumbers = {"user_version", "application_id",
                                                               "page_count"};
  if (std::find(kShape.begin(), kShape.end(), name) != kShape.end()) return true;
  return argument == nullptr && std::find(kNumbers.begin(), kNumbers.end(), name) != kNumbers.end();
}

// What a statement that only reads could still do beyond looking. Statements that write are told by
// SQLite itself (see prepare): it compiles some tables of its own, such as json_each, as if they
// were being created, so an authorizer that forbade creating would forbid using them.
int authorize_query(void*, int action, const char* first, const char* second, const char*,
                    const char*) {
  bool allowed = true;
  if (action == SQLITE_PRAGMA) {
    allowed = first != nullptr && allowed_pragma(first, second);
  } else if (action == SQLITE_FUNCTION) {
    allowed = second == nullptr || std::string_view(second) != "load_extension";
  } else if (action == SQLITE_ATTACH || action == SQLITE_DETACH || action == SQLITE_TRANSACTION ||
             action == SQLITE_SAVEPOINT) {
    allowed = false;
  }
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Error Database::error(const std::string& why) const {
  return {"sqlite-failed", source_, "", why, ""};
}

Result<Database> Database::open(const std::string& path, int flags, const std::string& source) {
  Database database;
  database.source_ = source;
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, nullptr);
  database.connection_.reset(connection);
  if (code != SQLITE_OK) {
    return database.error(connection != nullptr ? sqlite3_errmsg(connection) : "out of memory");
  }
  BOHR_TRY_STATUS(database.configure());
  return database;
}

Status Database::configure() {
  sqlite3* connection = connection_.get();
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  // A quoted name that no column has is an error, not a string.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMaxValue);
  return run("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

Result<Database> Database::in_memory() {
  return open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "database in memory");
}

Result<Database> Database::open_writable(const std::string& path) {
  return open(path, SQLITE_OPEN_READWRITE, path);
}

Result<Database> Database::open_read_only(const std::string& path) {
  return open(path, SQLITE_OPEN_READONLY, path);
}

Result<Database> Database::from_bytes(std::vector<uint8_t> bytes, const std::string& source) {
  BOHR_TRY(database, open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, source));
  database.bytes_ = std::move(bytes);
  const auto size = static_cast<sqlite3_int64>(database.bytes_.size());
  const int code = sqlite3_deserialize(database.connection_.get(), "main", database.bytes_.data(),
                                       size, size, SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) return database.error(sqlite3_errstr(code));
  return std::move(database);
}

Result<Statement> Database::prepare(std::string_view sql) const {
  if (sql.empty()) return error("there is no SQL statement");
  if (sql.size() > kMaxSql) return error("the SQL statement is too long");
  sqlite3_stmt* raw = nullptr;
  const char* rest = nullptr;
  const int code =
      sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &raw, &rest);
  Statement statement(raw, source_);
  if (code != SQLITE_OK) return error(sqlite3_errmsg(connection_.get()));
  if (raw == nullptr) return error("there is no SQL statement");
  const std::string_view behind = sql.substr(static_cast<size_t>(rest - sql.data()));
  if (behind.find_first_not_of(" \t\r\n;") != std::string_view::npos) {
    return error("there is more than one SQL statement");
  }
  if (only_queries_ && sqlite3_stmt_readonly(raw) == 0) {
    return error("this statement would change the database, which may only be read");
  }
  return statement;
}

Status Database::run(const std::string& sql) const {
  const int code = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return error(sqlite3_errmsg(connection_.get()));
  return Nothing{};
}

Result<int64_t> Database::number(std::string_view sql) const {
  BOHR_TRY(statement, prepare(sql));
  BOHR_TRY(row, statement.step());
  if (!row) return error("no row");
  return statement.integer(0);
}

Status Database::allow_only_queries() {
  BOHR_TRY_STATUS(run("PRAGMA query_only = ON"));
  sqlite3_set_authorizer(connection_.get(), &authorize_query, nullptr);
  only_queries_ = true;
  return Nothing{};
}

}  // namespace bohr::store

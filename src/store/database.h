// SPDX-License-Identifier: Apache-2.0
// SQLite under RAII and Result. Databases may come from strangers: each connection distrusts its
// schema, refuses to run triggers, and checks pages before it believes them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace bohr::store {

enum class ColumnType : uint8_t { integer, real, text, blob, null };

// One compiled statement. Parameters count from 1, columns from 0. Views into a row are valid until
// the next step.
class Statement {
 public:
  void bind(int parameter, int64_t value);
  void bind(int parameter, std::string_view text);
  void bind_blob(int parameter, std::span<const uint8_t> bytes);

  // True: a row is there to be read. False: the statement is through.
  Result<bool> step();
  // For a statement that gives no rows: runs it, ready for the next parameters.
  Status run();

  int columns() const;
  std::string_view name(int column) const;
  ColumnType type(int column) const;
  int64_t integer(int column) const;
  double real(int column) const;
  std::string_view text(int column) const;
  std::span<const uint8_t> blob(int column) const;

 private:
  friend class Database;
  struct Finalise {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, std::string source)
      : statement_(statement), source_(std::move(source)) {}
  Error error() const;

  std::unique_ptr<sqlite3_stmt, Finalise> statement_;
  std::string source_;
  bool bind_failed_ = false;
};

class Database {
 public:
  // An empty database in memory.
  static Result<Database> in_memory();
  // An existing file that is to be filled; nothing else may have it open.
  static Result<Database> open_writable(const std::string& path);
  static Result<Database> open_read_only(const std::string& path);
  // A database file's bytes, read only. `source` names them in errors.
  static Result<Database> from_bytes(std::vector<uint8_t> bytes, const std::string& source);

  // Compiles the first statement of `sql`; refuses text behind it.
  Result<Statement> prepare(std::string_view sql) const;
  // Runs all statements of `sql`, which give no rows.
  Status run(const std::string& sql) const;
  // The number that a pragma or a query of one row and column gives.
  Result<int64_t> number(std::string_view sql) const;

  // From now on statements may only look: no writing, attaching or changing of settings.
  Status allow_only_queries();

  const std::string& source() const { return source_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  static Result<Database> open(const std::string& path, int flags, const std::string& source);
  Status configure();
  Error error(const std::string& why) const;

  // Ahead of the connection, which reads from them until it is closed.
  std::vector<uint8_t> bytes_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::string source_;
  bool only_queries_ = false;
};

}  // namespace bohr::store

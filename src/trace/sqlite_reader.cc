// SPDX-License-Identifier: Apache-2.0
// SQLite -> logs. Each table is read by rising position and the tables are merged, so no sorting is
// needed and memory holds the result alone.
//
// The file may come from a stranger. Its tables must have been made by exactly our statements:
// then they are plain tables, without computed columns and with keys that give the order of
// reading. Positions, list entries and string ids must rise one by one, so a page that is linked
// into a tree twice is noticed at its first row, however many rows it would make up.
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>

#include "trace/record_codec.h"
#include "trace/sqlite_schema.h"
#include "trace/sqlite_trace.h"

namespace bohr::trace {
namespace {

using store::ColumnType;
using store::Database;
using store::Statement;

Error damaged(const std::string& source, std::string where, std::string why) {
  return {"trace-damaged", source, std::move(where), std::move(why),
          "the file was changed or damaged since bohr wrote it: make it again from the logs"};
}

std::string row_name(const std::string& table, int64_t position) {
  return "table " + table + ", position " + std::to_string(position);
}

template <Scalar T>
bool scalar_from_sql(int64_t number, T* value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    *value = static_cast<uint64_t>(number);
    return true;
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    *value = static_cast<T>(number);
    return *value == number;
  } else {
    return number >= 0 && scalar_from_code(static_cast<uint64_t>(number), value);
  }
}

// Reads a record's columns from a row, behind position and proc. Remembers the first that is wrong.
class RowReader {
 public:
  RowReader(const Statement& row, size_t string_count, bool has_lists)
      : row_(row), string_count_(string_count), has_lists_(has_lists) {}
  template <Scalar T>
  void operator()(const char* name, T& value) {
    const bool whole = row_.type(next_) == ColumnType::integer;
    check(whole && scalar_from_sql(row_.integer(next_), &value), name);
    ++next_;
  }
  void operator()(const char* name, Text& text) {
    (*this)(name, text.id);
    check(text.id < string_count_, name);
  }
  void operator()(const char* name, Bytes& bytes) {
    if (has_lists_) return;
    check(row_.type(next_) == ColumnType::blob, name);
    const auto blob = row_.blob(next_++);
    bytes.assign(blob.begin(), blob.end());
  }
  void operator()(const char*, Numbers&) {}
  void operator()(const char*, Call& call) {
    (*this)("seq", call.seq), (*this)("exit", call.exit);
    (*this)("thread", call.thread), (*this)("stack", call.stack);
  }
  const char* wrong() const { return wrong_; }

 private:
  void check(bool right, const char* name) {
    if (!right && wrong_ == nullptr) wrong_ = name;
  }
  const Statement& row_;
  size_t string_count_;
  bool has_lists_;
  int next_ = 2;
  const char* wrong_ = nullptr;
};

// Appends one row of a list table, from column 2 on, to a record's lists.
class ListReader {
 public:
  explicit ListReader(const Statement& row) : row_(row) {}
  template <class T>
  void operator()(const char*, T&) {}
  template <class T>
  void operator()(const char*, std::vector<T>& list) {
    T value{};
    if (!scalar_from_sql(row_.integer(next_), &value)) ok_ = false;
    if (row_.type(next_++) != ColumnType::integer) ok_ = false;
    list.push_back(value);
  }
  bool ok() const { return ok_; }

 private:
  const Statement& row_;
  int next_ = 2;
  bool ok_ = true;
};

// The rows of one list table, taken by the records that own them.
class ListCursor {
 public:
  ListCursor(Statement rows, std::string table)
      : rows_(std::move(rows)), table_(std::move(table)) {}

  Status advance() {
    BOHR_TRY(more, rows_.step());
    more_ = more;
    return Nothing{};
  }

  // Moves the rows of `position` into the record's lists.
  template <class R>
  Status take(int64_t position, const std::string& source, R* record) {
    for (int64_t n = 0; more_ && rows_.integer(0) == position; ++n) {
      ListReader reader(rows_);
      R::fields(reader, *record);
      if (rows_.integer(1) != n || !reader.ok()) {
        return damaged(source, row_name(table_, position),
                       "entry " + std::to_string(n) + " of the list is wrong");
      }
      BOHR_TRY_STATUS(advance());
    }
    return Nothing{};
  }
  Status finish(const std::string& source) const {
    if (!more_) return Nothing{};
    return damaged(source, row_name(table_, rows_.integer(0)), "the list belongs to no record");
  }

 private:
  Statement rows_;
  std::string table_;
  bool more_ = false;
};

// The rows of one kind's table.
class Cursor {
 public:
  using Read = std::function<Status(Cursor&, Log*)>;
  Cursor(Statement rows, Table table, std::string source, Read read)
      : rows_(std::move(rows)),
        table_(std::move(table)),
        source_(std::move(source)),
        read_(std::move(read)) {}

  Status add_list(Statement rows) {
    list_.emplace(std::move(rows), table_.list_name);
    return list_->advance();
  }
  // False when there is no further row.
  Result<bool> advance() {
    BOHR_TRY(more, rows_.step());
    if (more && (rows_.type(0) != ColumnType::integer || rows_.type(1) != ColumnType::integer)) {
      return damaged(source_, "table " + table_.name, "a position or proc is no whole number");
    }
    return more;
  }
  int64_t position() const { return rows_.integer(0); }
  int64_t proc() const { return rows_.integer(1); }
  std::string place() const { return row_name(table_.name, position()); }
  Status read(Log* log) { return read_(*this, log); }

  template <class R>
  Status read_as(Log* log) {
    R& record = std::get<R>(log->records.emplace_back(R{}));
    RowReader reader(rows_, log->strings.size(), list_.has_value());
    R::fields(reader, record);
    if (reader.wrong() != nullptr) {
      return damaged(source_, place() + ", column " + reader.wrong(), "the value is impossible");
    }
    if (list_) BOHR_TRY_STATUS(list_->take(position(), source_, &record));
    if (lists_agree(record, log->strings.size())) return Nothing{};
    return damaged(source_, place(), "a list names a string that does not exist");
  }
  Status finish() const { return list_ ? list_->finish(source_) : Status(Nothing{}); }

 private:
  Statement rows_;
  Table table_;
  std::string source_;
  Read read_;
  std::optional<ListCursor> list_;
};

class TraceReader {
 public:
  explicit TraceReader(const Database& database) : database_(database) {}

  Result<std::vector<Log>> run() {
    BOHR_TRY_STATUS(check_is_trace(database_));
    BOHR_TRY(version, database_.number("PRAGMA user_version"));
    version_ = version;
    BOHR_TRY_STATUS(check_tables());
    BOHR_TRY_STATUS(read_logs());
    BOHR_TRY_STATUS(read_strings());
    BOHR_TRY_STATUS(open_cursors());
    BOHR_TRY_STATUS(merge());
    return std::move(logs_);
  }

 private:
  Status check_tables();
  Status read_logs();
  Status read_strings();
  Status open_cursors();
  Status merge();
  Error damage(std::string where, std::string why) const {
    return damaged(database_.source(), std::move(where), std::move(why));
  }

  const Database& database_;
  int64_t version_ = 0;
  std::vector<Log> logs_;
  std::vector<Cursor> cursors_;
};

Status TraceReader::check_tables() {
  BOHR_TRY(find, database_.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"));
  std::map<std::string, std::string> found;
  while (true) {
    BOHR_TRY(row, find.step());
    if (!row) break;
    found.emplace(find.text(0), find.text(1));
  }
  for (const NamedSql& table : table_statements(version_)) {
    const auto it = found.find(table.name);
    if (it == found.end()) return damage("table " + table.name, "the table is missing");
    if (it->second != table.sql) {
      return damage("table " + table.name, "the table is not as bohr makes it");
    }
  }
  return Nothing{};
}

Status TraceReader::read_logs() {
  BOHR_TRY(rows, database_.prepare("SELECT proc, source FROM log NOT INDEXED ORDER BY proc"));
  while (true) {
    BOHR_TRY(row, rows.step());
    if (!row) return Nothing{};
    if (rows.integer(0) != static_cast<int64_t>(logs_.size()) || rows.type(1) != ColumnType::text) {
      return damage("table log", "row " + std::to_string(logs_.size()) + " is wrong");
    }
    logs_.emplace_back().source = rows.text(1);
  }
}

Status TraceReader::read_strings() {
  BOHR_TRY(rows, database_.prepare("SELECT proc, id, text FROM string ORDER BY proc, id"));
  size_t proc = 0;
  while (true) {
    BOHR_TRY(row, rows.step());
    if (!row) break;
    while (proc + 1 < logs_.size() && rows.integer(0) > static_cast<int64_t>(proc)) ++proc;
    const size_t id = logs_.empty() ? 0 : logs_[proc].strings.size();
    if (logs_.empty() || rows.integer(0) != static_cast<int64_t>(proc) ||
        rows.integer(1) != static_cast<int64_t>(id) || rows.type(2) != ColumnType::text) {
      return damage("table string, proc " + std::to_string(proc) + ", id " + std::to_string(id),
                    "the row is wrong or one is missing");
    }
    logs_[proc].strings.emplace_back(rows.text(2));
  }
  for (size_t p = 0; p < logs_.size(); ++p) {
    if (logs_[p].strings.empty() || !logs_[p].strings[0].empty()) {
      return damage("table string, proc " + std::to_string(p), "string 0 must be the empty one");
    }
  }
  return Nothing{};
}

Status TraceReader::open_cursors() {
  std::vector<Cursor::Read> reads;
  for_each_kind([&](auto kind) {
    using R = decltype(kind);
    if constexpr (!std::is_same_v<R, String>) {
      if (since_version<R>() > version_) return;
      reads.emplace_back([](Cursor& cursor, Log* log) { return cursor.read_as<R>(log); });
    }
  });
  const std::vector<Table> tables = all_tables(version_);
  for (size_t i = 0; i < tables.size(); ++i) {
    BOHR_TRY(rows, database_.prepare(select_from(tables[i])));
    Cursor& cursor =
        cursors_.emplace_back(std::move(rows), tables[i], database_.source(), reads[i]);
    if (tables[i].list_name.empty()) continue;
    BOHR_TRY(list, database_.prepare(select_from_list(tables[i])));
    BOHR_TRY_STATUS(cursor.add_list(std::move(list)));
  }
  return Nothing{};
}

Status TraceReader::merge() {
  using Head = std::pair<int64_t, size_t>;  // position, cursor
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  for (size_t i = 0; i < cursors_.size(); ++i) {
    BOHR_TRY(more, cursors_[i].advance());
    if (more) heads.emplace(cursors_[i].position(), i);
  }
  int64_t proc = 0;
  for (int64_t next = 0; !heads.empty(); ++next) {
    const auto [position, index] = heads.top();
    heads.pop();
    Cursor& cursor = cursors_[index];
    if (position != next) {
      return damage(cursor.place(), "the record at position " + std::to_string(next) +
                                        " is missing or there twice");
    }
    if (cursor.proc() < proc || cursor.proc() >= static_cast<int64_t>(logs_.size())) {
      return damage(cursor.place() + ", column proc", "the value is impossible");
    }
    proc = cursor.proc();
    BOHR_TRY_STATUS(cursor.read(&logs_[static_cast<size_t>(proc)]));
    BOHR_TRY(more, cursor.advance());
    if (more) heads.emplace(cursor.position(), index);
  }
  for (const Cursor& cursor : cursors_) BOHR_TRY_STATUS(cursor.finish());
  return Nothing{};
}

}  // namespace

Status check_is_trace(const Database& database) {
  const auto application = database.number("PRAGMA application_id");
  if (!application.ok()) {
    return Error{"trace-unreadable", database.source(), "", application.error().why,
                 "make the trace again from the logs"};
  }
  if (application.value() != kSqliteApplication) {
    return Error{"trace-not-a-trace", database.source(), "application_id",
                 "this SQLite database is no trace of bohr's", "give a log, a trace or a case"};
  }
  BOHR_TRY(version, database.number("PRAGMA user_version"));
  if (version < 1 || version > kSqliteVersion) {
    return Error{"trace-version", database.source(), "user_version",
                 "the trace has version " + std::to_string(version) +
                     ", and this program reads up to version " + std::to_string(kSqliteVersion),
                 "use a newer bohr"};
  }
  return Nothing{};
}

Result<std::vector<Log>> read_sqlite(const Database& database) {
  auto logs = TraceReader(database).run();
  if (logs.ok() || logs.error().code != "sqlite-failed") return logs;
  return damaged(database.source(), "", logs.error().why);
}

Result<std::vector<Log>> read_sqlite(std::vector<uint8_t> bytes, const std::string& source) {
  BOHR_TRY(database, Database::from_bytes(std::move(bytes), source));
  return read_sqlite(database);
}

}  // namespace bohr::trace

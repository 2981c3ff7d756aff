// SPDX-License-Identifier: Apache-2.0
// Logs -> SQLite, in one transaction. Without a journal: what a failure leaves behind is a
// temporary file, which is removed.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>

#include "trace/sqlite_schema.h"
#include "trace/sqlite_trace.h"

namespace bohr::trace {
namespace {

using store::Database;
using store::Statement;

// Binds a record's columns; its lists are left for `bind_list_row`.
class Binder {
 public:
  Binder(Statement& statement, bool has_lists) : statement_(statement), has_lists_(has_lists) {}
  template <Scalar T>
  void operator()(const char*, T value) {
    statement_.bind(next_++, static_cast<int64_t>(value));
  }
  void operator()(const char*, Text text) { statement_.bind(next_++, int64_t{text.id}); }
  void operator()(const char*, const Bytes& bytes) {
    if (!has_lists_) statement_.bind_blob(next_++, bytes);
  }
  void operator()(const char*, const Numbers&) {}
  void operator()(const char*, const Call& call) {
    for (const uint64_t value : {call.seq, call.exit}) (*this)("", value);
    for (const uint32_t value : {call.thread, call.stack}) (*this)("", value);
  }

 private:
  Statement& statement_;
  int next_ = 1;
  bool has_lists_;
};

// Binds entry `n` of each of a record's lists.
class ListBinder {
 public:
  ListBinder(Statement& statement, size_t n, int first)
      : statement_(statement), n_(n), next_(first) {}
  template <class T>
  void operator()(const char*, const T&) {}
  template <class T>
  void operator()(const char*, const std::vector<T>& list) {
    statement_.bind(next_++, static_cast<int64_t>(list.at(n_)));
  }

 private:
  Statement& statement_;
  size_t n_;
  int next_;
};

class Filler {
 public:
  explicit Filler(const Database& database) : database_(database) {}

  Status put(int64_t proc, const Log& log) {
    BOHR_TRY(source, database_.prepare("INSERT INTO log (proc, source) VALUES (?, ?)"));
    source.bind(1, proc);
    source.bind(2, std::string_view(log.source));
    BOHR_TRY_STATUS(source.run());
    BOHR_TRY(text, database_.prepare("INSERT INTO string (proc, id, text) VALUES (?, ?, ?)"));
    for (size_t id = 0; id < log.strings.size(); ++id) {
      text.bind(1, proc);
      text.bind(2, static_cast<int64_t>(id));
      text.bind(3, std::string_view(log.strings[id]));
      BOHR_TRY_STATUS(text.run());
    }
    for (const Record& record : log.records) {
      BOHR_TRY_STATUS(std::visit([&](const auto& r) { return put_record(proc, r); }, record));
      ++position_;
    }
    return Nothing{};
  }

 private:
  // Each kind's statements are compiled when its first record comes.
  struct Inserts {
    std::optional<Statement> record;
    std::optional<Statement> list;
  };

  template <class R>
  Status prepare(Inserts* inserts) {
    const Table table = table_of<R>();
    BOHR_TRY(record, database_.prepare(insert_into(table)));
    inserts->record = std::move(record);
    if constexpr (list_table<R>() != nullptr) {
      BOHR_TRY(list, database_.prepare(insert_into_list(table)));
      inserts->list = std::move(list);
    }
    return Nothing{};
  }

  template <class R>
  Status put_record(int64_t proc, const R& record) {
    Inserts& inserts = inserts_.at(static_cast<size_t>(R::kKind));
    if (!inserts.record) BOHR_TRY_STATUS(prepare<R>(&inserts));
    Binder binder(*inserts.record, list_table<R>() != nullptr);
    binder("position", position_);
    binder("proc", proc);
    R::fields(binder, record);
    BOHR_TRY_STATUS(inserts.record->run());
    if constexpr (list_table<R>() != nullptr) return put_list(*inserts.list, record);
    return Nothing{};
  }

  template <class R>
  Status put_list(Statement& insert, const R& record) {
    for (size_t n = 0; n < list_length(record); ++n) {
      insert.bind(1, position_);
      insert.bind(2, static_cast<int64_t>(n));
      ListBinder binder(insert, n, 3);
      R::fields(binder, record);
      BOHR_TRY_STATUS(insert.run());
    }
    return Nothing{};
  }
  static size_t list_length(const Stack& stack) { return stack.functions.size(); }
  static size_t list_length(const Function& function) { return function.offsets.size(); }
  static size_t list_length(const Edges& edges) { return edges.from.size(); }
  static size_t list_length(const Clock& clock) { return clock.seqs.size(); }

  const Database& database_;
  std::array<Inserts, 128> inserts_;
  int64_t position_ = 0;
};

Status fill(const Database& database, std::span<const Log> logs) {
  BOHR_TRY_STATUS(database.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF"));
  BOHR_TRY_STATUS(database.run("PRAGMA application_id = " + std::to_string(kSqliteApplication) +
                               "; PRAGMA user_version = " + std::to_string(kSqliteVersion)));
  BOHR_TRY_STATUS(database.run("BEGIN"));
  for (const NamedSql& table : table_statements()) BOHR_TRY_STATUS(database.run(table.sql));
  Filler filler(database);
  for (size_t proc = 0; proc < logs.size(); ++proc) {
    BOHR_TRY_STATUS(filler.put(static_cast<int64_t>(proc), logs[proc]));
  }
  for (const std::string& sql : index_and_view_statements()) BOHR_TRY_STATUS(database.run(sql));
  return database.run("COMMIT");
}

Error cannot_write(const std::string& path, const std::string& why) {
  return {"trace-not-written", path, "", "the trace cannot be written: " + why,
          "choose a folder that is writable and has room"};
}

Error cannot_write(const std::string& path, int error) {
  return cannot_write(path, std::system_category().message(error));
}

// SQLite writes without syncing; this makes the bytes durable before the name is given to them.
int sync_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  return error;
}

Status fill_file(const std::string& path, std::span<const Log> logs) {
  BOHR_TRY(database, Database::open_writable(path));
  return fill(database, logs);
}

}  // namespace

Status write_sqlite(std::span<const Log> logs, const std::string& path) {
  std::string temporary = path + ".XXXXXX";
  const int file = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return cannot_write(path, errno);
  ::close(file);
  const Status filled = fill_file(temporary, logs);
  int error = 0;
  if (filled.ok()) {
    error = sync_file(temporary);
    if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return Nothing{};
  }
  ::unlink(temporary.c_str());
  return filled.ok() ? cannot_write(path, error) : cannot_write(path, filled.error().why);
}

Result<Database> sqlite_in_memory(std::span<const Log> logs) {
  BOHR_TRY(database, Database::in_memory());
  BOHR_TRY_STATUS(fill(database, logs));
  return std::move(database);
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Statements. A bind that fails (a value too long) is told by the step that follows it.
#include <sqlite3.h>

#include "store/database.h"

namespace bohr::store {

void Statement::Finalise::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Error Statement::error() const {
  return {"sqlite-failed", source_, "", sqlite3_errmsg(sqlite3_db_handle(statement_.get())), ""};
}

void Statement::bind(int parameter, int64_t value) {
  if (sqlite3_bind_int64(statement_.get(), parameter, value) != SQLITE_OK) bind_failed_ = true;
}

void Statement::bind(int parameter, std::string_view text) {
  const char* data = text.empty() ? "" : text.data();
  const int code = sqlite3_bind_text64(statement_.get(), parameter, data, text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_failed_ = true;
}

void Statement::bind_blob(int parameter, std::span<const uint8_t> bytes) {
  const void* data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
  const int code =
      sqlite3_bind_blob64(statement_.get(), parameter, data, bytes.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) bind_failed_ = true;
}

Result<bool> Statement::step() {
  if (bind_failed_) return Error{"sqlite-failed", source_, "", "a value is too long", ""};
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return error();
}

Status Statement::run() {
  const auto row = step();
  if (!row.ok()) return row.error();
  BOHR_CHECK(!row.value());
  sqlite3_reset(statement_.get());
  return Nothing{};
}

int Statement::columns() const { return sqlite3_column_count(statement_.get()); }

std::string_view Statement::name(int column) const {
  const char* name = sqlite3_column_name(statement_.get(), column);
  return name == nullptr ? "" : name;
}

ColumnType Statement::type(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return ColumnType::integer;
    case SQLITE_FLOAT:
      return ColumnType::real;
    case SQLITE_TEXT:
      return ColumnType::text;
    case SQLITE_BLOB:
      return ColumnType::blob;
    default:
      return ColumnType::null;
  }
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const uint8_t> Statement::blob(int column) const {
  const auto* data = static_cast<const uint8_t*>(sqlite3_column_blob(statement_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace bohr::store

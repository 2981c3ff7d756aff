// SPDX-License-Identifier: Apache-2.0
// The SQLite schema of a trace, derived from the records' fields: a table a kind, a column a field
// (a Call is four), and a second table where a kind holds lists, one row an entry.
//
// `position` numbers all records of the file in the order of their logs, one process after the
// other, and `proc` says which process: together with `string` that is the whole log again.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "trace/log_reader.h"
#include "trace/record_words.h"
#include "trace/writer/encode.h"

namespace bohr::trace {

constexpr int64_t kSqliteApplication = 0x424f4852;  // "BOHR"
// Bump with every change of the tables; readers refuse newer versions.
constexpr int64_t kSqliteVersion = 8;

// The first version of the schema that has the kind's table.
template <class R>
constexpr int64_t since_version() {
  if (std::is_same_v<R, EntryCall>) return 8;
  if (std::is_same_v<R, Conditional> || std::is_same_v<R, TensorMap> || std::is_same_v<R, Code> ||
      std::is_same_v<R, StreamHandle> || std::is_same_v<R, Clock> || std::is_same_v<R, Mapping>)
    return 7;
  if (std::is_same_v<R, Timing>) return 6;
  if (std::is_same_v<R, Provenance>) return 5;
  if (std::is_same_v<R, GraphVersion>) return 4;
  if (std::is_same_v<R, Scope> || std::is_same_v<R, Name> || std::is_same_v<R, AccessRecord> ||
      std::is_same_v<R, HostAccess>)
    return 3;
  return std::is_same_v<R, HostWrite> ? 2 : 1;
}

// What the list table of a kind is called; nullptr for kinds without lists.
template <class R>
constexpr const char* list_table() {
  if constexpr (std::is_same_v<R, Stack>) return "frame";
  if constexpr (std::is_same_v<R, Function>) return "param";
  if constexpr (std::is_same_v<R, Edges>) return "edge";
  if constexpr (std::is_same_v<R, Clock>) return "sample";
  return nullptr;
}

enum class Storage : uint8_t { integer, text_id, blob };

struct Column {
  std::string name;
  Storage storage = Storage::integer;
  Words words;  // of an enumeration
};

struct Table {
  std::string name;
  std::vector<Column> columns;            // behind position and proc
  std::string list_name;                  // empty: the kind holds no lists
  std::vector<std::string> list_columns;  // behind position and n
  bool is_call = false;

  bool has(const std::string& column) const;
};

// Gathers a Table from a record's fields.
class TableBuilder {
 public:
  explicit TableBuilder(Table* table) : table_(*table) {}
  template <Scalar T>
  void operator()(const char* name, const T& value) {
    Words words;
    if constexpr (std::is_enum_v<T>) words = words_of(value);
    table_.columns.push_back({name, Storage::integer, words});
  }
  void operator()(const char* name, const Text&) {
    table_.columns.push_back({name, Storage::text_id, {}});
  }
  void operator()(const char* name, const Bytes&) {
    if (table_.list_name.empty()) {
      table_.columns.push_back({name, Storage::blob, {}});
    } else {
      table_.list_columns.emplace_back(name);
    }
  }
  void operator()(const char* name, const Numbers&) { table_.list_columns.emplace_back(name); }
  void operator()(const char*, const Call&) {
    for (const char* name : {"seq", "exit", "thread", "stack"}) {
      table_.columns.push_back({name, Storage::integer, {}});
    }
    table_.is_call = true;
  }

 private:
  Table& table_;
};

template <class R>
Table table_of() {
  Table table;
  table.name = R::kName;
  if (const char* list = list_table<R>()) table.list_name = list;
  TableBuilder builder(&table);
  const R record;
  R::fields(builder, record);
  return table;
}

// One for each kind but String that the version has, in the order of `for_each_kind`.
std::vector<Table> all_tables(int64_t version = kSqliteVersion);

std::string create_table(const Table& table);
std::string create_list_table(const Table& table);
std::string insert_into(const Table& table);
std::string insert_into_list(const Table& table);
std::string select_from(const Table& table);
std::string select_from_list(const Table& table);

// A table of the file and the statement that makes it.
struct NamedSql {
  std::string name;
  std::string sql;
};
std::vector<NamedSql> table_statements(int64_t version = kSqliteVersion);
// Indexes and views, to be made once the tables are filled.
std::vector<std::string> index_and_view_statements();

}  // namespace bohr::trace

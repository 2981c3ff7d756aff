// SPDX-License-Identifier: Apache-2.0
// The schema as SQL text. Views end in _v: their texts are joined in and enumerations are words.
#include "trace/sqlite_schema.h"

#include <algorithm>

namespace bohr::trace {
namespace {

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

// "offsets" -> "offset": a row of a list table holds one of them.
std::string singular(std::string name) {
  if (name.back() == 's') name.pop_back();
  return name;
}

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> names = {"position", "proc"};
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

std::vector<std::string> list_column_names(const Table& table) {
  std::vector<std::string> names = {"position", "n"};
  for (const std::string& column : table.list_columns) names.push_back(singular(column));
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + quoted(name);
  return list;
}

std::string insert(const std::string& table, const std::vector<std::string>& names) {
  std::string values = "?";
  for (size_t i = 1; i < names.size(); ++i) values += ", ?";
  return "INSERT INTO " + quoted(table) + " (" + joined(names) + ") VALUES (" + values + ")";
}

std::string text_of(const std::string& id) {
  return "(SELECT s.text FROM string s WHERE s.proc = t.proc AND s.id = " + id + ")";
}

std::string word_of(const Column& column) {
  std::string expression = "CASE t." + quoted(column.name);
  for (size_t i = 0; i < column.words.size(); ++i) {
    expression += " WHEN " + std::to_string(i) + " THEN '" + column.words[i] + "'";
  }
  return expression + " END";
}

std::string view_column(const Column& column) {
  const std::string name = quoted(column.name);
  if (column.storage == Storage::text_id) return text_of("t." + name) + " AS " + name;
  if (!column.words.empty()) return word_of(column) + " AS " + name;
  return "t." + name;
}

std::string create_view(const Table& table) {
  std::string sql = "CREATE VIEW " + quoted(table.name + "_v") + " AS SELECT t.position, t.proc";
  for (const Column& column : table.columns) sql += ", " + view_column(column);
  if (table.has("function") && table.name != "function") {
    sql +=
        ", (SELECT s.text FROM function f JOIN string s ON s.proc = f.proc AND s.id = f.name"
        " WHERE f.proc = t.proc AND f.function = t.function LIMIT 1) AS function_name";
  }
  return sql + " FROM " + quoted(table.name) + " t";
}

// All recorded calls in one view.
std::string create_call_view(const std::vector<Table>& tables) {
  std::string sql;
  for (const Table& table : tables) {
    if (!table.is_call) continue;
    sql += sql.empty() ? "CREATE VIEW call AS " : " UNION ALL ";
    sql += "SELECT position, proc, '" + table.name + "' AS kind, seq, \"exit\", thread, stack, ";
    sql += table.has("stream") ? "stream" : "NULL AS stream";
    sql += " FROM " + quoted(table.name);
  }
  return sql;
}

}  // namespace

bool Table::has(const std::string& column) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& c) { return c.name == column; });
}

std::vector<Table> all_tables(int64_t version) {
  std::vector<Table> tables;
  for_each_kind([&](auto kind) {
    using R = decltype(kind);
    if constexpr (!std::is_same_v<R, String>) {
      if (since_version<R>() <= version) tables.push_back(table_of<R>());
    }
  });
  return tables;
}

std::string create_table(const Table& table) {
  std::string sql = "CREATE TABLE " + quoted(table.name) +
                    " (position INTEGER PRIMARY KEY, proc INTEGER NOT NULL";
  for (const Column& column : table.columns) {
    sql += ", " + quoted(column.name);
    sql += column.storage == Storage::blob ? " BLOB NOT NULL" : " INTEGER NOT NULL";
  }
  return sql + ")";
}

std::string create_list_table(const Table& table) {
  std::string sql = "CREATE TABLE " + quoted(table.list_name) + " (";
  for (const std::string& name : list_column_names(table)) {
    sql += quoted(name) + " INTEGER NOT NULL, ";
  }
  return sql + "PRIMARY KEY (position, n)) WITHOUT ROWID";
}

std::string insert_into(const Table& table) { return insert(table.name, column_names(table)); }

std::string insert_into_list(const Table& table) {
  return insert(table.list_name, list_column_names(table));
}

std::string select_from(const Table& table) {
  return "SELECT " + joined(column_names(table)) + " FROM " + quoted(table.name) +
         " NOT INDEXED ORDER BY position";
}

std::string select_from_list(const Table& table) {
  return "SELECT " + joined(list_column_names(table)) + " FROM " + quoted(table.list_name) +
         " NOT INDEXED ORDER BY position, n";
}

std::vector<NamedSql> table_statements(int64_t version) {
  std::vector<NamedSql> statements = {
      {"log", "CREATE TABLE log (proc INTEGER PRIMARY KEY, source TEXT NOT NULL)"},
      {"string",
       "CREATE TABLE string (proc INTEGER NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL, "
       "PRIMARY KEY (proc, id)) WITHOUT ROWID"}};
  for (const Table& table : all_tables(version)) {
    statements.push_back({table.name, create_table(table)});
    if (!table.list_name.empty()) {
      statements.push_back({table.list_name, create_list_table(table)});
    }
  }
  return statements;
}

constexpr const char* kEdgeView =
    "CREATE VIEW edge_v AS SELECT t.proc, t.graph, e.n, e.\"from\" AS from_node, "
    "e.\"to\" AS to_node, e.type & 255 AS type, e.type >> 8 & 255 AS from_port, "
    "e.type >> 16 & 255 AS to_port FROM edges t JOIN edge e ON e.position = t.position";

std::vector<std::string> index_and_view_statements() {
  std::vector<std::string> statements = {
      "CREATE INDEX stack_id ON stack (proc, stack)",
      "CREATE INDEX function_id ON function (proc, function)",
      "CREATE INDEX kernel_function ON kernel (proc, function)",
      "CREATE INDEX node_graph ON node (proc, graph, \"index\")",
      "CREATE INDEX edges_graph ON edges (proc, graph)",
      "CREATE INDEX launch_exec ON launch (proc, exec)",
      "CREATE INDEX event_record_event ON event_record (proc, event, version)",
      "CREATE INDEX mem_alloc_address ON mem_alloc (proc, address)",
      "CREATE INDEX block_alloc_address ON block_alloc (proc, address)",
      "CREATE INDEX block_free_address ON block_free (proc, address)",
      "CREATE INDEX history_address ON history (proc, address)",
      "CREATE VIEW frame_v AS SELECT t.proc, t.stack, f.n, " + text_of("f.function") +
          " AS function, " + text_of("f.file") +
          " AS file, f.line, f.python FROM stack t JOIN frame f ON f.position = t.position",
      kEdgeView};
  const auto tables = all_tables();
  for (const Table& table : tables) statements.push_back(create_view(table));
  statements.push_back(create_call_view(tables));
  return statements;
}

}  // namespace bohr::trace

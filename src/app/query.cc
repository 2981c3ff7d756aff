// SPDX-License-Identifier: Apache-2.0
// Opens the trace read-only, or fills a database in memory from logs, and prints what a query
// gives. Blobs are shown as hexadecimal digits.
#include "app/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/files.h"
#include "app/run_dir.h"
#include "store/database.h"
#include "trace/open.h"
#include "trace/sqlite_trace.h"

namespace bohr::app {

namespace {

using Json = nlohmann::ordered_json;
using store::ColumnType;

constexpr size_t kMostColumn = 60;  // of a text table

Result<store::Database> open_trace(const std::string& path) {
  if (is_directory(path)) {
    if (processes_in(path).empty()) {
      return Error{"run-empty", "folder of a run", path, "it holds no log (PID.bohr)",
                   "name the folder that bohr run made"};
    }
    BOHR_TRY(database, trace::sqlite_in_memory(read_logs(path)));
    BOHR_TRY_STATUS(database.allow_only_queries());
    return std::move(database);
  }
  BOHR_TRY(input, trace::read_input(path));
  return trace::to_database(input);
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

Json cell(const store::Statement& row, int column) {
  switch (row.type(column)) {
    case ColumnType::integer:
      return row.integer(column);
    case ColumnType::real:
      return row.real(column);
    case ColumnType::text:
      return std::string(row.text(column));
    case ColumnType::blob:
      return hexadecimal(row.blob(column));
    case ColumnType::null:
      break;
  }
  return nullptr;
}

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<Json>> rows;
};

Result<Table> fetch(store::Statement* statement) {
  Table table;
  for (int i = 0; i < statement->columns(); ++i) table.names.emplace_back(statement->name(i));
  for (;;) {
    BOHR_TRY(more, statement->step());
    if (!more) return table;
    std::vector<Json> row;
    row.reserve(static_cast<size_t>(statement->columns()));
    for (int i = 0; i < statement->columns(); ++i) row.push_back(cell(*statement, i));
    table.rows.push_back(std::move(row));
  }
}

std::string plain(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::string as_text(const Table& table) {
  std::vector<std::vector<std::string>> lines = {table.names};
  for (const auto& row : table.rows) {
    std::vector<std::string> line;
    for (const Json& value : row) {
      std::string text = plain(value);
      std::ranges::replace_if(
          text, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
      line.push_back(std::move(text));
    }
    lines.push_back(std::move(line));
  }
  std::vector<size_t> widths(table.names.size());
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(line[i].size(), kMostColumn));
    }
  }
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      text += i + 1 == line.size() ? line[i] : fmt::format("{:<{}}  ", line[i], widths[i]);
    }
    out += text + "\n";
  }
  return out;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string as_csv(const Table& table) {
  std::string out;
  for (size_t i = 0; i < table.names.size(); ++i) {
    out += (i == 0 ? "" : ",") + csv_cell(table.names[i]);
  }
  out += "\n";
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + csv_cell(plain(row[i]));
    out += "\n";
  }
  return out;
}

std::string as_json(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (size_t i = 0; i < row.size(); ++i) object[table.names[i]] = row[i];
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<std::string> query(const std::string& path, const std::string& sql, TableFormat format) {
  BOHR_TRY(database, open_trace(path));
  BOHR_TRY(statement, database.prepare(sql));
  BOHR_TRY(table, fetch(&statement));
  if (format == TableFormat::json) return as_json(table);
  return format == TableFormat::csv ? as_csv(table) : as_text(table);
}

}  // namespace bohr::app

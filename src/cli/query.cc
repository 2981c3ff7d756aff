// SPDX-License-Identifier: Apache-2.0
// bohr query: SQL over a trace.
#include "app/query.h"

#include <memory>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct QueryArguments {
  std::string path;
  std::string sql;
  std::string format = "text";
};

int run_query(const QueryArguments& arguments) {
  const app::TableFormat format = arguments.format == "json"  ? app::TableFormat::json
                                  : arguments.format == "csv" ? app::TableFormat::csv
                                                              : app::TableFormat::text;
  const Result<std::string> rows = app::query(arguments.path, arguments.sql, format);
  if (!rows.ok()) return say_error(rows.error()), kUsage;
  return print(rows.value()) ? 0 : kUsage;
}

}  // namespace

void add_query(CLI::App* app, int* status) {
  auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command = app->add_subcommand("query", "run SQL over a trace, read only");
  command->add_option("FILE", arguments->path, "a log, SQLite trace or run folder")->required();
  command->add_option("SQL", arguments->sql, "one query")->required();
  command->add_option("--format", arguments->format, "text, json or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}));
  command->footer("Tables: bohr query FILE \"select name from sqlite_schema\"");
  command->callback([arguments, status] { *status = run_query(*arguments); });
}

}  // namespace bohr::cli

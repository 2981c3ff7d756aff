// SPDX-License-Identifier: Apache-2.0
// bohr show: what is in a trace, and its findings in full.
#include <fmt/format.h>

#include <memory>

#include "app/files.h"
#include "app/journal.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/listing.h"
#include "report/text.h"

namespace bohr::cli {

namespace {

struct ShowArguments {
  std::string path;
  std::string id;
  CheckArguments check;
  bool undecided = false;
  bool ops = false;
  int graph = -1;
};

int finish(const std::string& text) { return print(text) ? 0 : kUsage; }

int list(const ShowArguments& arguments) {
  const Result<std::vector<app::Loaded>> programs = app::load_path(arguments.path);
  if (!programs.ok()) return say_error(programs.error()), kUsage;
  std::string text;
  bool any_graph = false;
  for (const app::Loaded& one : programs.value()) {
    if (programs.value().size() > 1) text += "# " + report::printable(one.name) + "\n";
    if (arguments.ops) text += report::render_ops(one.program);
    const GraphId graph(arguments.graph);
    if (!graph.valid() || graph.index() >= one.program.graphs.size()) continue;
    any_graph = true;
    text += report::render_graph(one.program, graph);
  }
  if (arguments.graph >= 0 && !any_graph) {
    say_error({"no-such-graph", arguments.path, "", fmt::format("no graph {}", arguments.graph),
               "bohr show lists the graphs with their numbers"});
    return kUsage;
  }
  return finish(text);
}

int show(const ShowArguments& arguments) {
  const Result<app::CheckOptions> options = check_options(arguments.check);
  if (!options.ok()) return say_error(options.error()), kUsage;
  const Result<std::vector<app::Checked>> checked = [&] {
    const Progress progress("checking " + arguments.path);
    return app::check_path(arguments.path, options.value());
  }();
  if (!checked.ok()) return say_error(checked.error()), kUsage;
  if (const auto left = app::left_in_journal(arguments.path + "/" + app::kJournalName)) say(*left);
  const std::vector<report::Subject> subjects = app::subjects_of(checked.value());
  report::TextOptions text;
  text.style = output_style();
  if (arguments.check.all || !output_is_terminal()) text.most = -1;
  text.target = app::shell_word(arguments.path);
  if (arguments.undecided) {
    const std::string pairs = report::render_undecided(subjects, text);
    return finish(pairs.empty() ? "nothing is undecided\n" : pairs);
  }
  if (arguments.id.empty()) {
    return finish(report::render_summary(subjects, text.style) + "\n" +
                  report::render_text(subjects, text));
  }
  const std::string entry = report::render_entry(subjects, arguments.id, text);
  if (!entry.empty()) return finish(entry);
  say_error({"no-such-id", arguments.path, "", "nothing in it has the id " + arguments.id,
             "bohr show lists the ids"});
  return kUsage;
}

}  // namespace

void add_show(CLI::App* app, int* status) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = app->add_subcommand("show", "look inside a trace or the folder of a run");
  command->add_option("PATH", arguments->path, "a log, trace, case or run folder")->required();
  command->add_option("ID", arguments->id, "a finding, as reports name it: reuse-7c1e");
  command->add_flag("--undecided", arguments->undecided, "list every undecided pair");
  command->add_flag("--all", arguments->check.all, "list every cause");
  command->add_option("--suppress", arguments->check.suppress, "a file of accepted findings");
  command->add_flag("--strict-threads", arguments->check.strict_threads,
                    "order host threads only by what they said to each other");
  command->add_flag("--ops", arguments->ops, "list the ops outside graphs");
  command->add_option("--graph", arguments->graph, "list the nodes and edges of graph N")
      ->check(CLI::NonNegativeNumber);
  command->callback([arguments, status] {
    const bool listing = arguments->ops || arguments->graph >= 0;
    *status = listing ? list(*arguments) : show(*arguments);
  });
}

}  // namespace bohr::cli

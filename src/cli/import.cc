// SPDX-License-Identifier: Apache-2.0
// bohr import: a recording gets the blocks of an allocator that it did not see.
#include <fmt/format.h>

#include <memory>

#include "app/files.h"
#include "app/import_history.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/words.h"

namespace bohr::cli {

namespace {

std::string told(const app::HistoryImported& imported, const std::string& output) {
  std::string text = fmt::format("{}: {} of {}'s history placed among its calls\n",
                                 report::printable(imported.process),
                                 report::count(imported.blocks, "block"), imported.allocator);
  if (imported.left_out > 0)
    text += fmt::format("  {} left out (allocator-order-unknown): its place is open\n",
                        report::count(imported.left_out, "block"));
  if (imported.frees_open > 0)
    text += fmt::format("  {} (free-order-unknown): before or behind a wait is open\n",
                        report::count(imported.frees_open, "free"));
  const std::string word = app::shell_word(output);
  return text + fmt::format("Written to {}. Next: bohr check {}\n", word, word);
}

int run_import(const app::HistoryImport& what) {
  const Result<app::HistoryImported> imported = [&] {
    const Progress progress("placing " + what.history);
    return app::import_history(what);
  }();
  if (!imported.ok()) return say_error(imported.error()), kUsage;
  return print(told(imported.value(), what.output)) ? 0 : kUsage;
}

}  // namespace

void add_import(CLI::App* app, int* status) {
  auto what = std::make_shared<app::HistoryImport>();
  CLI::App* command = app->add_subcommand(
      "import", "give a recording the blocks of an allocator that it did not see");
  command->add_option("FILE", what->recording, "a log, SQLite trace or run folder")->required();
  command
      ->add_option("HISTORY", what->history,
                   "what torch.cuda.memory._dump_snapshot or RMM's logging adaptor wrote in the "
                   "same run")
      ->required();
  command->add_option("-o,--output", what->output, "the SQLite trace to write")->required();
  command->add_option("--pid", what->pid, "whose history it is, where several used the GPU");
  command->callback([what, status] { *status = run_import(*what); });
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/attach.h"

#include <atomic>
#include <csignal>
#include <memory>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct AttachArguments {
  app::AttachOptions attach;
  app::HoldOptions hold;
  bool explore = false;
  int64_t patience = 60;
  CheckArguments check;
};

// Set by the first SIGINT or SIGTERM: a held launch is let go, and what was found is told. The
// second one ends us at once; the agent then restores memory by itself.
std::atomic<bool> stopped{false};

void stop_once(int signal) {
  stopped.store(true);
  std::signal(signal, SIG_DFL);
}

int attach(AttachArguments arguments) {
  const Result<app::CheckOptions> options = check_options(arguments.check);
  if (!options.ok()) return say_error(options.error()), kUsage;
  arguments.attach.check = options.value();
  arguments.attach.patience = std::chrono::seconds(arguments.patience);
  if (arguments.explore) arguments.attach.explore = arguments.hold;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, stop_once);
  const Result<app::RunOutcome> outcome = app::attach(
      arguments.attach, [] { return stopped.load(); }, [](const std::string& line) { say(line); });
  if (!outcome.ok()) return say_error(outcome.error()), kUsage;
  return report_run(outcome.value(), arguments.check, options.value());
}

}  // namespace

void add_attach(CLI::App* app, int* status) {
  auto arguments = std::make_shared<AttachArguments>();
  CLI::App* command = app->add_subcommand(
      "attach", "explore and repair a program that runs under the recorder: bohr attach PID ...");
  command->add_option("PID", arguments->attach.pids, "a process; those below it are meant, too")
      ->required();
  command->add_option("-o", arguments->attach.dir,
                      "folder for the report (default: attach-<n> in that of the run)");
  command->add_flag("--explore", arguments->explore,
                    "hold a launch of each suspicious graph and run its orders there");
  command
      ->add_flag("--fix", arguments->attach.fix,
                 "propose repairs, and try them where launches are held")
      ->needs("--explore");
  command
      ->add_option("--patience", arguments->patience,
                   "seconds to wait for a launch of a graph that is to be explored")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  add_hold_arguments(command, &arguments->hold);
  add_check_arguments(command, &arguments->check);
  command->callback([arguments, status] { *status = attach(*arguments); });
}

}  // namespace bohr::cli

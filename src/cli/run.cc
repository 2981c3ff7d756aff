// SPDX-License-Identifier: Apache-2.0
// bohr run: a program under the recorder.
#include "app/run.h"

#include <cstdlib>
#include <memory>

#include "app/files.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/json.h"

namespace bohr::cli {

namespace {

struct Arguments {
  std::string dir;
  uint64_t max_log = 0;
  std::string stacks;
  std::string exit = "bohr";
  bool explore = false;
  bool fix = false;
  std::string apply;
  std::string unresolved = "refuse";
  app::HoldOptions hold;
  CheckArguments check;
};

std::string as_json(const app::RunOutcome& outcome) {
  return report::render_json(app::subjects_of(outcome.processes), app::json_options(outcome));
}

int report_run(const app::RunOutcome& outcome, const Arguments& arguments,
               const app::CheckOptions& options) {
  app::ExitStatus status = app::status_of(outcome, options.require);
  if (const Status kept = app::keep_results(outcome, options); !kept.ok()) {
    say_error(kept.error());
    status = app::ExitStatus::unusable;
  } else {
    say("kept in " + outcome.dir + ": report.txt, findings.json and the logs");
    if (!outcome.fix_file.empty()) {
      say("until the source is repaired: bohr run --apply " + app::shell_word(outcome.fix_file) +
          " -- ...");
      say("  or, in a unit file: Environment=LD_PRELOAD=" + outcome.apply_library +
          " BOHR_APPLY=" + outcome.fix_file);
    }
  }
  const std::string text = arguments.check.format == "json"
                               ? as_json(outcome)
                               : render(app::subjects_of(outcome.processes), arguments.check,
                                        options, app::shell_word(outcome.dir));
  if (!print(text)) status = app::ExitStatus::unusable;
  if (arguments.exit == "guest") return app::shell_code(outcome.end);
  return static_cast<int>(status);
}

// `extra`: words before the `--` that are no options of ours.
int run_guest(const Arguments& arguments, const std::vector<std::string>& extra,
              const std::vector<std::string>& guest) {
  if (guest.empty() || !extra.empty()) {
    say_error({"usage", "bohr run", "",
               extra.empty() ? "no program is named" : "what is \"" + extra.front() + "\"?",
               "bohr run [OPTIONS] -- CMD ..."});
    return kUsage;
  }
  const Result<app::CheckOptions> options = check_options(arguments.check);
  if (!options.ok()) return say_error(options.error()), kUsage;
  const char* lib = std::getenv("BOHR_LIB");
  app::RunOptions run;
  run.command = guest;
  run.dir = arguments.dir;
  run.max_log = arguments.max_log;
  run.stacks = arguments.stacks;
  run.lib = lib == nullptr ? "" : lib;
  run.check = options.value();
  if (arguments.explore) run.explore = arguments.hold;
  run.fix = arguments.fix;
  run.apply = arguments.apply;
  run.refuse_unresolved = arguments.unresolved == "refuse";
  const Result<app::RunOutcome> outcome = app::run(run, [](const std::string& line) { say(line); });
  if (!outcome.ok()) return say_error(outcome.error()), kUsage;
  return report_run(outcome.value(), arguments, options.value());
}

}  // namespace

void add_run(CLI::App* app, const std::vector<std::string>* guest, int* status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app->add_subcommand("run", "run a program under the recorder: bohr run -- CMD ...");
  command->add_option("-o", arguments->dir, "folder for what is recorded (default: bohr-<n>)");
  command->add_option("--max-log", arguments->max_log, "bytes that one process may log, e.g. 2GB")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--stacks", arguments->stacks, "python, all or none")
      ->check(CLI::IsMember({"python", "all", "none"}));
  command->add_option("--exit", arguments->exit, "guest: exit with the program's own status")
      ->check(CLI::IsMember({"guest", "bohr"}));
  command->add_flag("--explore", arguments->explore,
                    "hold a launch of each suspicious graph and run its orders there");
  command->add_flag("--fix", arguments->fix, "propose repairs of what was found at the end");
  CLI::Option* apply = command->add_option(
      "--apply", arguments->apply,
      "a fix file: its edges are added to the program's graphs before they are instantiated");
  command
      ->add_option("--unresolved", arguments->unresolved,
                   "a graph with the mistake that the fix file cannot repair: refuse ends the "
                   "program, warn goes on")
      ->check(CLI::IsMember({"refuse", "warn"}))
      ->capture_default_str()
      ->needs(apply);
  command->add_option("--launch", arguments->hold.launch, "which launch of a graph is held first")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command
      ->add_option_function<std::string>(
          "--when",
          [arguments](const std::string& when) {
            constexpr std::string_view kPrefix = "launch>=";
            const std::string number = when.substr(std::min(when.size(), kPrefix.size()));
            const bool known = when.rfind(kPrefix, 0) == 0 && !number.empty() &&
                               number.find_first_not_of("0123456789") == std::string::npos;
            if (!known || number.size() > 18 || std::stoull(number) == 0)
              throw CLI::ValidationError("--when", "\"" + when + "\" is not launch>=N");
            arguments->hold.launch = std::stoull(number);
          },
          "launch>=N: the same as --launch N")
      ->excludes("--launch");
  command
      ->add_option("--graph", arguments->hold.graphs,
                   "explore this graph, whatever is suspicious in it (repeatable)")
      ->allow_extra_args(false);
  add_watch_argument(command, &arguments->hold.watch)->needs("--explore");
  command
      ->add_option_function<double>(
          "--max-pause",
          [arguments](const double& seconds) {
            arguments->hold.max_pause =
                std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
          },
          "seconds for which a program is held at a time; 0: as long as it takes")
      ->default_str("1")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--budget", arguments->hold.explore.budget, "replays at most for each graph")
      ->capture_default_str();
  command->add_flag("--may-lose-process", arguments->hold.explore.run_on,
                    "run wrong orders to their end, to see what they reach: a kernel that reads "
                    "garbage may end the program");
  command
      ->add_option_function<double>(
          "--watchdog",
          [arguments](const double& seconds) {
            arguments->hold.watchdog =
                std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
          },
          "seconds after which an order that is not done counts as one that never will be")
      ->default_str("20")
      ->check(CLI::Range(0.1, 86400.0));
  command
      ->add_option("--restart", arguments->hold.restarts,
                   "start the program again after an order that ended it, so often at most, and "
                   "go on (10 where no number is given)")
      ->expected(0, 1)
      ->default_str("10")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--orders", arguments->hold.explore.random_orders, "random orders")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--seed", arguments->hold.explore.seed, "of the random orders")
      ->capture_default_str();
  add_check_arguments(command, &arguments->check);
  command->allow_extras();
  command->callback([arguments, command, guest, status] {
    *status = run_guest(*arguments, command->remaining(), *guest);
  });
}

}  // namespace bohr::cli

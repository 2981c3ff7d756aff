// SPDX-License-Identifier: Apache-2.0
// bohr run: a program under the recorder.
#include "app/run.h"

#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct RunArguments {
  app::Recording recording;
  std::string exit = "bohr";
  bool explore = false;
  bool fix = false;
  std::string apply;
  std::string unresolved = "refuse";
  app::HoldOptions hold;
  CheckArguments check;
};

// `extra`: words before the `--` that are no options of ours.
int run_guest(const RunArguments& arguments, const std::vector<std::string>& extra,
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
  run.recording = arguments.recording;
  run.lib = lib == nullptr ? "" : lib;
  run.check = options.value();
  if (arguments.explore) run.explore = arguments.hold;
  run.fix = arguments.fix;
  run.apply = arguments.apply;
  run.refuse_unresolved = arguments.unresolved == "refuse";
  const Result<app::RunOutcome> outcome = app::run(run, [](const std::string& line) { say(line); });
  if (!outcome.ok()) return say_error(outcome.error()), kUsage;
  const int status = report_run(outcome.value(), arguments.check, options.value());
  return arguments.exit == "guest" ? app::shell_code(*outcome.value().end) : status;
}

}  // namespace

void add_run(CLI::App* app, const std::vector<std::string>* guest, int* status) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command =
      app->add_subcommand("run", "run a program under the recorder: bohr run -- CMD ...");
  command->add_option("-o", arguments->recording.dir,
                      "folder for what is recorded (default: bohr-<n>)");
  add_recording_arguments(command, &arguments->recording);
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
      ->add_option("--restart", arguments->hold.restarts,
                   "start the program again after an order that ended it, so often at most, and "
                   "go on (10 where no number is given)")
      ->expected(0, 1)
      ->default_str("10")
      ->check(CLI::NonNegativeNumber);
  add_hold_arguments(command, &arguments->hold);
  add_check_arguments(command, &arguments->check);
  command->allow_extras();
  command->callback([arguments, command, guest, status] {
    *status = run_guest(*arguments, command->remaining(), *guest);
  });
}

}  // namespace bohr::cli

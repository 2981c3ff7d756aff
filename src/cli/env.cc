// SPDX-License-Identifier: Apache-2.0
// bohr env: what to put into a unit file, a shell or a container, so that its program is recorded.
#include <cstdlib>
#include <memory>

#include "app/environment.h"
#include "app/files.h"
#include "app/run_dir.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct Arguments {
  app::Recording recording;
  std::string lines = "unit";
};

int print_lines(Arguments arguments) {
  const char* lib = std::getenv("BOHR_LIB");
  const auto files = app::find_agent(lib == nullptr ? "" : lib);
  if (!files.ok()) return say_error(files.error()), kUsage;
  const auto dir = app::make_service_dir(arguments.recording.dir);
  if (!dir.ok()) return say_error(dir.error()), kUsage;
  arguments.recording.dir = dir.value();
  // A unit and a container have an environment of their own.
  const char* path = arguments.lines == "shell" ? std::getenv("PYTHONPATH") : nullptr;
  const auto variables =
      app::variables_of(arguments.recording, files.value(), path == nullptr ? "" : path);
  const auto form = arguments.lines == "unit"    ? app::Lines::unit
                    : arguments.lines == "shell" ? app::Lines::shell
                                                 : app::Lines::container;
  if (!print(app::environment_lines(variables, files.value(), form))) return kUsage;
  say("each process that uses CUDA is recorded in " + dir.value() +
      ", which has to be its user's own");
  say("then: bohr show " + app::shell_word(dir.value()) + ", or bohr attach PID --explore --fix");
  return 0;
}

}  // namespace

void add_env(CLI::App* app, int* status) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app->add_subcommand(
      "env", "lines for a unit file, a shell or a container: its program is recorded");
  command->add_option("-o", arguments->recording.dir,
                      "folder for what is recorded, made where it is not there "
                      "(default: bohr-<n>)");
  command->add_option("--for", arguments->lines, "unit, shell or container")
      ->capture_default_str()
      ->check(CLI::IsMember({"unit", "shell", "container"}));
  add_recording_arguments(command, &arguments->recording);
  command->callback([arguments, status] { *status = print_lines(*arguments); });
}

void add_recording_arguments(CLI::App* command, app::Recording* recording) {
  command->add_option("--max-log", recording->max_log, "bytes that one process may log, e.g. 2GB")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--stacks", recording->stacks, "python, all or none")
      ->check(CLI::IsMember({"python", "all", "none"}));
}

}  // namespace bohr::cli

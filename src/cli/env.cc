// SPDX-License-Identifier: Apache-2.0
// bohr env: what to put into a unit file, a shell or a container, so that its program is recorded.
#include <cstdlib>
#include <memory>
#include <regex>

#include "app/environment.h"
#include "app/files.h"
#include "app/run_dir.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct EnvArguments {
  app::Recording recording;
  std::string lines = "unit";
};

int print_lines(EnvArguments arguments) {
  const char* lib = std::getenv("BOHR_LIB");
  const auto files = app::find_agent(lib == nullptr ? "" : lib);
  if (!files.ok()) return say_error(files.error()), kUsage;
  const auto dir = app::make_service_dir(arguments.recording.dir);
  if (!dir.ok()) return say_error(dir.error()), kUsage;
  arguments.recording.dir = dir.value();
  // A unit and a container have an environment of their own.
  const app::Inherited before = arguments.lines == "shell" ? app::inherited() : app::Inherited();
  const auto variables = app::variables_of(arguments.recording, files.value(), before);
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
  auto arguments = std::make_shared<EnvArguments>();
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

namespace {

// Numbers and ranges of them; CLI11 wants what is wrong, or nothing.
std::string is_rank_list(const std::string& text) {
  static const std::regex list("[0-9]{1,9}(-[0-9]{1,9})?(,[0-9]{1,9}(-[0-9]{1,9})?)*");
  return std::regex_match(text, list) ? "" : "\"" + text + "\" is no list of ranks as 0,2-3";
}

}  // namespace

void add_recording_arguments(CLI::App* command, app::Recording* recording) {
  command->add_option("--max-log", recording->max_log, "bytes that one process may log, e.g. 2GB")
      ->transform(CLI::AsSizeValue(false));
  command->add_flag("--keep-code", recording->keep_code,
                    "keep the machine code that is loaded, to look for waits in it");
  command->add_option("--stacks", recording->stacks, "python, all or none")
      ->check(CLI::IsMember({"python", "all", "none"}));
  command
      ->add_option_function<std::string>(
          "--record", [recording](const std::string& what) { recording->all = what == "all"; },
          "graphs: of work outside graphs the newest; all: all of it, until --max-log")
      ->default_str("graphs")
      ->check(CLI::IsMember({"graphs", "all"}));
  command
      ->add_option("--recent", recording->recent,
                   "bytes of the newest work outside graphs that are kept, e.g. 1GB")
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--ranks", recording->ranks, "which ranks are recorded, e.g. 0,2-3")
      ->check(is_rank_list);
  add_via(command, &recording->via);
}

void add_via(CLI::App* command, app::Via* via) {
  command
      ->add_option_function<std::string>(
          "--via",
          [via](const std::string& way) {
            *via = way == "preload" ? app::Via::preload : app::Via::cupti;
          },
          "how calls reach the recorder: preload, or cupti, which costs each launch more")
      ->envname("BOHR_VIA")
      ->default_str("preload")
      ->check(CLI::IsMember({"preload", "cupti"}));
}

}  // namespace bohr::cli

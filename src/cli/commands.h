// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each add_… declares one; when it was asked for, parsing runs it and its exit
// status lands in `status`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/check_file.h"
#include "app/held_launches.h"
#include "app/run.h"

namespace bohr::cli {

void add_run(CLI::App* app, const std::vector<std::string>* guest, int* status);
void add_attach(CLI::App* app, int* status);
void add_check(CLI::App* app, int* status);
void add_explore(CLI::App* app, int* status);
void add_fix(CLI::App* app, int* status);
void add_replay(CLI::App* app, int* status);
void add_show(CLI::App* app, int* status);
void add_query(CLI::App* app, int* status);
void add_import(CLI::App* app, int* status);
void add_demo(CLI::App* app, int* status);
void add_env(CLI::App* app, int* status);
void add_share(CLI::App* app, int* status);
void add_doctor(CLI::App* app, const std::vector<std::string>* guest, int* status);

// Options that run and check share.
struct CheckArguments {
  std::string format = "text";
  std::string source_root;
  std::string require;
  std::string suppress;
  bool strict_threads = false;
  bool all = false;
  bool undecided = false;
};
void add_check_arguments(CLI::App* command, CheckArguments* arguments);
// --watch, of explore and run.
CLI::Option* add_watch_argument(CLI::App* command, std::vector<std::string>* watch);
Result<app::CheckOptions> check_options(const CheckArguments& arguments);

// --max-log and --stacks.
void add_recording_arguments(CLI::App* command, app::Recording* recording);
// --via; bohr doctor has it, too.
void add_via(CLI::App* command, app::Via* via);
// --graph, --watch, --max-pause and so on, of run and attach, which have --explore.
void add_hold_arguments(CLI::App* command, app::HoldOptions* hold);

// Keeps the results of a run in its folder and prints them. The exit status.
int report_run(const app::RunOutcome& outcome, const CheckArguments& arguments,
               const app::CheckOptions& options);

// The verdicts in the format that was asked for. `target`: what `bohr show` takes.
std::string render(const std::vector<report::Subject>& subjects, const CheckArguments& arguments,
                   const app::CheckOptions& options, const std::string& target);

constexpr int kUsage = static_cast<int>(app::ExitStatus::unusable);

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// bohr explore: runs the steps of a program in other legal orders and keeps what proves a race.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/explore_file.h"
#include "app/files.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "explore/judge.h"
#include "report/text.h"

namespace bohr::cli {

namespace {

struct ExploreArguments {
  std::string file;
  std::string output;
  std::vector<std::string> arms;
  app::Named named;
  CheckArguments check;
  explore::Options explore;
  bool expect = false;
};

// Where witnesses go: into the folder that was asked for, else beside the file, or into the folder
// of a run. Standard input has no place of its own.
std::string witness_stem(const ExploreArguments& arguments) {
  namespace fs = std::filesystem;
  const std::string name =
      arguments.file == "-" ? "stdin" : fs::path(arguments.file).filename().string();
  if (!arguments.output.empty()) return (fs::path(arguments.output) / name).string();
  if (arguments.file == "-") return {};
  if (app::is_directory(arguments.file)) return (fs::path(arguments.file) / "race").string();
  return arguments.file;
}

int judge(const std::vector<app::Explored>& explored) {
  int status = 0;
  for (const app::Explored& one : explored) {
    if (!one.exploration) continue;
    const auto judgements = explore::judge(one.checked.program, *one.exploration);
    print(fmt::format("\n{}: {} met, {} failed, {} not decided\n", one.checked.name,
                      count(judgements, Judged::met), count(judgements, Judged::failed),
                      count(judgements, Judged::open)));
    for (const Judgement& judgement : judgements) {
      if (judgement.state == Judged::met) continue;
      print(fmt::format("  line {}: {}\n", judgement.line, judgement.sentence));
      if (judgement.state == Judged::failed) status = 1;
    }
  }
  return status;
}

void show(const ExploreArguments& arguments, const app::CheckOptions& options,
          const std::vector<app::Explored>& explored, const std::vector<std::string>& saved) {
  const auto subjects = app::subjects_of(explored);
  if (arguments.check.format != "text") {
    print(render(subjects, arguments.check, options, ""));
    return;
  }
  report::TextOptions text;
  text.style = output_style();
  if (arguments.check.all || !output_is_terminal()) text.most = -1;
  if (arguments.check.all) text.most_undecided = -1;
  text.undecided = arguments.check.undecided;
  text.target = app::shell_word(arguments.file);
  text.require = options.require;
  print(report::render_text(subjects, text));
  report::Page page(text.style);
  for (const std::string& path : saved) page.verbatim("Saved          " + path, 2);
  if (!saved.empty())
    page.verbatim("To repeat it   bohr replay " + app::shell_word(saved.front()), 2);
  print(page.take());
}

int run_explore(const ExploreArguments& arguments) {
  const Result<app::CheckOptions> options = check_options(arguments.check);
  if (!options.ok()) return say_error(options.error()), kUsage;
  explore::Options explore = arguments.explore;
  explore.strict_threads = options.value().strict_threads;
  auto explored = [&] {
    const Progress progress("exploring " + arguments.file);
    return app::explore_path(arguments.file, options.value(), explore, arguments.named);
  }();
  if (!explored.ok()) return say_error(explored.error()), kUsage;
  for (const std::string& arm : arguments.arms) {
    const Status compared = app::compare_with_arm(arm, explore.strict_threads, &explored.value());
    if (!compared.ok()) return say_error(compared.error()), kUsage;
  }
  Result<std::vector<std::string>> saved = std::vector<std::string>();
  const std::string stem = witness_stem(arguments);
  if (!stem.empty()) {
    saved = app::save_witnesses(explored.value(), arguments.file, stem, explore.strict_threads);
  }
  show(arguments, options.value(), explored.value(),
       saved.ok() ? saved.value() : std::vector<std::string>());
  if (!saved.ok()) return say_error(saved.error()), kUsage;
  if (const Status stored = app::store_results(explored.value(), arguments.file, explore);
      !stored.ok())
    return say_error(stored.error()), kUsage;
  if (arguments.expect) return judge(explored.value());
  return static_cast<int>(app::status_of(explored.value(), options.value().require));
}

}  // namespace

CLI::Option* add_watch_argument(CLI::App* command, std::vector<std::string>* watch) {
  return command
      ->add_option("--watch", *watch,
                   "a block, bytes of it as NAME[lo:hi], or 0xADDR+BYTES: reports who writes there "
                   "besides the steps that name it, or besides those listed as NAME=LABEL,LABEL")
      ->allow_extra_args(false);
}

void add_explore(CLI::App* app, int* status) {
  auto arguments = std::make_shared<ExploreArguments>();
  CLI::App* command = app->add_subcommand(
      "explore", "run a program's steps in other legal orders until a race shows");
  command
      ->add_option("FILE", arguments->file, "a log, trace, case or run folder; - is standard input")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "the folder for witnesses (default: beside FILE)")
      ->check(CLI::ExistingDirectory);
  command
      ->add_option("--arm", arguments->arms,
                   "the same program with another flag: says whether it has the race too")
      ->allow_extra_args(false);
  command
      ->add_option("--ignore", arguments->named.ignore,
                   "a block that carries no meaning, or bytes of it as NAME[lo:hi]: what differs "
                   "there does not count")
      ->allow_extra_args(false);
  add_watch_argument(command, &arguments->named.watch);
  command->add_option("--budget", arguments->explore.budget, "replays at most")
      ->capture_default_str();
  command->add_option("--seed", arguments->explore.seed, "of the random orders")
      ->capture_default_str();
  command->add_option("--orders", arguments->explore.random_orders, "random orders")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--own-runs", arguments->explore.own_runs,
                   "runs of the program by itself, for its natural failure rate")
      ->check(CLI::Range(0, 1'000'000));
  command->add_flag("--exhaustive", arguments->explore.all_orders,
                    "every legal order that can matter, as far as the budget goes");
  command->add_flag("--expect", arguments->expect,
                    "judge the witness lines of cases: 0 when none fails, 1 when one does");
  add_check_arguments(command, &arguments->check);
  command->callback([arguments, status] { *status = run_explore(*arguments); });
}

}  // namespace bohr::cli

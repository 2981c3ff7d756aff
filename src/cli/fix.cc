// SPDX-License-Identifier: Apache-2.0
// bohr fix: what would mend each race, and whether it does.
#include <fmt/format.h>

#include <memory>

#include "app/apply_file.h"
#include "app/files.h"
#include "app/fix_file.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "fix/judge.h"
#include "report/json.h"
#include "report/text.h"

namespace bohr::cli {

namespace {

struct FixArguments {
  std::string file;
  CheckArguments check;
  explore::Options explore;
  bool expect = false;
  std::string save;
};

int judge(const std::vector<app::Fixed>& fixed) {
  int status = 0;
  for (const app::Fixed& one : fixed) {
    const auto judgements =
        fix::judge(one.explored.checked.program, one.repairs ? *one.repairs : Repairs());
    print(fmt::format("\n{}: {} met, {} failed\n", one.explored.checked.name,
                      count(judgements, Judged::met), count(judgements, Judged::failed)));
    for (const Judgement& judgement : judgements) {
      if (judgement.state == Judged::met) continue;
      print(fmt::format("  line {}: {}\n", judgement.line, judgement.sentence));
      status = 1;
    }
  }
  return status;
}

int run_fix(const FixArguments& arguments) {
  const Result<app::CheckOptions> options = check_options(arguments.check);
  if (!options.ok()) return say_error(options.error()), kUsage;
  explore::Options explore = arguments.explore;
  explore.strict_threads = options.value().strict_threads;
  const auto fixed = [&] {
    const Progress progress("repairing " + arguments.file);
    return app::fix_path(arguments.file, options.value(), explore);
  }();
  if (!fixed.ok()) return say_error(fixed.error()), kUsage;
  print(render(app::subjects_of(fixed.value()), arguments.check, options.value(),
               app::shell_word(arguments.file)));
  if (!arguments.save.empty()) {
    const Status saved =
        app::save_fix_file(fixed.value(), arguments.file, arguments.save, options.value());
    if (!saved.ok()) return say_error(saved.error()), kUsage;
    say("to apply it: bohr run --apply " + app::shell_word(arguments.save) + " -- CMD ...");
  }
  if (arguments.expect) return judge(fixed.value());
  return static_cast<int>(app::status_of(fixed.value(), options.value().require));
}

}  // namespace

void add_fix(CLI::App* app, int* status) {
  auto arguments = std::make_shared<FixArguments>();
  CLI::App* command =
      app->add_subcommand("fix", "what would mend each race, tried on the program itself");
  command
      ->add_option("FILE", arguments->file, "a log, trace, case or run folder; - is standard input")
      ->required();
  command->add_option("--budget", arguments->explore.budget, "replays at most, of each try")
      ->capture_default_str();
  command->add_option("--seed", arguments->explore.seed, "of the random orders")
      ->capture_default_str();
  command->add_flag("--expect", arguments->expect,
                    "judge the fix lines of cases: 0 when none fails, 1 when one does");
  command->add_option("--save", arguments->save,
                      "write the repair as edges for bohr run --apply into this file");
  add_check_arguments(command, &arguments->check);
  command->callback([arguments, status] { *status = run_fix(*arguments); });
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// bohr check: verdicts for traces, logs and cases.
#include <fmt/format.h>

#include <memory>

#include "app/confirm.h"
#include "app/files.h"
#include "check/judge.h"
#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/terminal.h"
#include "report/json.h"
#include "report/sarif.h"
#include "report/text.h"

namespace bohr::cli {

namespace {

struct CheckCommandArguments {
  std::vector<std::string> files;
  CheckArguments check;
  bool expect = false;
  bool compare = false;
  std::string confirm;
};

std::string as_text(const std::vector<report::Subject>& subjects, const CheckArguments& arguments,
                    const app::CheckOptions& options, const std::string& target) {
  report::TextOptions text;
  text.style = output_style();
  if (arguments.all || !output_is_terminal()) text.most = -1;
  if (arguments.all) text.most_undecided = -1;
  text.undecided = arguments.undecided;
  text.target = target;
  text.require = options.require;
  return report::render_text(subjects, text);
}

std::string as_sarif(const std::vector<report::Subject>& subjects,
                     const CheckArguments& arguments) {
  report::SarifOptions options;
  options.version = BOHR_VERSION;
  options.root = app::absolute_folder(arguments.source_root);
  options.candidates = arguments.undecided;
  return report::render_sarif(subjects, options);
}

// What the case expected and did not get; how much of it a check can tell. One line each.
std::vector<std::string> judged_lines(const app::Checked& checked, bool* failed) {
  const std::vector<Judgement> judgements = check::judge(checked.program, checked.verdict);
  const int64_t bad = count(judgements, Judged::failed);
  *failed = *failed || bad > 0;
  std::vector<std::string> lines = {fmt::format("{}: {} met, {} failed, {} not judged by a check",
                                                checked.name, count(judgements, Judged::met), bad,
                                                count(judgements, Judged::open))};
  for (const Judgement& one : judgements) {
    if (one.state != Judged::failed) continue;
    lines.push_back(one.line > 0 ? fmt::format("  line {}: {}", one.line, one.sentence)
                                 : fmt::format("  {}", one.sentence));
  }
  return lines;
}

class CheckRun {
 public:
  CheckRun(const CheckCommandArguments& arguments, const app::CheckOptions& options)
      : arguments_(arguments), options_(options) {}

  int run() {
    for (const std::string& file : arguments_.files) add(file);
    if (document() && !all_.empty())
      show(render(app::subjects_of(all_), arguments_.check, options_, ""));
    if (!arguments_.confirm.empty() && status_ != app::ExitStatus::unusable) confirm();
    return static_cast<int>(status_);
  }

 private:
  // One for all files, at the end.
  bool document() const { return arguments_.check.format != "text"; }
  void raise(app::ExitStatus status) { status_ = app::worst(status_, status); }
  void show(const std::string& text) {
    if (!print(text)) raise(app::ExitStatus::unusable);
  }
  void add(const std::string& file);
  void judge(const std::vector<app::Checked>& checked);
  void confirm();

  const CheckCommandArguments& arguments_;
  const app::CheckOptions& options_;
  app::ExitStatus status_ = app::ExitStatus::clean;
  std::vector<app::Checked> all_;  // for what comes at the end
  bool shown_ = false;
};

void CheckRun::add(const std::string& file) {
  Result<std::vector<app::Checked>> checked = [&] {
    const Progress progress("checking " + file);
    return app::check_path(file, options_);
  }();
  if (!checked.ok()) {
    say_error(checked.error());
    raise(app::ExitStatus::unusable);
    return;
  }
  if (!document()) {
    if (shown_) show("\n");
    shown_ = true;
    show(as_text(app::subjects_of(checked.value()), arguments_.check, options_,
                 app::shell_word(file)));
  }
  if (arguments_.expect) {
    judge(checked.value());
  } else {
    raise(app::status_of(checked.value(), options_.require));
  }
  if (!document() && arguments_.confirm.empty()) return;
  for (app::Checked& one : checked.value()) all_.push_back(std::move(one));
}

void CheckRun::judge(const std::vector<app::Checked>& checked) {
  bool failed = false;
  if (!document()) show("\n");
  for (const app::Checked& one : checked) {
    for (const std::string& line : judged_lines(one, &failed)) {
      if (document()) {
        say(line);
      } else {
        show(line + "\n");
      }
    }
  }
  if (failed) raise(app::ExitStatus::findings);
}

// Behind the report, on standard error where that is a document.
void CheckRun::confirm() {
  const auto confirmed = app::confirm(arguments_.confirm, all_, options_);
  if (!confirmed.ok()) {
    say_error(confirmed.error());
    raise(app::ExitStatus::unusable);
    return;
  }
  for (const app::Confirmation& one : confirmed.value()) {
    if (one.confirmed != app::Confirmed::yes) raise(app::ExitStatus::incomplete);
    const std::string line = app::confirmation_line(one);
    if (document())
      say(line);
    else
      show(line + "\n");
  }
}

int run_check(const CheckCommandArguments& arguments) {
  const Result<app::CheckOptions> options = check_options(arguments.check);
  if (!options.ok()) return say_error(options.error()), kUsage;
  if (arguments.compare) return run_compare(arguments.files, arguments.check, options.value());
  return CheckRun(arguments, options.value()).run();
}

}  // namespace

void add_check_arguments(CLI::App* command, CheckArguments* arguments) {
  command->add_option("--format", arguments->format, "text, json or sarif")
      ->check(CLI::IsMember({"text", "json", "sarif"}));
  command
      ->add_option("--source-root", arguments->source_root,
                   "the folder that paths in SARIF are relative to (default: this one)")
      ->check(CLI::ExistingDirectory);
  command->add_option("--require", arguments->require,
                      "classes that must be complete, comma separated (default: all)");
  command->add_option("--suppress", arguments->suppress,
                      "a file of accepted findings: MATCH  # reason");
  command->add_flag("--strict-threads", arguments->strict_threads,
                    "order host threads only by what they said to each other");
  command->add_flag("--all", arguments->all, "list every cause");
  command->add_flag("--undecided", arguments->undecided, "list every undecided pair");
}

Result<app::CheckOptions> check_options(const CheckArguments& arguments) {
  app::CheckOptions options;
  BOHR_TRY(require, app::parse_classes(arguments.require));
  BOHR_TRY(suppressions, app::read_suppressions(arguments.suppress));
  options.require = std::move(require);
  options.suppressions = std::move(suppressions);
  options.strict_threads = arguments.strict_threads;
  return options;
}

std::string render(const std::vector<report::Subject>& subjects, const CheckArguments& arguments,
                   const app::CheckOptions& options, const std::string& target) {
  if (arguments.format == "json") return report::render_json(subjects, {});
  if (arguments.format == "sarif") return as_sarif(subjects, arguments);
  return as_text(subjects, arguments, options, target);
}

void add_check(CLI::App* app, int* status) {
  auto arguments = std::make_shared<CheckCommandArguments>();
  CLI::App* command = app->add_subcommand("check", "check traces, logs and cases");
  command
      ->add_option("FILE", arguments->files,
                   "a log, trace, case or run folder; - is standard input")
      ->required();
  add_check_arguments(command, &arguments->check);
  CLI::Option* expect =
      command->add_flag("--expect", arguments->expect,
                        "judge the expect lines of cases: 0 when all are met, 1 when not");
  command
      ->add_flag("--compare", arguments->compare,
                 "which arm has which cause, and why the others do not: causes x files")
      ->excludes(expect);
  command
      ->add_option("--confirm", arguments->confirm,
                   "folder of a run whose repairs were verified in a copy: whether this recording "
                   "of the patched program confirms them")
      ->excludes(expect)
      ->excludes("--compare");
  command->callback([arguments, status] { *status = run_check(*arguments); });
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// What `bohr run` and `bohr attach` leave and print at their end.
#include "app/files.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/json.h"

namespace bohr::cli {

namespace {

std::string as_json(const app::RunOutcome& outcome) {
  return report::render_json(app::subjects_of(outcome.processes), app::json_options(outcome));
}

void say_what_was_kept(const app::RunOutcome& outcome) {
  say("kept in " + outcome.dir + ": report.txt, findings.json" +
      (outcome.end ? " and the logs" : ""));
  if (outcome.fix_file.empty()) return;
  say("until the source is repaired: bohr run --apply " + app::shell_word(outcome.fix_file) +
      " -- ...");
  say("  or, in a unit file: Environment=LD_PRELOAD=" + outcome.preload_library +
      " BOHR_APPLY=" + outcome.fix_file);
}

}  // namespace

int report_run(const app::RunOutcome& outcome, const CheckArguments& arguments,
               const app::CheckOptions& options) {
  app::ExitStatus status = app::status_of(outcome, options.require);
  const Status kept =
      outcome.end ? app::keep_results(outcome, options) : app::keep_reports(outcome, options);
  if (kept.ok()) {
    say_what_was_kept(outcome);
  } else {
    say_error(kept.error());
    status = app::ExitStatus::unusable;
  }
  const std::string text = arguments.format == "json"
                               ? as_json(outcome)
                               : render(app::subjects_of(outcome.processes), arguments, options,
                                        app::shell_word(outcome.dir));
  if (!print(text)) status = app::ExitStatus::unusable;
  return static_cast<int>(status);
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// All arms are read before anything is printed: a table that lacks one would mislead.
#include "cli/compare.h"

#include "app/compare.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

Status fit_for_comparison(const std::vector<std::string>& files, const CheckArguments& arguments) {
  if (files.size() < 2) {
    return Error{"compare-one", "--compare", "", "one arm was given",
                 "give two or more: bohr check --compare A B"};
  }
  for (size_t i = 0; i < files.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (files[i] != files[j]) continue;
      return Error{"compare-twice", "--compare", files[i], "it was given twice",
                   "give each arm once"};
    }
  }
  if (arguments.format == "text" || arguments.format == "json") return Nothing{};
  return Error{"compare-format", "--compare", "", "a comparison has no form in SARIF",
               "use --format text or json, or check the arms one by one"};
}

}  // namespace

int run_compare(const std::vector<std::string>& files, const CheckArguments& arguments,
                const app::CheckOptions& options) {
  if (const Status fit = fit_for_comparison(files, arguments); !fit.ok())
    return say_error(fit.error()), kUsage;
  std::vector<app::CheckedArm> arms;
  app::ExitStatus status = app::ExitStatus::clean;
  for (const std::string& file : files) {
    const Progress progress("checking " + file);
    Result<std::vector<app::Checked>> checked = app::check_path(file, options);
    if (!checked.ok()) return say_error(checked.error()), kUsage;
    status = app::worst(status, app::status_of(checked.value(), options.require));
    arms.push_back({file, std::move(checked.value())});
  }
  const Result<report::Comparison> comparison = app::compare(arms, options.strict_threads);
  if (!comparison.ok()) return say_error(comparison.error()), kUsage;
  const bool json = arguments.format == "json";
  const bool printed = print(json ? report::comparison_json(comparison.value())
                                  : report::render_comparison(comparison.value(), output_style()));
  return printed ? static_cast<int>(status) : kUsage;
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/fix_file.h"

#include "fix/fix.h"
#include "replay/symbolic/replayer.h"

namespace bohr::app {

check::Options check_options(const CheckOptions& check, const Explored& explored) {
  check::Options options;
  options.strict_threads = check.strict_threads;
  options.settled = check.settled;
  if (explored.exploration)
    options.settled.insert(options.settled.end(), explored.exploration->settled.begin(),
                           explored.exploration->settled.end());
  return options;
}

fix::ShownOrders shown_in(const Explored& explored) {
  if (!explored.exploration || !explored.checked.program.recorded) return {};
  return fix::shown_orders(explored.checked.program, explored.exploration->witnesses);
}

std::vector<Fixed> fix_all(std::vector<Explored> explored, const CheckOptions& check,
                           const explore::Options& options) {
  std::vector<Fixed> list;
  for (Explored& one : explored) {
    Fixed fixed{std::move(one), std::nullopt, std::nullopt};
    const Checked& checked = fixed.explored.checked;
    if (!checked.verdict.findings.empty()) {
      fix::Options own;
      own.explore = options;
      own.check = check_options(check, fixed.explored);
      own.shown = shown_in(fixed.explored);
      // What only its kernels' parameters say of a program is enough for the check alone.
      if (replay::symbolic_replayer(checked.program).ok())
        own.replayer = [](const Program& program) { return replay::symbolic_replayer(program); };
      if (fixed.explored.exploration)
        own.explore.also = fix::schedules_of(checked.program, *fixed.explored.exploration);
      auto repairs = fix::fix(checked.program, checked.verdict, own);
      if (repairs.ok())
        fixed.repairs = std::move(repairs).value();
      else
        fixed.refusal = repairs.error();
      if (fixed.repairs) tell_tried(fixed.explored.tried, checked.verdict, &*fixed.repairs);
    }
    list.push_back(std::move(fixed));
  }
  return list;
}

Result<std::vector<Fixed>> fix_path(const std::string& path, const CheckOptions& check,
                                    const explore::Options& options) {
  BOHR_TRY(explored, explore_path(path, check, options));
  return fix_all(std::move(explored), check, options);
}

std::vector<report::Subject> subjects_of(std::span<const Fixed> fixed) {
  std::vector<report::Subject> subjects;
  for (const Fixed& one : fixed) {
    subjects.push_back(subjects_of(std::span(&one.explored, 1)).front());
    if (one.repairs) subjects.back().repairs = &*one.repairs;
    if (one.refusal) subjects.back().not_repaired = to_string(*one.refusal);
  }
  return subjects;
}

ExitStatus status_of(std::span<const Fixed> fixed, const std::vector<HazardClass>& require) {
  ExitStatus status = ExitStatus::clean;
  for (const Fixed& one : fixed)
    status = worst(status, status_of(std::span(&one.explored, 1), require));
  return status;
}

}  // namespace bohr::app

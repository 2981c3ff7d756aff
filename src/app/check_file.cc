// SPDX-License-Identifier: Apache-2.0
// read -> program -> check -> suppress.
#include "app/check_file.h"

#include "app/files.h"
#include "app/kept_code.h"
#include "app/run_dir.h"
#include "app/suppressions.h"
#include "check/check.h"
#include "trace/open.h"

namespace bohr::app {

namespace {

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

// The programs of logs; `otherwise` names those that do not say whose they are.
Result<std::vector<Loaded>> import_all(const std::vector<trace::Log>& logs,
                                       const std::string& otherwise) {
  std::vector<Loaded> list;
  if (logs.empty()) {
    return Error{"input-no-records", otherwise, "", "it holds no process", "record again"};
  }
  for (const trace::Log& log : logs) {
    BOHR_TRY(program, import_with_code(log));
    list.push_back(
        {logs.size() == 1 ? otherwise : process_name(log, otherwise), std::move(program)});
  }
  return list;
}

bool holds_nothing(const Program& program) { return program.ops.empty() && program.graphs.empty(); }

}  // namespace

Result<Checked> check_program(Program program, const std::string& name,
                              const CheckOptions& options) {
  if (program.recorded && holds_nothing(program)) {
    const bool lost = !program.diagnostics.empty();
    return not_checked(name, lost ? program.diagnostics.front().reason : "no-cuda-calls",
                       lost ? program.diagnostics.front().text : "it gave the GPU no work");
  }
  check::Options check_options;
  check_options.strict_threads = options.strict_threads;
  check_options.settled = options.settled;
  BOHR_TRY(verdict, check::check(program, check_options));
  check::suppress(program, options.suppressions, &verdict);
  return Checked{name, std::move(program), std::move(verdict)};
}

Result<std::vector<Loaded>> load_path(const std::string& path) {
  if (is_directory(path)) return import_all(read_logs(path), path);
  BOHR_TRY(input, trace::read_input(path));
  if (input.format != trace::Format::text) {
    BOHR_TRY(logs, trace::to_logs(input));
    return import_all(logs, input_name(path));
  }
  BOHR_TRY(program, trace::to_program(input));
  std::vector<Loaded> list;
  list.push_back({input_name(path), std::move(program)});
  return list;
}

Result<std::vector<Checked>> check_path(const std::string& path, const CheckOptions& options) {
  if (is_directory(path)) {
    BOHR_TRY(contents, check_run(path, options));
    return std::move(contents.checked);
  }
  BOHR_TRY(programs, load_path(path));
  std::vector<Checked> list;
  for (Loaded& one : programs) {
    BOHR_TRY(checked, check_program(std::move(one.program), one.name, options));
    list.push_back(std::move(checked));
  }
  return list;
}

Checked not_checked(const std::string& name, const std::string& reason, const std::string& text) {
  Checked checked;
  checked.name = name;
  checked.program.source = name;
  checked.program.recorded = true;
  checked.program.diagnostics.push_back({.reason = reason, .text = text});
  checked.verdict.outcome = Outcome::incomplete;
  for (Coverage& coverage : checked.verdict.coverage) {
    coverage.state = CoverageState::not_checked;
    coverage.reasons = {reason};
  }
  return checked;
}

Result<std::vector<HazardClass>> parse_classes(std::string_view list) {
  std::vector<HazardClass> classes;
  while (!list.empty()) {
    const std::string_view word = list.substr(0, list.find(','));
    list.remove_prefix(std::min(word.size() + 1, list.size()));
    HazardClass cls{};
    if (!hazard_class_from(word, &cls)) {
      return Error{"class-unknown", "--require", "", "\"" + std::string(word) + "\" is no class",
                   "use some of data, reuse, lifetime, pool, host, external, launch"};
    }
    classes.push_back(cls);
  }
  return classes;
}

Result<std::vector<Suppression>> read_suppressions(const std::string& path) {
  if (path.empty()) return std::vector<Suppression>();
  BOHR_TRY(text, read_text(path));
  return parse_suppressions(text, path);
}

std::vector<report::Subject> subjects_of(std::span<const Checked> checked) {
  std::vector<report::Subject> subjects;
  for (const Checked& one : checked) subjects.push_back({one.name, &one.program, &one.verdict});
  return subjects;
}

ExitStatus status_of(std::span<const Checked> checked, const std::vector<HazardClass>& require) {
  ExitStatus status = ExitStatus::clean;
  for (const Checked& one : checked) status = worst(status, status_of(one.verdict, require));
  return status;
}

}  // namespace bohr::app

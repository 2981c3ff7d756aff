// SPDX-License-Identifier: Apache-2.0
// Makes and reads the folder of a run. Its file names are those of agent/environment.h.
#include "app/run_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "agent/environment.h"
#include "app/files.h"
#include "app/journal.h"
#include "app/kept_code.h"
#include "trace/open.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kClaim = "/.bohr-run";
constexpr int kMostDefaults = 10'000;

Error dir_error(const std::string& path, int code) {
  return {"run-dir", "cannot make the folder of the run", path, std::strerror(code),
          "choose another one with -o"};
}

std::string absolute(const std::string& path) {
  std::error_code error;
  return fs::absolute(path, error).lexically_normal();
}

Result<RunDir> use_existing(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return dir_error(path, EEXIST);
  const bool empty = fs::is_empty(path, error);
  if (error) return dir_error(path, error.value());
  if (!empty) {
    return Error{"run-dir-used", "folder of the run", path, "it is not empty",
                 "choose another one with -o, or remove it"};
  }
  if (chmod(path.c_str(), 0700) != 0) return dir_error(path, errno);
  if (access(path.c_str(), W_OK) != 0) return dir_error(path, errno);
  return RunDir{path, false};
}

std::string first_line(const std::string& path) {
  const Result<std::string> text = read_text(path);
  if (!text.ok()) return to_string(text.error());
  return text.value().substr(0, text.value().find('\n'));
}

// Pids as numbers, then by name.
bool before(const ProcessFiles& a, const ProcessFiles& b) {
  const auto key = [](const std::string& stem) {
    return std::pair(std::strtoull(stem.c_str(), nullptr, 10), stem);
  };
  return key(a.stem) < key(b.stem);
}

void add_process(const ProcessFiles& files, const CheckOptions& options, RunContents* contents) {
  const std::string name = "pid " + files.stem;
  if (!files.error.empty()) contents->notes.push_back(name + ": " + files.error);
  if (files.log.empty()) {
    contents->checked.push_back(not_checked(name, "not-recorded", files.error));
    return;
  }
  Result<Checked> checked = check_log(files.log, options);
  if (!checked.ok()) {
    const std::string why = to_string(checked.error());
    contents->notes.push_back(name + ": " + why);
    contents->checked.push_back(not_checked(name, "lost-records", why));
  } else if (gave_no_work(checked.value().program)) {
    contents->notes.push_back(checked.value().name + ": no CUDA work");
  } else {
    contents->checked.push_back(std::move(checked).value());
  }
}

}  // namespace

Result<RunDir> make_run_dir(const std::string& wanted) {
  if (!wanted.empty()) {
    const std::string path = absolute(wanted);
    if (mkdir(path.c_str(), 0700) == 0) return RunDir{path, true};
    return errno == EEXIST ? use_existing(path) : Result<RunDir>(dir_error(path, errno));
  }
  return make_numbered_dir("bohr-");
}

Result<std::string> make_service_dir(const std::string& wanted) {
  const std::string path = absolute(wanted);
  if (wanted.empty() || !is_directory(path)) {
    BOHR_TRY(made, make_run_dir(wanted));
    return made.path;
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return dir_error(path, errno);
  if ((status.st_mode & 077) == 0) return path;
  return Error{"run-dir", "folder of a run", path, "others than its owner may read it",
               "chmod 700, or name another one"};
}

Result<RunDir> make_numbered_dir(const std::string& prefix) {
  for (int number = 1; number < kMostDefaults; ++number) {
    const std::string path = absolute(prefix + std::to_string(number));
    if (mkdir(path.c_str(), 0700) == 0) return RunDir{path, true};
    if (errno != EEXIST) return dir_error(path, errno);
  }
  return dir_error(prefix + std::to_string(kMostDefaults), EEXIST);
}

Status claim_run_dir(const RunDir& dir) {
  const int file = open((dir.path + kClaim).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) return close(file), Nothing{};
  if (errno != EEXIST) return dir_error(dir.path, errno);
  return Error{"run-dir-used", "folder of the run", dir.path, "another run has just begun in it",
               "choose another one with -o"};
}

void drop_run_dir(const RunDir& dir) {
  unlink((dir.path + kClaim).c_str());
  if (dir.made) rmdir(dir.path.c_str());
}

std::vector<ProcessFiles> processes_in(const std::string& dir) {
  std::map<std::string, ProcessFiles> by_stem;
  std::error_code error;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    const std::string extension = at->path().extension();
    const std::string stem = at->path().stem();
    if (extension == agent::kLogSuffix) by_stem[stem].log = at->path();
    if (extension == agent::kErrorSuffix) by_stem[stem].error = first_line(at->path());
  }
  std::vector<ProcessFiles> list;
  for (auto& [stem, files] : by_stem) {
    files.stem = stem;
    list.push_back(std::move(files));
  }
  std::ranges::sort(list, before);
  return list;
}

namespace {

std::string text_of(const trace::Log& log, const trace::Text& text) {
  return text.id < log.strings.size() ? log.strings[text.id] : std::string();
}

// ", rank 0 of 2", where a launcher gave it one.
std::string rank_of(const trace::Log& log) {
  std::map<std::string, std::string> variables;
  for (const trace::Record& record : log.records) {
    const auto* one = std::get_if<trace::Provenance>(&record);
    if (one == nullptr || one->what != trace::ProvenanceKind::variable) continue;
    variables[text_of(log, one->name)] = text_of(log, one->value);
  }
  for (const agent::RankVariables& launcher : agent::kLaunchers) {
    const std::string& rank = variables[launcher.rank];
    const std::string& size = variables[launcher.size];
    if (!rank.empty()) return ", rank " + rank + (size.empty() ? "" : " of " + size);
  }
  return {};
}

}  // namespace

std::string process_name(const trace::Log& log, const std::string& otherwise) {
  for (const trace::Record& record : log.records) {
    const auto* process = std::get_if<trace::Process>(&record);
    if (process == nullptr || process->command.id >= log.strings.size()) continue;
    const std::string command = text_of(log, process->command);
    return fmt::format("pid {}{}{}{}", process->pid, command.empty() ? "" : " ", command,
                       rank_of(log));
  }
  return otherwise;
}

Result<trace::Log> read_log(const std::string& path) {
  BOHR_TRY(input, trace::read_input(path));
  return trace::to_log(input);
}

bool gave_no_work(const Program& program) {
  const std::vector<Diagnostic>& diagnostics = program.diagnostics;
  return program.ops.empty() && program.graphs.empty() && diagnostics.size() == 1 &&
         diagnostics.front().reason == "no-cuda-calls";
}

Result<Checked> check_log(const std::string& path, const CheckOptions& options) {
  BOHR_TRY(log, read_log(path));
  BOHR_TRY(program, import_with_code(log));
  const std::string stem = fs::path(path).stem();
  BOHR_TRY(checked, check_program(std::move(program), process_name(log, "pid " + stem), options));
  checked.stem = stem;
  return std::move(checked);
}

RunContents check_ended_run(const std::string& dir, const CheckOptions& options) {
  RunContents contents;
  const std::vector<ProcessFiles> processes = processes_in(dir);
  for (const ProcessFiles& files : processes) add_process(files, options, &contents);
  if (const auto left = left_in_journal(dir + "/" + kJournalName)) contents.notes.push_back(*left);
  if (contents.checked.empty()) {
    const std::string why = processes.empty() ? "no process of it made a CUDA call"
                                              : "its processes gave the GPU no work";
    contents.checked.push_back(not_checked("the program", "no-cuda-calls", why));
  }
  return contents;
}

Result<RunContents> check_run(const std::string& dir, const CheckOptions& options) {
  if (processes_in(dir).empty()) {
    return Error{"run-empty", "folder of a run", dir, "it holds no log (PID.bohr)",
                 "name the folder that bohr run made"};
  }
  return check_ended_run(dir, options);
}

std::vector<trace::Log> read_logs(const std::string& dir) {
  std::vector<trace::Log> logs;
  for (const ProcessFiles& files : processes_in(dir)) {
    if (files.log.empty()) continue;
    Result<trace::Log> log = read_log(files.log);
    if (log.ok()) logs.push_back(std::move(log).value());
  }
  return logs;
}

}  // namespace bohr::app

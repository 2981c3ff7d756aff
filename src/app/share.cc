// SPDX-License-Identifier: Apache-2.0
// Logs are read, scrubbed and written as one SQLite trace; the report and the findings beside it
// are made from what is in that trace, so they cannot say more than it does.
#include "app/share.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/check_file.h"
#include "app/files.h"
#include "app/run_dir.h"
#include "app/share_log.h"
#include "app/temporary_folder.h"
#include "report/json.h"
#include "report/text.h"
#include "report/words.h"
#include "trace/import.h"
#include "trace/open.h"
#include "trace/sqlite_trace.h"
#include "trace/zstd.h"

namespace bohr::app {

namespace {

namespace fs = std::filesystem;
using trace::Log;

// Names of the user and the machine that this is run by and on.
std::set<std::string> own_identities() {
  std::set<std::string> names;
  for (const char* variable : {"USER", "LOGNAME", "SUDO_USER", "HOSTNAME"})
    if (const char* value = std::getenv(variable)) names.insert(value);
  if (const char* home = std::getenv("HOME")) names.insert(fs::path(home).filename());
  if (const passwd* user = getpwuid(getuid())) names.insert(user->pw_name);
  char host[256] = "";
  if (gethostname(host, sizeof host - 1) == 0) {
    names.insert(host);
    names.insert(std::string(host).substr(0, std::string(host).find('.')));
  }
  names.erase("");
  return names;
}

// What stands for a process that left no log that can be read, so that a check is told of it.
Log stand_in(const std::string& stem, const char* reason, const std::string& why) {
  Log log;
  log.strings = {"", reason, why};
  trace::Process process;
  process.pid = std::strtoull(stem.c_str(), nullptr, 10);
  log.records.emplace_back(process);
  trace::Diagnostic note;
  note.reason = {1};
  note.text = {2};
  log.records.emplace_back(note);
  return log;
}

struct Sources {
  std::vector<Log> logs;
  std::vector<std::string> left_out;
};

void add_process(const ProcessFiles& files, Sources* sources) {
  if (files.log.empty())
    return sources->logs.push_back(stand_in(files.stem, "not-recorded", files.error));
  Result<std::vector<Log>> logs = trace::read_logs(files.log);
  if (!logs.ok())
    return sources->logs.push_back(stand_in(files.stem, "lost-records", logs.error().why));
  for (Log& log : logs.value()) {
    const Result<Program> program = trace::import_log(log);
    if (program.ok() && gave_no_work(program.value()))
      sources->left_out.push_back(files.stem + ".bohr: gave the GPU no work");
    else
      sources->logs.push_back(std::move(log));
  }
}

// Everything in the folder that is no log.
void add_left_out(const std::string& dir, std::vector<std::string>* left_out) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    const std::string extension = at->path().extension();
    const bool ours = extension == ".bohr" || extension == ".error";
    if (!ours && at->path().filename() != ".bohr-run") names.push_back(at->path().filename());
  }
  std::sort(names.begin(), names.end());
  left_out->insert(left_out->end(), names.begin(), names.end());
}

Result<Sources> read_sources(const std::string& path) {
  Sources sources;
  if (!is_directory(path)) {
    BOHR_TRY(logs, trace::read_logs(path));
    sources.logs = std::move(logs);
  } else {
    for (const ProcessFiles& files : processes_in(path)) add_process(files, &sources);
    add_left_out(path, &sources.left_out);
  }
  if (!sources.logs.empty()) return sources;
  return Error{"run-empty", "folder of a run", path, "it holds no log (PID.bohr)",
               "name the folder that bohr run made, or a log or trace"};
}

Result<std::vector<Checked>> check_all(const std::vector<Log>& logs) {
  std::vector<Checked> list;
  for (const Log& log : logs) {
    BOHR_TRY(program, trace::import_log(log));
    BOHR_TRY(checked, check_program(std::move(program), process_name(log, log.source), {}));
    list.push_back(std::move(checked));
  }
  return list;
}

struct Counts {
  std::string outcome;
  int64_t causes = 0, findings = 0, candidates = 0;
  std::set<std::string> sites;
  bool operator==(const Counts& other) const {
    return outcome == other.outcome && causes == other.causes && findings == other.findings &&
           candidates == other.candidates;
  }
};

Counts counts_of(std::span<const Checked> checked) {
  Counts counts;
  counts.outcome = report::outcome_word(report::merged_outcome(subjects_of(checked)));
  for (const Checked& one : checked) {
    counts.causes += static_cast<int64_t>(one.verdict.causes.size());
    counts.findings += static_cast<int64_t>(one.verdict.findings.size());
    counts.candidates += static_cast<int64_t>(one.verdict.candidates.size());
    for (const Cause& cause : one.verdict.causes) counts.sites.insert(cause.site);
  }
  return counts;
}

std::string verdict_words(const Counts& before, const Counts& after) {
  std::string words = fmt::format(
      "{}: {}, {}, {}", after.outcome, report::count(after.causes, "cause"),
      report::count(after.findings, "finding"), report::count(after.candidates, "candidate"));
  if (!(before == after))
    return words + fmt::format(
                       ", WHICH IS NOT WHAT THE ORIGINAL GIVES ({}: {}, {}, {}): please "
                       "report this",
                       before.outcome, report::count(before.causes, "cause"),
                       report::count(before.findings, "finding"),
                       report::count(before.candidates, "candidate"));
  words += ", as of the original";
  return before.sites == after.sites ? words
                                     : words +
                                           "; some ids differ, for a name that was replaced "
                                           "stands in them";
}

trace::TarFile text_file(const char* name, std::string_view text) {
  return {std::string("bohr-share/") + name, {text.begin(), text.end()}};
}

Result<trace::TarFile> trace_file(const std::vector<Log>& logs) {
  BOHR_TRY(folder, TemporaryFolder::make());
  const std::string path = folder->file(trace::kBundledTrace);
  BOHR_TRY_STATUS(trace::write_sqlite(logs, path));
  BOHR_TRY(bytes, read_text(path));
  return text_file(trace::kBundledTrace, bytes);
}

constexpr const char* kManifest = R"(A bundle of bohr share ({version}).

trace.db       {processes}, {records}: look at it with `bohr check`, `bohr show`,
               `bohr query` of this bundle, or of trace.db itself
report.txt     what a check of it says
findings.json  the same for programs

It holds       names of kernels, functions and source files, and lines in these; sizes, addresses and
               the order of calls; the names of streams, graphs and threads that are one short word;
               kinds and versions of GPU, driver and frameworks; the settings that were recorded; numbers of
               processes and threads
Replaced       {replaced} by pseudonyms, the same text always by the same one: folders (dirN), names
               of people and machines (uN...), other texts (textN, fileN, programN)
Set to zero    {zeroed} of kernel parameters, all that are no addresses of recorded memory; the
               times at which processes began
Not in it      memory contents, the environment, arguments of command lines
)";

std::string manifest(const std::vector<Log>& logs, size_t replaced, int64_t zeroed) {
  size_t records = 0;
  for (const Log& log : logs) records += log.records.size();
  return fmt::format(
      kManifest, fmt::arg("version", BOHR_VERSION),
      fmt::arg("processes", report::count(static_cast<int64_t>(logs.size()), "process")),
      fmt::arg("records", report::count(static_cast<int64_t>(records), "record")),
      fmt::arg("replaced", report::count(static_cast<int64_t>(replaced), "text")),
      fmt::arg("zeroed", report::bytes(static_cast<uint64_t>(zeroed))));
}

Status refuse_leaks(const std::vector<Log>& logs, const std::vector<Replacement>& replaced) {
  for (const Replacement& one : replaced) {
    if (one.by.front() != 'u')
      continue;  // folders and the like may be named as something that stays
    for (const Log& log : logs)
      for (const std::string& text : log.strings)
        if (find_word(text, one.what, 0) != std::string::npos && report::reason_words(text).empty())
          return Error{"share-leak", "a name that was to be replaced is still there", one.what,
                       "in \"" + text + "\"", "please report this; nothing was written"};
  }
  return Nothing{};
}

}  // namespace

Result<Bundle> make_bundle(const std::string& path) {
  BOHR_TRY(sources, read_sources(path));
  std::set<std::string> identities = own_identities();
  identities.merge(home_owners(sources.logs));
  ShareWords words(identities);
  std::vector<Log> logs;
  int64_t zeroed = 0;
  for (const Log& log : sources.logs) {
    logs.push_back(scrub_log(log, &words, &zeroed));
    logs.back().source = process_name(logs.back(), fmt::format("process {}", logs.size()));
  }
  BOHR_TRY_STATUS(refuse_leaks(logs, words.replaced()));
  BOHR_TRY(before, check_all(sources.logs));
  BOHR_TRY(after, check_all(logs));
  BOHR_TRY(trace, trace_file(logs));
  report::TextOptions text;
  text.most = -1;
  text.target = "BUNDLE";
  Bundle bundle;
  bundle.files.push_back(
      text_file("MANIFEST.txt", manifest(logs, words.replaced().size(), zeroed)));
  bundle.files.push_back(std::move(trace));
  bundle.files.push_back(text_file("report.txt", report::render_text(subjects_of(after), text)));
  bundle.files.push_back(text_file("findings.json", report::render_json(subjects_of(after), {})));
  bundle.replaced = words.replaced();
  bundle.left_out = std::move(sources.left_out);
  bundle.verdict = verdict_words(counts_of(before), counts_of(after));
  return bundle;
}

std::string default_bundle_name(const std::string& path) {
  std::error_code error;
  fs::path full = fs::absolute(path, error).lexically_normal();
  if (full.filename().empty()) full = full.parent_path();
  return (path == "-" ? "trace" : full.filename().string()) + ".share.tar.zst";
}

Result<uint64_t> write_bundle(const Bundle& bundle, const std::string& output) {
  std::error_code error;
  if (fs::exists(output, error))
    return Error{"share-exists", "bundle", output, "there is such a file",
                 "choose another name with -o, or remove it"};
  BOHR_TRY(packed, trace::compress(trace::write_tar(bundle.files)));
  BOHR_TRY_STATUS(
      write_file(output, {reinterpret_cast<const char*>(packed.data()), packed.size()}));
  const Result<std::vector<Log>> back = trace::read_logs(output);
  if (!back.ok()) return back.error();
  if (const Status clean = refuse_leaks(back.value(), bundle.replaced); !clean.ok()) {
    unlink(output.c_str());
    return clean.error();
  }
  return uint64_t{packed.size()};
}

}  // namespace bohr::app

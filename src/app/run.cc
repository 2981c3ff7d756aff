// SPDX-License-Identifier: Apache-2.0
// Waits for the guest in short turns; between them it looks for new graphs, and when a burst of
// them is over (or lasts) it checks what the logs hold so far. A check of a long log takes time, so
// the next one waits for several times as long as the last one took.
#include "app/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>

#include "agent/environment.h"
#include "app/files.h"
#include "app/install.h"
#include "app/log_watch.h"
#include "app/restart.h"
#include "app/run_dir.h"
#include "app/unreached.h"
#include "report/json.h"
#include "report/text.h"
#include "report/words.h"
#include "trace/sqlite_trace.h"

namespace bohr::app {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr int kRunTurn = 250;                // milliseconds between two looks at the logs
constexpr int kHoldTurn = 10;                // while launches may be offered
constexpr milliseconds kBurstOver{750};      // no new graph for so long
constexpr milliseconds kBurstLongest{3000};  // checked by then although it goes on
constexpr milliseconds kReachTurn{1000};     // between two looks at the processes
constexpr int kRestFactor = 8;               // rest after a check, in its own duration
constexpr size_t kMostAnnounced = 5;

std::map<std::string, std::string> variables_for(const RunOptions& options, const AgentFiles& files,
                                                 const std::string& dir) {
  Recording recording = options.recording;
  recording.dir = dir;
  auto set = variables_of(recording, files, inherited());
  if (!options.apply.empty()) {
    set[agent::kApplyVariable] = fs::absolute(options.apply).string();
    set[agent::kUnresolvedVariable] = options.refuse_unresolved ? "refuse" : "warn";
  }
  return set;
}

// The driver loads one injection library, so another tool's would be put out of work by ours.
Status refuse_other_injection(Via via, const AgentFiles& files) {
  if (via == Via::preload) return Nothing{};
  const char* other = std::getenv(agent::kInjectionVariable);
  if (other == nullptr || *other == '\0' || other == files.agent) return Nothing{};
  return Error{"injection-taken", agent::kInjectionVariable, other,
               "another tool asked the driver to load its library",
               "unset it, or leave out --via cupti: two such tools cannot record at once"};
}

std::string cause_line(const Checked& checked, const Cause& cause) {
  const Finding& finding = checked.verdict.findings[static_cast<size_t>(cause.findings.front())];
  return fmt::format("  {}  {}: {} ({}) | {} ({}), {}", cause.site, report::class_words(cause.cls),
                     finding.first.label, finding.first.where, finding.second.label,
                     finding.second.where, finding.range.name);
}

// Looks at the logs while the guest runs and tells of each cause once.
class LiveCheck {
 public:
  LiveCheck(const RunOptions& options, std::string dir, const Say& say)
      : options_(options), dir_(std::move(dir)), watch_(dir_), say_(say) {}

  void turn();

 private:
  void check();
  void announce(const std::vector<Checked>& checked);

  const RunOptions& options_;
  std::string dir_;
  LogWatch watch_;
  const Say& say_;
  bool pending_ = false;
  Clock::time_point first_new_, last_new_, not_before_;
  std::set<std::string> told_;
  int64_t told_graphs_ = 0;
};

void LiveCheck::turn() {
  const auto now = Clock::now();
  if (watch_.poll() > 0) {
    if (!pending_) first_new_ = now;
    last_new_ = now;
    pending_ = true;
  }
  if (!pending_ || now < not_before_) return;
  if (now - last_new_ < kBurstOver && now - first_new_ < kBurstLongest) return;
  pending_ = false;
  try {
    check();
  } catch (const std::exception& error) {  // out of memory, say: the program must not notice
    say_(fmt::format("could not check while it runs: {}", error.what()));
  }
  not_before_ = Clock::now() + kRestFactor * (Clock::now() - now);
}

void LiveCheck::check() {
  const Result<RunContents> contents = check_run(dir_, options_.check);
  if (!contents.ok()) return;
  int64_t graphs = 0, nodes = 0;
  for (const Checked& one : contents.value().checked) {
    graphs += static_cast<int64_t>(one.program.graphs.size());
    for (const Graph& graph : one.program.graphs) {
      nodes += static_cast<int64_t>(graph.nodes.size());
    }
  }
  if (graphs > told_graphs_) {
    say_(
        fmt::format("{}, {} so far", report::count(graphs, "graph"), report::count(nodes, "node")));
    told_graphs_ = graphs;
  }
  announce(contents.value().checked);
}

void LiveCheck::announce(const std::vector<Checked>& checked) {
  std::vector<std::string> lines;
  for (const Checked& one : checked) {
    for (const Cause& cause : one.verdict.causes) {
      if (cause.suppressed || cause.latent || cause.findings.empty()) continue;
      if (told_.insert(cause.site).second) lines.push_back(cause_line(one, cause));
    }
  }
  if (lines.empty()) return;
  say_(
      fmt::format("RACE: {}, {} new. `bohr show {}` now, or the report at exit. The program goes "
                  "on.",
                  report::count(static_cast<int64_t>(told_.size()), "cause"),
                  report::count(static_cast<int64_t>(lines.size())), shell_word(dir_)));
  for (size_t i = 0; i < std::min(lines.size(), kMostAnnounced); ++i) say_(lines[i]);
}

std::string end_line(const GuestEnd& end) {
  std::string text;
  if (end.passed_on != 0) text = signal_name(end.passed_on) + " passed on; ";
  if (end.signal != 0) return text + "the program was ended by " + signal_name(end.signal);
  return text + fmt::format("the program ended with {}", end.code);
}

// Tells of processes that no agent reached, as they come up.
class Reach {
 public:
  explicit Reach(const Say& say) : say_(say) {}
  void turn(pid_t root) {
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + kReachTurn;
    for (const UnreachedProcess& one : unreached_.look(root))
      say_(fmt::format("{}: NOT RECORDED: {}", one.name, one.why));
  }
  // As not checked, beside those that were recorded.
  void add_to(RunContents* contents) const {
    for (const UnreachedProcess& one : unreached_.all())
      contents->checked.push_back(not_checked(one.name, "not-recorded", one.why));
  }

 private:
  const Say& say_;
  Unreached unreached_;
  Clock::time_point next_;
};

// While it runs its launches are held, where that is asked for, and its logs looked at.
GuestEnd wait_for_end(Guest& guest, HeldLaunches* held, const RunOptions& options, LiveCheck* live,
                      Reach* reach) {
  std::optional<LostGuest> lost;
  for (;;) {
    if (const auto end = guest.wait(held ? kHoldTurn : kRunTurn)) return *end;
    if (held) held->turn([&guest] { return guest.ending(); });
    live->turn();
    reach->turn(guest.pid());
    if (!held || held->lost() == 0 || options.explore->restarts == 0) continue;
    if (!lost) lost.emplace(held->lost(), guest.pid());
    lost->turn();
  }
}

// Tells of a final check that will take a while.
void announce_check(const std::string& dir, const Say& say) {
  constexpr uint64_t kLong = uint64_t{32} << 20;
  uint64_t total = 0;
  for (const ProcessFiles& files : processes_in(dir)) {
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(files.log, error);
    if (!error) total += size;
  }
  if (total >= kLong) say(fmt::format("checking {} of logs", report::bytes(total)));
}

void tell_applied(const std::string& fix, const AppliedCounts& counts, const Say& say) {
  say(fmt::format("{}: pid {}: applied in {}, not needed in {}, unresolved in {}", fix, counts.stem,
                  report::count(counts.applied, "graph"), report::count(counts.not_needed),
                  report::count(counts.unresolved)));
  for (const std::string& why : counts.whys) say("  " + why);
  if (!counts.refused.empty())
    say(fmt::format("{}: REFUSED, the program was ended: {} (--unresolved=warn goes on)", fix,
                    counts.refused));
}

// Written where something can be applied.
Result<std::string> write_fix_file(const RunOutcome& outcome, const std::vector<trace::Log>& logs,
                                   const CheckOptions& check) {
  BOHR_TRY(file, fix_file_of(outcome.processes, logs, check));
  if (!patch::has_edge_form(file, outcome.dir).ok()) return std::string();
  std::string path = outcome.dir + "/fix.json";
  BOHR_TRY_STATUS(write_file(path, patch::to_text(file)));
  return path;
}

}  // namespace

Result<RunOutcome> run(const RunOptions& options, const Say& say) {
  BOHR_TRY(files, find_agent(options.lib));
  BOHR_TRY_STATUS(refuse_other_injection(options.recording.via, files));
  if (!options.apply.empty()) BOHR_TRY_STATUS(read_fix_file(options.apply));
  BOHR_TRY(dir, make_run_dir(options.recording.dir));
  BOHR_TRY_STATUS(claim_run_dir(dir));
  auto variables = variables_for(options, files, dir.path);
  std::unique_ptr<HeldLaunches> held;
  if (options.explore) {
    HoldOptions hold = *options.explore;
    hold.fix = options.fix;
    auto listening = HeldLaunches::listen(dir.path, hold, options.check, say);
    if (!listening.ok()) return drop_run_dir(dir), listening.error();
    held = std::move(listening).value();
    variables.merge(held->variables());
  }
  auto started = Guest::start(options.command, variables);
  if (!started.ok()) {
    held.reset();
    drop_run_dir(dir);
    return started.error();
  }
  say(fmt::format("recording to {}/ (private to you, at most {} a process); output is untouched",
                  dir.path,
                  report::bytes(options.recording.max_log > 0 ? options.recording.max_log
                                                              : agent::kDefaultMaxLog)));
  LiveCheck live(options, dir.path, say);
  Reach reach(say);
  std::optional<GuestEnd> end = wait_for_end(*started.value(), held.get(), options, &live, &reach);
  for (int64_t number = 1; held && held->lost() != 0 && end->passed_on == 0; ++number) {
    if (number > options.explore->restarts) break;
    say(end_line(*end));
    BOHR_TRY_STATUS(put_aside(dir.path, number));
    held->start_again();
    say(fmt::format("an order ended it: started again, {} of at most {}", number,
                    options.explore->restarts));
    BOHR_TRY(again, Guest::start(options.command, variables));
    end = wait_for_end(*again, held.get(), options, &live, &reach);
  }
  say(end_line(*end));
  announce_check(dir.path, say);
  RunContents contents = check_ended_run(dir.path, options.check);
  reach.add_to(&contents);
  for (const std::string& note : contents.notes) say(note);
  RunOutcome outcome;
  outcome.dir = dir.path, outcome.end = *end, outcome.preload_library = files.preload;
  if (!options.apply.empty()) outcome.applied = applied_in(dir.path);
  for (const AppliedCounts& one : outcome.applied) tell_applied(options.apply, one, say);
  std::vector<Explored> explored;
  if (held) {
    BOHR_TRY(attached, held->attach(std::move(contents.checked)));
    BOHR_TRY(saved,
             save_witnesses(attached, dir.path, dir.path + "/race", options.check.strict_threads));
    outcome.witnesses = std::move(saved);
    explored = std::move(attached);
  } else {
    for (Checked& one : contents.checked) explored.push_back({std::move(one), {}, {}, 0});
  }
  std::vector<trace::Log> logs;
  if (options.fix) logs = read_logs(dir.path);
  BOHR_TRY_STATUS(conclude(std::move(explored), options.fix, logs, options.check, &outcome));
  return outcome;
}

Status conclude(std::vector<Explored> explored, bool fix, const std::vector<trace::Log>& logs,
                const CheckOptions& check, RunOutcome* outcome) {
  if (!fix) {
    for (Explored& one : explored) outcome->processes.push_back({std::move(one), {}, {}});
    return Nothing{};
  }
  outcome->processes = fix_all(std::move(explored), check, {});
  BOHR_TRY(fix_file, write_fix_file(*outcome, logs, check));
  outcome->fix_file = std::move(fix_file);
  return Nothing{};
}

ExitStatus status_of(const RunOutcome& outcome, const std::vector<HazardClass>& require) {
  const bool refused =
      std::any_of(outcome.applied.begin(), outcome.applied.end(),
                  [](const AppliedCounts& counts) { return !counts.refused.empty(); });
  if (refused) return ExitStatus::unusable;
  const ExitStatus status = status_of(outcome.processes, require);
  const bool failed = outcome.end && failed_by_itself(*outcome.end);
  return failed ? worst(status, ExitStatus::program_failed) : status;
}

report::JsonOptions json_options(const RunOutcome& outcome) {
  report::JsonOptions json;
  if (outcome.end) json.program_exit = report::ProgramExit{outcome.end->code, outcome.end->signal};
  for (const AppliedCounts& counts : outcome.applied)
    json.applied.push_back(
        {counts.stem, counts.applied, counts.not_needed, counts.unresolved, counts.whys});
  return json;
}

Status keep_reports(const RunOutcome& outcome, const CheckOptions& options) {
  const std::vector<report::Subject> subjects = subjects_of(outcome.processes);
  report::TextOptions text;
  text.most = -1;
  text.target = shell_word(outcome.dir);
  text.require = options.require;
  BOHR_TRY_STATUS(write_file(outcome.dir + "/report.txt", report::render_text(subjects, text)));
  return write_file(outcome.dir + "/findings.json",
                    report::render_json(subjects, json_options(outcome)));
}

Status keep_results(const RunOutcome& outcome, const CheckOptions& options) {
  BOHR_TRY_STATUS(keep_reports(outcome, options));
  const std::vector<trace::Log> logs = read_logs(outcome.dir);
  if (logs.empty()) return Nothing{};
  return trace::write_sqlite(logs, outcome.dir + "/trace.db");
}

}  // namespace bohr::app

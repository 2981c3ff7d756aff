// SPDX-License-Identifier: Apache-2.0
// check -> replayer -> explore -> witnesses.
#include "app/explore_file.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/files.h"
#include "app/ignore.h"
#include "app/watch.h"
#include "base/hash.h"
#include "explore/arms.h"
#include "explore/settle.h"
#include "model/digest.h"
#include "replay/symbolic/replayer.h"
#include "trace/open.h"
#include "trace/sqlite_results.h"

namespace bohr::app {

namespace fs = std::filesystem;

Result<Explored> explore_on(replay::Replayer& replayer, Checked checked, const CheckOptions& check,
                            const explore::Options& options) {
  const uint64_t digest = digest_of(checked.program);
  BOHR_TRY(exploration, explore::explore(replayer, checked.verdict, options));
  if (exploration.observed_contents > 0 || !exploration.settled.empty()) {
    CheckOptions again = check;
    again.settled = exploration.settled;
    Program seen = checked.program;
    if (exploration.observed_contents >= 2) {
      BOHR_TRY(varied, explore::racy_ranges(replayer.program(), check.strict_threads));
      seen =
          explore::with_observed(std::move(seen), replayer.steps(), exploration.observed, varied);
    }
    BOHR_TRY(observed, check_program(std::move(seen), checked.name, again));
    explore::rebind(observed.program, checked.verdict, observed.verdict, &exploration);
    checked = std::move(observed);
  }
  return Explored{std::move(checked), std::move(exploration), std::nullopt, digest};
}

namespace {

// For each program what of `texts` it has.
Result<std::vector<std::vector<Watch>>> watched_in(std::span<const Checked> programs,
                                                   const std::vector<std::string>& texts) {
  WatchList list(texts);
  std::vector<std::vector<Watch>> watched;
  for (const Checked& one : programs)
    watched.push_back(list.in(one.program, steps_of(one.program), Blocks::all));
  const std::vector<Error> unmet = list.unmet();
  if (!unmet.empty()) return unmet.front();
  return watched;
}

}  // namespace

Result<std::vector<Explored>> explore_path(const std::string& path, const CheckOptions& check,
                                           const explore::Options& options, const Named& named) {
  BOHR_TRY(checked, check_path(path, check));
  BOHR_TRY(ignored, ignored_in(checked, named.ignore));
  BOHR_TRY(watched, watched_in(checked, named.watch));
  std::vector<Explored> list;
  for (size_t i = 0; i < checked.size(); ++i) {
    Checked& one = checked[i];
    explore::Options own = options;
    own.ignored = std::move(ignored[i]);
    own.watched = std::move(watched[i]);
    auto replayer = replay::symbolic_replayer(one.program);
    if (replayer.ok() && one.program.recorded && replayer.value()->steps().empty())
      replayer = Error{"explore-nothing", one.name, "", "no step of it was recorded",
                       "record it again: bohr run -- CMD"};
    if (!replayer.ok()) {
      list.push_back({std::move(one), std::nullopt, replayer.error(), 0, !own.watched.empty()});
      continue;
    }
    BOHR_TRY(explored, explore_on(*replayer.value(), std::move(one), check, own));
    list.push_back(std::move(explored));
  }
  return list;
}

namespace {

// The label of a side without the program's decoration.
std::string plain_label(const Program& program, const Side& side) {
  const Op& op = side.node.valid() ? program.graphs[side.graph.index()].nodes[side.node.index()]
                                   : program.ops[side.op.index()];
  return std::string(label_of(program, op));
}

struct ArmProgram {
  Program program;
  order::StepOrder order;
  explore::Footprints uses;
};

Result<std::vector<ArmProgram>> read_arm(const std::string& path, bool strict_threads) {
  BOHR_TRY(loaded, load_path(path));
  std::vector<ArmProgram> programs;
  for (Loaded& one : loaded) {
    BOHR_TRY(order, order::step_order(one.program, strict_threads));
    BOHR_TRY(uses, explore::Footprints::of(one.program, order));
    programs.push_back({std::move(one.program), std::move(order), std::move(uses)});
  }
  return programs;
}

// The worst over the arm's programs. A free is no step, so class lifetime has no pair.
ArmState state_in(const std::vector<ArmProgram>& arm, const Explored& one, const Cause& cause) {
  if (cause.findings.empty() || cause.cls == HazardClass::lifetime) return ArmState::not_compared;
  const Finding& finding =
      one.checked.verdict.findings[static_cast<size_t>(cause.findings.front())];
  const std::string first = plain_label(one.checked.program, finding.first);
  const std::string second = plain_label(one.checked.program, finding.second);
  ArmState state = ArmState::not_reached;
  for (const ArmProgram& program : arm)
    state = std::min(
        state, explore::state_in(program.program, program.order, program.uses, first, second));
  return state;
}

}  // namespace

Status compare_with_arm(const std::string& path, bool strict_threads,
                        std::vector<Explored>* explored) {
  BOHR_TRY(arm, read_arm(path, strict_threads));
  for (Explored& one : *explored) {
    if (!one.exploration) continue;
    Arm result{fs::path(path).filename().string(), {}};
    for (const Cause& cause : one.checked.verdict.causes)
      result.states.push_back(state_in(arm, one, cause));
    one.exploration->arms.push_back(std::move(result));
  }
  return Nothing{};
}

std::vector<report::Subject> subjects_of(std::span<const Explored> explored) {
  std::vector<report::Subject> subjects;
  for (const Explored& one : explored) {
    subjects.push_back({one.checked.name, &one.checked.program, &one.checked.verdict,
                        one.exploration ? &*one.exploration : nullptr,
                        one.refusal ? one.refusal->why + "; " + one.refusal->remedy : ""});
  }
  return subjects;
}

ExitStatus status_of(std::span<const Explored> explored, const std::vector<HazardClass>& require) {
  ExitStatus status = ExitStatus::clean;
  for (const Explored& one : explored) {
    status = worst(status, status_of(one.checked.verdict, require));
    if (one.unwatched) status = worst(status, ExitStatus::incomplete);
    if (!one.exploration) continue;
    for (const Watched& watched : one.exploration->watched) {
      if (!watched.canaries.empty()) status = worst(status, ExitStatus::findings);
      if (watched.contents == 0 || !watched.unseen.empty())
        status = worst(status, ExitStatus::incomplete);
    }
    // A legal order that ends the process is as good as one that leaves other bytes.
    if (!one.exploration->lost.reason.empty()) status = worst(status, ExitStatus::findings);
    for (const Witness& witness : one.exploration->witnesses)
      if (witness.cause == 0) status = worst(status, ExitStatus::findings);
  }
  return status;
}

namespace {

std::string site_of(const Verdict& verdict, const Witness& witness) {
  for (const Cause& cause : verdict.causes)
    if (witness.cause != 0 && cause.id == witness.cause) return cause.site;
  return {};
}

// "stem-reuse-7c1e.witness", with a number behind it where that name is taken already.
std::string free_name(const std::string& stem, const std::string& site,
                      std::set<std::string>* taken) {
  const std::string base = stem + "-" + (site.empty() ? "pair" : site);
  std::string name = base + ".witness";
  for (int number = 2; !taken->insert(name).second; ++number)
    name = base + "-" + std::to_string(number) + ".witness";
  return name;
}

}  // namespace

namespace {

WitnessFile witness_file(const Explored& one, const Witness& witness, const std::string& path,
                         bool several, bool strict_threads) {
  WitnessFile file;
  file.program = path;
  if (several) file.subject = one.checked.name;
  file.program_digest = one.program_digest;
  file.site = site_of(one.checked.verdict, witness);
  file.strict_threads = strict_threads;
  file.witness = witness;
  return file;
}

trace::WitnessRow row_of(const WitnessFile& file, const std::string& subject) {
  const Witness& witness = file.witness;
  trace::WitnessRow row;
  row.subject = subject;
  row.site = file.site;
  row.first = witness.first.label, row.second = witness.second.label;
  row.range = witness.range.name;
  row.range_begin = witness.range.begin, row.range_end = witness.range.end;
  row.reaches_output = witness.reaches_output();
  row.replays = witness.replays, row.identical = witness.identical;
  row.right_digest = hex(witness.right_digest, 16);
  row.wrong_digest = hex(witness.wrong_digest, 16);
  row.file = render_witness(file);
  return row;
}

// Empty where there is none.
std::string sqlite_behind(const std::string& path) {
  std::error_code error;
  if (path == "-") return {};
  if (is_directory(path)) {
    const std::string database = path + "/trace.db";
    return fs::exists(database, error) ? database : std::string();
  }
  const auto input = trace::read_input(path);
  return input.ok() && input.value().format == trace::Format::sqlite ? path : std::string();
}

}  // namespace

Status store_results(std::span<const Explored> explored, const std::string& path,
                     const explore::Options& options) {
  trace::Results results;
  for (const Explored& one : explored) {
    if (!one.exploration) continue;
    for (const Witness& witness : one.exploration->witnesses)
      results.witnesses.push_back(
          row_of(witness_file(one, witness, path, explored.size() > 1, options.strict_threads),
                 one.checked.name));
    for (const ObservedWrite& seen : one.exploration->observed)
      results.observed.push_back({one.checked.name, seen.step.op.value(), seen.step.node.value(),
                                  seen.range.begin, seen.range.end});
  }
  if (results.witnesses.empty() && results.observed.empty()) return Nothing{};
  const std::string database = sqlite_behind(path);
  if (database.empty()) return Nothing{};
  return trace::write_results(database, {BOHR_VERSION, options.seed}, results);
}

Result<std::vector<std::string>> save_witnesses(std::span<const Explored> explored,
                                                const std::string& path, const std::string& stem,
                                                bool strict_threads) {
  std::vector<std::string> paths;
  std::set<std::string> taken;
  for (const Explored& one : explored) {
    if (!one.exploration) continue;
    for (const Witness& witness : one.exploration->witnesses) {
      const WitnessFile file =
          witness_file(one, witness, path, explored.size() > 1, strict_threads);
      const std::string name = free_name(stem, file.site, &taken);
      BOHR_TRY_STATUS(write_file(name, render_witness(file)));
      paths.push_back(name);
    }
  }
  return paths;
}

namespace {

// Where the program of a witness is: as written, else by its file name beside the witness.
std::string find_program(const WitnessFile& file, const std::string& witness) {
  std::error_code error;
  if (fs::exists(file.program, error)) return file.program;
  const fs::path beside = fs::path(witness).parent_path() / fs::path(file.program).filename();
  return fs::exists(beside, error) ? beside.string() : file.program;
}

Result<Program> program_of(const WitnessFile& file, const std::string& path) {
  BOHR_TRY(programs, load_path(path));
  for (Loaded& one : programs)
    if (digest_of(one.program) == file.program_digest) return std::move(one.program);
  return Error{"witness-program", path, "",
               "the witness is of another program, or of another version of this one",
               "give the file that was explored, or explore this one again"};
}

// Both schedules as indices into the replayer's steps.
Result<explore::Schedule> schedule_of(const replay::Replayer& replayer,
                                      const std::vector<Step>& steps, const std::string& name) {
  std::vector<std::pair<Step, int32_t>> index;
  for (size_t i = 0; i < replayer.steps().size(); ++i)
    index.emplace_back(replayer.steps()[i], static_cast<int32_t>(i));
  std::sort(index.begin(), index.end());
  explore::Schedule schedule;
  for (const Step& step : steps) {
    const auto found = std::lower_bound(index.begin(), index.end(), std::pair(step, 0));
    if (found == index.end() || found->first != step) {
      return Error{"witness-program", name, "", "it names a step that its program does not have",
                   "explore the program again"};
    }
    schedule.push_back(found->second);
  }
  return schedule;
}

}  // namespace

Result<Repeated> repeat_witness(const std::string& witness, const std::string& program) {
  BOHR_TRY(text, read_text(witness));
  BOHR_TRY(file, parse_witness(text, witness));
  const std::string path = program.empty() ? find_program(file, witness) : program;
  BOHR_TRY(found, program_of(file, path));
  BOHR_TRY(replayer, replay::symbolic_replayer(std::move(found)));
  BOHR_TRY_STATUS(replayer->learn());
  BOHR_TRY(right, schedule_of(*replayer, file.witness.right, witness));
  BOHR_TRY(wrong, schedule_of(*replayer, file.witness.wrong, witness));
  BOHR_TRY(order, order::step_order(replayer->program(), file.strict_threads));
  if (!explore::is_legal(order, right) || !explore::is_legal(order, wrong)) {
    return Error{"witness-program", witness, "",
                 "one of its schedules breaks an order that the program asks for",
                 "explore the program again"};
  }
  Repeated repeated;
  explore::Runner runner(*replayer, 2 * file.witness.replays, true, file.witness.ignored);
  BOHR_TRY_STATUS(runner.fill(file.witness.filled));
  for (; repeated.replays < file.witness.replays; ++repeated.replays) {
    BOHR_TRY(first, runner.run(right));
    BOHR_TRY(second, runner.run(wrong));
    repeated.identical += explore::digest_of(first) == file.witness.right_digest &&
                          explore::digest_of(second) == file.witness.wrong_digest;
  }
  repeated.file = std::move(file);
  return repeated;
}

}  // namespace bohr::app

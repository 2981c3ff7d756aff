// SPDX-License-Identifier: Apache-2.0
// check -> replayer -> explore -> witnesses.
#include "app/explore_file.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/files.h"
#include "explore/settle.h"
#include "model/digest.h"
#include "replay/symbolic/replayer.h"

namespace bohr::app {

namespace fs = std::filesystem;

Result<Explored> explore_on(replay::Replayer& replayer, Checked checked, const CheckOptions& check,
                            const explore::Options& options) {
  BOHR_TRY(exploration, explore::explore(replayer, checked.verdict, options));
  if (exploration.observed_contents > 0 || !exploration.settled.empty()) {
    CheckOptions again = check;
    again.settled = exploration.settled;
    BOHR_TRY(observed, check_program(explore::with_observed(checked.program, exploration),
                                     checked.name, again));
    explore::rebind(observed.program, checked.verdict, observed.verdict, &exploration);
    checked = std::move(observed);
  }
  return Explored{std::move(checked), std::move(exploration), std::nullopt};
}

Result<std::vector<Explored>> explore_path(const std::string& path, const CheckOptions& check,
                                           const explore::Options& options) {
  BOHR_TRY(checked, check_path(path, check));
  std::vector<Explored> list;
  for (Checked& one : checked) {
    auto replayer = replay::symbolic_replayer(one.program);
    if (!replayer.ok()) {
      list.push_back({std::move(one), std::nullopt, replayer.error()});
      continue;
    }
    BOHR_TRY(explored, explore_on(*replayer.value(), std::move(one), check, options));
    list.push_back(std::move(explored));
  }
  return list;
}

std::vector<report::Subject> subjects_of(std::span<const Explored> explored) {
  std::vector<report::Subject> subjects;
  for (const Explored& one : explored) {
    subjects.push_back({one.checked.name, &one.checked.program, &one.checked.verdict,
                        one.exploration ? &*one.exploration : nullptr,
                        one.refusal ? to_string(*one.refusal) : std::string()});
  }
  return subjects;
}

ExitStatus status_of(std::span<const Explored> explored, const std::vector<HazardClass>& require) {
  ExitStatus status = ExitStatus::clean;
  for (const Explored& one : explored) {
    status = worst(status, status_of(one.checked.verdict, require));
    if (!one.exploration) continue;
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

Result<std::vector<std::string>> save_witnesses(std::span<const Explored> explored,
                                                const std::string& path, const std::string& stem,
                                                bool strict_threads) {
  std::vector<std::string> paths;
  std::set<std::string> taken;
  for (const Explored& one : explored) {
    if (!one.exploration) continue;
    for (const Witness& witness : one.exploration->witnesses) {
      WitnessFile file;
      file.program = path;
      if (explored.size() > 1) file.subject = one.checked.name;
      file.program_digest = digest_of(one.checked.program);
      file.site = site_of(one.checked.verdict, witness);
      file.strict_threads = strict_threads;
      file.witness = witness;
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
  explore::Runner runner(*replayer, 2 * file.witness.replays);
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

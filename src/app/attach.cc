// SPDX-License-Identifier: Apache-2.0
// Graphs that have something to decide are waited for, each until one of its launches was held, or
// could not be. The rest of a search is that of `bohr run --explore`.
#include "app/attach.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <map>

#include "app/attach_target.h"
#include "app/files.h"
#include "app/install.h"
#include "app/process_tree.h"
#include "app/run_dir.h"
#include "report/words.h"

namespace bohr::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTurn = 20;  // milliseconds

// A graph that a launch is awaited of.
struct Awaited {
  std::string log;
  uint32_t graph = 0;
  std::string name;
};

Result<std::vector<Target>> all_targets(const std::vector<pid_t>& pids) {
  std::map<pid_t, Target> all;
  for (const pid_t pid : pids) {
    BOHR_TRY(targets, find_targets(pid));
    for (Target& one : targets) all.emplace(one.pid, std::move(one));
  }
  std::vector<Target> list;
  list.reserve(all.size());
  for (auto& [pid, target] : all) list.push_back(std::move(target));
  return list;
}

Result<std::vector<Checked>> check_logs(const std::vector<Target>& targets,
                                        const CheckOptions& options) {
  std::vector<Checked> checked;
  for (const Target& target : targets) {
    BOHR_TRY(one, check_log(target.log, options));
    checked.push_back(std::move(one));
  }
  return checked;
}

std::vector<Awaited> awaited_in(const std::vector<Target>& targets,
                                const std::vector<Checked>& checked, const HoldOptions& options) {
  std::vector<Awaited> awaited;
  for (size_t i = 0; i < checked.size(); ++i)
    for (const ToExplore& graph : to_explore(checked[i], options))
      awaited.push_back({targets[i].log, graph.recorded, graph.name});
  return awaited;
}

// Graphs that are asked for by name have to be there.
Status all_known(const HoldOptions& options, const std::vector<Awaited>& awaited) {
  for (const std::string& name : options.graphs) {
    const auto is_it = [&](const Awaited& one) { return one.name == name; };
    if (std::none_of(awaited.begin(), awaited.end(), is_it))
      return Error{"attach-graph", "--graph " + name, "",
                   "no graph of this name was captured so far", "bohr show names those that were"};
  }
  return Nothing{};
}

void wait_for_launches(const AttachOptions& options, const std::vector<Target>& targets,
                       std::vector<Awaited> awaited, HeldLaunches& held,
                       const std::function<bool()>& stop, const Say& say) {
  auto last = Clock::now();
  while (!stop() && !awaited.empty() && Clock::now() - last < options.patience) {
    const bool all_ended = std::all_of(targets.begin(), targets.end(),
                                       [](const Target& one) { return has_ended(one.pid); });
    if (all_ended) return say("the program has ended");
    held.turn(stop);
    const size_t gone = std::erase_if(
        awaited, [&](const Awaited& one) { return held.has_taken(one.log, one.graph); });
    if (gone > 0) last = Clock::now();
    poll(nullptr, 0, kTurn);
  }
  for (const Awaited& one : awaited)
    say(fmt::format("{}: not explored: {}", one.name,
                    stop() ? "stopped"
                           : fmt::format("no launch of it within {} s (--patience)",
                                         options.patience.count())));
}

// Below the run of the first, beside its logs.
Result<RunDir> folder_for(const AttachOptions& options, const std::vector<Target>& targets) {
  if (!options.dir.empty()) return make_run_dir(options.dir);
  return make_numbered_dir(targets.front().dir + "/attach-");
}

}  // namespace

Result<RunOutcome> attach(const AttachOptions& options, const std::function<bool()>& stop,
                          const Say& say) {
  BOHR_TRY(targets, all_targets(options.pids));
  BOHR_TRY(checked, check_logs(targets, options.check));
  for (size_t i = 0; i < targets.size(); ++i)
    say(fmt::format("{}: {} so far, in {}", checked[i].name,
                    report::count(static_cast<int64_t>(checked[i].program.graphs.size()), "graph"),
                    targets[i].log));
  std::vector<Awaited> awaited;
  if (options.explore) {
    awaited = awaited_in(targets, checked, *options.explore);
    BOHR_TRY_STATUS(all_known(*options.explore, awaited));
  }
  BOHR_TRY(dir, folder_for(options, targets));
  RunOutcome outcome;
  outcome.dir = dir.path;
  if (const auto files = find_agent({}); files.ok())
    outcome.preload_library = files.value().preload;
  std::vector<Explored> explored;
  if (options.explore) {
    HoldOptions hold = *options.explore;
    hold.fix = options.fix;
    BOHR_TRY(held, HeldLaunches::listen(dir.path, hold, options.check, say));
    say(fmt::format("waiting for launches of {} with something to decide; the program goes on",
                    report::count(static_cast<int64_t>(awaited.size()), "graph")));
    {
      std::vector<std::unique_ptr<Attachment>> attachments;
      for (const Target& target : targets) {
        BOHR_TRY(one, Attachment::open(target, held->socket()));
        attachments.push_back(std::move(one));
      }
      wait_for_launches(options, targets, std::move(awaited), *held, stop, say);
    }
    BOHR_TRY(again, check_logs(targets, options.check));
    BOHR_TRY(attached, held->attach(std::move(again)));
    BOHR_TRY(saved, save_witnesses(attached, targets.front().dir, dir.path + "/race",
                                   options.check.strict_threads));
    outcome.witnesses = std::move(saved);
    explored = std::move(attached);
  } else {
    for (Checked& one : checked) explored.push_back({std::move(one), {}, {}, 0});
  }
  std::vector<trace::Log> logs;
  if (options.fix) {
    for (const Target& target : targets) {
      BOHR_TRY(log, read_log(target.log));
      logs.push_back(std::move(log));
    }
  }
  BOHR_TRY_STATUS(conclude(std::move(explored), options.fix, logs, options.check, &outcome));
  return outcome;
}

}  // namespace bohr::app

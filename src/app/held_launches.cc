// SPDX-License-Identifier: Apache-2.0
// One offer at a time; others wait, and their guests a little with them (app/offers.h).
#include "app/held_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/environment.h"
#include "app/fix_file.h"
#include "app/process_tree.h"
#include "app/run_dir.h"
#include "explore/footprints.h"
#include "explore/merge.h"
#include "explore/settle.h"
#include "model/digest.h"
#include "model/one_launch.h"
#include "replay/remote/replayer.h"
#include "replay/repaired.h"
#include "report/watched_text.h"
#include "report/words.h"

namespace bohr::app {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// Pairs inside the graph that orders of one launch can decide.
int64_t open_pairs(const Verdict& verdict, GraphId graph) {
  const auto inside = [&](const Finding& finding) {
    return finding.first.graph == graph && finding.second.graph == graph;
  };
  return std::count_if(verdict.findings.begin(), verdict.findings.end(), inside) +
         std::count_if(verdict.candidates.begin(), verdict.candidates.end(), inside);
}

std::string graph_name(const Program& program, GraphId graph) {
  const bohr::Graph& one = program.graphs[graph.index()];
  return one.name.empty() ? "graph " + std::to_string(one.recorded) : one.name;
}

GraphId recorded_graph(const Program& program, uint32_t number) {
  for (size_t i = 0; i < program.graphs.size(); ++i)
    if (program.graphs[i].recorded == number) return GraphId(i);
  return GraphId();
}

bool is_named(const HoldOptions& options, const std::string& name) {
  return std::find(options.graphs.begin(), options.graphs.end(), name) != options.graphs.end();
}

// What the agent must know in order to run the steps of one launch.
Result<replay::Answer> answer_for(const Program& one, OpId launch, bool strict_threads) {
  replay::Answer answer;
  answer.explore = true;
  const std::vector<Step> steps = steps_of(one);
  answer.plan = replay::plan_of(one, steps);
  // Values that a launch writes again each time do not show as changes.
  BOHR_TRY(raced_for, explore::racy_ranges(one, strict_threads));
  answer.plan.blank.insert(answer.plan.blank.end(), raced_for.begin(), raced_for.end());
  answer.plan.blank = merged(std::move(answer.plan.blank));
  const bohr::Graph& graph = one.graphs[one.ops[launch.index()].graph.index()];
  for (const Step& step : steps) answer.nodes.push_back(graph.recorded_nodes[step.node.index()]);
  return answer;
}

}  // namespace

std::vector<ToExplore> to_explore(const Checked& checked, const HoldOptions& options) {
  std::vector<ToExplore> list;
  const Program& program = checked.program;
  for (size_t i = 0; i < program.graphs.size(); ++i) {
    std::string name = graph_name(program, GraphId(i));
    const bool wanted = options.graphs.empty() ? open_pairs(checked.verdict, GraphId(i)) > 0
                                               : is_named(options, name);
    if (wanted) list.push_back({program.graphs[i].recorded, std::move(name)});
  }
  return list;
}

Result<std::unique_ptr<HeldLaunches>> HeldLaunches::listen(const std::string& dir,
                                                           const HoldOptions& options,
                                                           const CheckOptions& check, Say say) {
  BOHR_TRY(socket, HoldSocket::listen(dir + "/explore.sock"));
  BOHR_TRY(journal, Journal::open(dir + "/" + kJournalName));
  return std::unique_ptr<HeldLaunches>(
      new HeldLaunches(std::move(socket), std::move(journal), options, check, std::move(say)));
}

HeldLaunches::HeldLaunches(HoldSocket socket, Journal journal, const HoldOptions& options,
                           const CheckOptions& check, Say say)
    : offers_(std::make_unique<Offers>(std::move(socket), options.max_pause)),
      journal_(std::move(journal)),
      options_(options),
      check_(check),
      say_(std::move(say)),
      watch_(options.watch) {}

void HeldLaunches::start_again() {
  graphs_.clear();
  refused_.clear();
  journal_.end();
  lost_ = 0;
  ++restarts_;
}

std::map<std::string, std::string> HeldLaunches::variables() const {
  return {{agent::kExploreVariable, socket()},
          {agent::kExploreLaunchVariable, std::to_string(options_.launch)}};
}

bool HeldLaunches::has_taken(const std::string& log, uint32_t graph) const {
  const auto is_it = [&](const Graph& one) { return one.log == log && one.recorded == graph; };
  const auto was_it = [&](const Refused& one) { return one.log == log && one.graph == graph; };
  return std::any_of(graphs_.begin(), graphs_.end(), is_it) ||
         std::any_of(refused_.begin(), refused_.end(), was_it);
}

void HeldLaunches::turn(const Stop& stop) {
  while (auto offered = offers_->next(milliseconds(0))) {
    const Status taken = take(std::move(*offered), stop);
    if (!taken.ok()) say_(to_string(taken.error()));
  }
}

Status HeldLaunches::take(Offered offered, const Stop& stop) {
  Connection& connection = offered.connection;
  BOHR_TRY(offer, offered.offer);
  if (stop()) return connection.go_on(0), Nothing{};
  auto found = find(connection, offer);
  if (!found.ok()) return connection.go_on(0), found.error();
  if (!found.value()) return Nothing{};
  const std::string name = found.value()->name;
  const Status explored = explore(std::move(connection), offer, std::move(*found.value()), stop);
  if (explored.ok()) return Nothing{};
  Error error = explored.error();
  error.what = error.what.empty() ? name : name + ": " + error.what;
  error.why += " (" + error.code + ")";
  refused_.push_back({offer.log, offer.graph, error});
  return error;
}

Result<std::optional<HeldLaunches::Found>> HeldLaunches::find(const Connection& connection,
                                                              const replay::Offer& offer) {
  const auto leave = [&](uint64_t ask_again) {
    connection.go_on(ask_again);
    return std::optional<Found>();
  };
  const bool done = std::any_of(graphs_.begin(), graphs_.end(), [&](const Graph& graph) {
    return graph.log == offer.log && graph.recorded == offer.graph;
  });
  if (done) return leave(0);
  BOHR_TRY(checked, check_log(offer.log, check_));
  Program& program = checked.program;
  const OpId launch = last_launch(program, offer.exec);
  const GraphId graph = recorded_graph(program, offer.graph);
  if (!launch.valid() || !graph.valid()) return leave(offer.launch + 1);
  // A launch is no record before it returned. The one before stands for it, which may have run
  // another version of the graph.
  Op& stand_in = program.ops[launch.index()];
  stand_in.graph = graph, stand_in.unknown = false;
  std::string name = graph_name(program, graph);
  const int64_t pairs = open_pairs(checked.verdict, graph);
  std::vector<Watch> watched;
  if (!watch_.empty())
    watched = watch_.in(program, steps_of(one_launch(program, launch)), Blocks::live_now);
  const bool nothing = pairs == 0 && watched.empty();
  if (options_.graphs.empty() ? nothing : !is_named(options_, name)) return leave(0);
  return std::optional<Found>(
      Found{std::move(checked), launch, std::move(name), pairs, std::move(watched)});
}

Status HeldLaunches::explore(Connection connection, const replay::Offer& offer, Found found,
                             const Stop& stop) {
  const Program& whole = found.checked.program;
  const uint64_t work =
      work_key(whole.graphs[whole.ops[found.launch.index()].graph.index()], whole);
  if (lost_orders_.unlearned.contains(work)) {
    connection.go_on(0);
    return Error{"process-lost", offer.log, "",
                 "to watch its steps for what they write ended the program before",
                 "explore another graph (--graph)"};
  }
  Program one = one_launch(whole, found.launch);
  BOHR_TRY(answer, answer_for(one, found.launch, check_.strict_threads));
  answer.longest_ms = static_cast<uint64_t>(options_.watchdog.count());
  if (options_.max_pause.count() > 0)
    answer.slice_ms = static_cast<uint64_t>(std::max<int64_t>(options_.max_pause.count() / 2, 1));
  for (const Watch& watch : found.watched)
    for (const NamedBytes& piece : watch.pieces) answer.plan.watched.push_back(piece.range);
  if (connection.has_ended()) return Nothing{};  // it went on, and offers a later launch
  say_(fmt::format("{}, launch {}: held; {} to decide in {}", found.name, offer.launch,
                   report::count(found.pairs, "pair"),
                   report::count(static_cast<int64_t>(answer.nodes.size()), "step")));
  BOHR_TRY_STATUS(connection.explore(answer));
  replay::Holds holds;
  const pid_t guest = connection.peer();
  const auto reconnect = [&](milliseconds rest) { return wait_for(offer, guest, rest, stop); };
  const auto note_run = [&](const replay::Request* request) {
    request == nullptr ? journal_.end() : journal_.begin(found.name, *request);
  };
  auto replayer = replay::remote_replayer(std::move(one), std::move(connection).take(),
                                          {stop, options_.max_pause, reconnect, note_run}, &holds);
  explore::Options options = options_.explore;
  options.lost = lost_orders_.orders[work];
  options.watched = std::move(found.watched);
  if (found.pairs == 0 && options_.graphs.empty()) options.random_orders = 0;  // nothing to decide
  const auto once = replay::learned_once(*replayer);
  auto explored = explore_on(*once, std::move(found.checked), check_, options);
  std::optional<TriedRepairs> tried;
  if (options_.fix && explored.ok()) {
    auto repaired = repair(*once, explored.value(), found.launch, found.name);
    if (repaired.ok())
      tried = std::move(repaired).value();
    else
      say_(found.name + ": repairs were not tried: " + to_string(repaired.error()));
  }
  Status released = replayer->release();
  replayer.reset();
  if (!explored.ok()) {
    if (explored.error().code == "process-lost") {
      lost_orders_.unlearned.insert(work);
      lost_ = guest;
    }
    return by_name(explored.error(), options.watched);
  }
  Exploration& exploration = *explored.value().exploration;
  note_loss(work, exploration.reasons, guest);
  using Seconds = std::chrono::duration<double>;
  say_(fmt::format("{}: {} proved; {}, held {}, {:.2f} s in all, longest {:.2f} s", found.name,
                   report::count(static_cast<int64_t>(exploration.witnesses.size()), "race"),
                   report::count(exploration.replays, "replay"),
                   holds.count == 1 ? "once" : std::to_string(holds.count) + " times",
                   Seconds(holds.all).count(), Seconds(holds.longest).count()));
  for (const std::string& line : report::canary_lines(exploration))
    say_(found.name + ": WATCHED: " + line);
  const LostProcess& lost = exploration.lost;
  exploration.held.count = holds.count;
  exploration.held.restarts = restarts_;
  exploration.held.own_device_bytes = holds.memory.device;
  exploration.held.own_host_bytes = holds.memory.host;
  exploration.held.restored = released.ok() && (lost.reason.empty() || lost.earlier) && lost_ == 0;
  exploration.held.longest_ns = holds.longest.count();
  exploration.held.all_ns = holds.all.count();
  graphs_.push_back({offer.log, offer.graph, std::move(explored.value().checked.verdict),
                     std::move(exploration), std::move(tried)});
  return released;
}

Result<std::optional<TriedRepairs>> HeldLaunches::repair(replay::Replayer& replayer,
                                                         const Explored& explored, OpId launch,
                                                         const std::string& name) const {
  const Exploration& exploration = *explored.exploration;
  if (exploration.witnesses.empty() || !exploration.lost.reason.empty())
    return std::optional<TriedRepairs>();
  const Program one = one_launch(explored.checked.program, launch);
  explore::Options options = options_.explore;
  options.whole_too = false;
  BOHR_TRY(tried, try_repairs(replayer, one, one.ops[launch.index()].graph, exploration, options,
                              check_options(check_, explored)));
  tried.name = name;
  const auto good = std::count_if(tried.repairs.begin(), tried.repairs.end(),
                                  [](const Tried& each) { return each.repair.verified; });
  say_(fmt::format("{}: {} of {} held when tried", name, good,
                   report::count(static_cast<int64_t>(tried.repairs.size()), "repair")));
  return std::optional<TriedRepairs>(std::move(tried));
}

void HeldLaunches::note_loss(uint64_t work, const std::vector<std::string>& reasons,
                             pid_t process) {
  for (const char* reason : {"process-lost", "watchdog", "remote-lost"}) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) continue;
    if (!journal_.under_way()) return;
    explore::LostOrder order = *journal_.under_way();
    order.reason = reason;
    lost_orders_.orders[work].push_back(std::move(order));
    lost_ = process;
    return;
  }
}

Result<int> HeldLaunches::wait_for(const replay::Offer& paused, pid_t guest, milliseconds rest,
                                   const Stop& stop) const {
  constexpr milliseconds kTurn{50};
  constexpr milliseconds kOthers{200};  // until another graph is offered again
  constexpr milliseconds kMost{60000};  // a guest that makes no launch for so long has other plans
  const auto rested = steady_clock::now() + rest;
  for (auto last = steady_clock::now();
       steady_clock::now() - last < kMost && !stop() && !has_ended(guest);) {
    auto offered = offers_->next(kTurn);
    if (!offered || !offered->offer.ok()) continue;
    Connection* connection = &offered->connection;
    const Result<replay::Offer>& offer = offered->offer;
    last = steady_clock::now();
    const bool same = offer.value().log == paused.log && offer.value().exec == paused.exec;
    if (same && !offer.value().paused) {
      connection->go_on(0);
      return Error{"memory-changed", paused.log, "", "the program changed its graph meanwhile",
                   "a longer --max-pause holds it in one piece"};
    }
    const auto left = std::chrono::ceil<milliseconds>(rested - last);
    if (!same || left.count() > 0) {
      connection->go_on(offer.value().launch + 1, std::max(left, same ? milliseconds(0) : kOthers));
      continue;
    }
    replay::Answer answer;
    answer.explore = true;
    const Status begun = connection->explore(answer);
    if (!begun.ok() && begun.error().code == "remote-lost") continue;  // it waited no longer
    if (!begun.ok()) return begun.error();
    return std::move(*connection).take();
  }
  return Error{"remote-lost", paused.log, "", "it made no further launch of this graph",
               "a longer --max-pause holds it in one piece"};
}

namespace {

// Graphs keep their numbers from one reading to the next, since a log only grows; ops may not. The
// steps of one launch, named by a launch of the same graph in another reading of the log.
void move_to(OpId launch, Exploration* exploration) {
  const auto move = [launch](std::vector<Step>* steps) {
    for (Step& step : *steps) step.op = launch;
  };
  for (Witness& witness : exploration->witnesses) {
    move(&witness.right), move(&witness.wrong);
    witness.first.step.op = witness.second.step.op = witness.damaged.step.op = launch;
  }
  move(&exploration->lost.order);
  exploration->lost.early.step.op = exploration->lost.late.step.op = launch;
  for (ObservedWrite& write : exploration->observed) write.step.op = launch;
  for (Watched& watched : exploration->watched) {
    for (StepName& writer : watched.expected) writer.step.op = launch;
    for (Canary& canary : watched.canaries) canary.step.step.op = launch;
  }
}

OpId launch_of(const Program& program, uint32_t recorded_graph) {
  for (size_t i = program.ops.size(); i > 0; --i) {
    const Op& op = program.ops[i - 1];
    if (op.kind == OpKind::launch && op.graph.valid() &&
        program.graphs[op.graph.index()].recorded == recorded_graph)
      return OpId(i - 1);
  }
  return OpId();
}

}  // namespace

Result<Explored> HeldLaunches::attach_to(Checked checked) const {
  CheckOptions again = check_;
  std::vector<Graph> own;
  Program seen = checked.program;
  for (const Graph& graph : graphs_) {
    if (fs::path(graph.log).stem() != checked.stem) continue;
    const OpId launch = launch_of(seen, graph.recorded);
    if (!launch.valid()) continue;
    own.push_back(graph);
    Exploration& exploration = own.back().exploration;
    move_to(launch, &exploration);
    again.settled.insert(again.settled.end(), exploration.settled.begin(),
                         exploration.settled.end());
    if (exploration.observed_contents >= 2) {
      const Program one = one_launch(checked.program, launch);
      BOHR_TRY(varied, explore::racy_ranges(one, check_.strict_threads));
      seen = explore::with_observed(std::move(seen), steps_of(one), exploration.observed, varied);
    }
  }
  if (own.empty()) {
    for (const Refused& refused : refused_)
      if (fs::path(refused.log).stem() == checked.stem)
        return Explored{std::move(checked), std::nullopt, refused.error, 0};
    const Error none{"explore-nothing", checked.name, "", "no launch of a graph was explored",
                     "only pairs inside one graph that is launched at least " +
                         std::to_string(options_.launch) + " times can be (--launch)"};
    return Explored{std::move(checked), std::nullopt, none, 0};
  }
  const std::string stem = checked.stem;
  const uint64_t digest = digest_of(checked.program);
  BOHR_TRY(after, check_program(std::move(seen), checked.name, again));
  after.stem = stem;
  Exploration all;
  std::vector<TriedRepairs> tried;
  for (Graph& graph : own) {
    if (graph.tried) tried.push_back(std::move(*graph.tried));
    explore::rebind(after.program, graph.verdict, after.verdict, &graph.exploration);
    explore::merge(std::move(graph.exploration), &all);
  }
  explore::note_outside(after.verdict, &all);
  return Explored{std::move(after), std::move(all), std::nullopt, digest, false, std::move(tried)};
}

bool HeldLaunches::told_all_watched() const {
  std::vector<std::string> watched;
  for (const Graph& graph : graphs_)
    for (const Watched& one : graph.exploration.watched) watched.push_back(one.watch.text);
  const std::vector<Error> unmet = watch_.unmet();
  for (const Error& error : unmet) say_(to_string(error));
  const std::vector<std::string> missing = watch_.missing_in(watched);
  for (const std::string& text : missing)
    say_("--watch: " + text + ": no launch was held in which it could be watched");
  return unmet.empty() && missing.empty();
}

Result<std::vector<Explored>> HeldLaunches::attach(std::vector<Checked> checked) const {
  const bool all_watched = told_all_watched();
  std::vector<Explored> explored;
  for (Checked& one : checked) {
    BOHR_TRY(attached, attach_to(std::move(one)));
    attached.unwatched = !all_watched;
    explored.push_back(std::move(attached));
  }
  return explored;
}

}  // namespace bohr::app

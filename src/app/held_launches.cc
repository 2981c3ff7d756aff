// SPDX-License-Identifier: Apache-2.0
// One offer at a time; others wait in the socket's queue, and their guests with them.
#include "app/held_launches.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "agent/environment.h"
#include "app/run_dir.h"
#include "explore/footprints.h"
#include "explore/merge.h"
#include "explore/settle.h"
#include "model/one_launch.h"
#include "replay/remote/replayer.h"
#include "replay/service.h"
#include "report/words.h"

namespace bohr::app {

namespace fs = std::filesystem;

struct HeldLaunches::Graph {
  std::string log;
  uint32_t recorded = 0;  // the recorder's number of the graph
  Verdict verdict;        // that the exploration refers to
  Exploration exploration;
};

namespace {

Error socket_error(const std::string& path) {
  return {"explore-socket", path, "", std::string("cannot listen there: ") + std::strerror(errno),
          "choose a folder with a shorter path with -o"};
}

bool is_ours(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

bool lies_in(const Finding& finding, GraphId graph) {
  return finding.first.graph == graph && finding.second.graph == graph;
}

// Pairs inside the graph that orders of one launch can decide.
int64_t open_pairs(const Verdict& verdict, GraphId graph) {
  const auto inside = [&](const Finding& finding) { return lies_in(finding, graph); };
  return std::count_if(verdict.findings.begin(), verdict.findings.end(), inside) +
         std::count_if(verdict.candidates.begin(), verdict.candidates.end(), inside);
}

// After an answer that wants replays: whether they can be had. The socket is closed where not.
Status agreed(int socket) {
  const auto reply = replay::receive(socket);
  if (reply.ok() && reply.value().kind == static_cast<uint8_t>(replay::Reply::done))
    return Nothing{};
  close(socket);
  if (!reply.ok()) return reply.error();
  replay::BodyReader body(reply.value().body);
  return replay::get_error(&body);
}

void go_on(int socket, uint64_t ask_again, int64_t rest_ms = 0) {
  replay::Answer answer;
  answer.ask_again = ask_again;
  answer.rest_ms = static_cast<uint64_t>(rest_ms);
  static_cast<void>(replay::send(socket, {0, replay::body_of(answer)}));
}

// What unordered steps may race for. Values that a launch writes again each time do not show as
// changes, so these bytes are to be looked at with other contents, too.
Result<std::vector<ByteRange>> racy_ranges(const Program& program, bool strict_threads) {
  BOHR_TRY(order, order::step_order(program, strict_threads));
  BOHR_TRY(uses, explore::Footprints::of(program, order));
  std::vector<ByteRange> ranges;
  for (const int32_t cell : uses.racy_cells()) ranges.push_back(uses.range(cell));
  return ranges;
}

std::string graph_name(const Program& program, GraphId graph) {
  const bohr::Graph& one = program.graphs[graph.index()];
  return one.name.empty() ? "graph " + std::to_string(one.recorded) : one.name;
}

}  // namespace

Result<std::unique_ptr<HeldLaunches>> HeldLaunches::listen(
    const std::string& dir, const HoldOptions& options, const CheckOptions& check,
    std::function<void(const std::string&)> say) {
  const std::string path = dir + "/explore.sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return socket_error(path);
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return socket_error(path);
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || ::listen(socket, SOMAXCONN) != 0) {
    const Error error = socket_error(path);
    close(socket);
    return error;
  }
  return std::unique_ptr<HeldLaunches>(
      new HeldLaunches(path, socket, options, check, std::move(say)));
}

HeldLaunches::HeldLaunches(std::string path, int socket, const HoldOptions& options,
                           const CheckOptions& check, std::function<void(const std::string&)> say)
    : path_(std::move(path)),
      socket_(socket),
      options_(options),
      check_(check),
      say_(std::move(say)) {}

HeldLaunches::~HeldLaunches() {
  close(socket_);
  unlink(path_.c_str());
}

std::map<std::string, std::string> HeldLaunches::variables() const {
  return {{agent::kExploreVariable, path_},
          {agent::kExploreLaunchVariable, std::to_string(options_.launch)}};
}

namespace {

// The offer of a fresh connection; the connection is closed where there is none.
Result<replay::Offer> read_offer(int socket) {
  const auto message = replay::receive(socket);
  auto offer = message.ok() ? replay::offer_of(message.value().body)
                            : Result<replay::Offer>(message.error());
  if (offer.ok() && is_ours(socket)) return offer;
  close(socket);
  if (!offer.ok()) return offer;
  return Error{"remote-message", "the socket of this run", "", "another user connected to it", ""};
}

}  // namespace

void HeldLaunches::turn(const std::function<bool()>& stop) {
  for (;;) {
    const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    take(socket, stop);
  }
}

void HeldLaunches::take(int socket, const std::function<bool()>& stop) {
  const auto offer = read_offer(socket);
  if (!offer.ok()) return;
  if (offer.value().version != BOHR_VERSION) {
    say_(fmt::format("the agent is of version {}, this is {}: nothing is explored",
                     offer.value().version, BOHR_VERSION));
    go_on(socket, 0);
    close(socket);
    return;
  }
  const Status explored = explore(socket, offer.value(), stop);
  if (!explored.ok()) say_(to_string(explored.error()));
}

Result<int> HeldLaunches::wait_for(const replay::Offer& paused, std::chrono::milliseconds rest,
                                   const std::function<bool()>& stop) {
  constexpr int kTurn = 50;            // milliseconds between two looks
  constexpr int kMostTurns = 20 * 60;  // a guest that launches nothing for so long has other plans
  const auto rested = std::chrono::steady_clock::now() + rest;
  for (int turn = 0; turn < kMostTurns && !stop(); ++turn) {
    pollfd waiting{socket_, POLLIN, 0};
    if (poll(&waiting, 1, kTurn) <= 0) continue;
    const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const auto offer = read_offer(socket);
    if (!offer.ok()) continue;
    turn = 0;
    const bool same = offer.value().log == paused.log && offer.value().exec == paused.exec;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(rested - std::chrono::steady_clock::now());
    if (!same || !offer.value().paused || left.count() > 0) {
      go_on(socket, offer.value().launch + 1, same ? std::max<int64_t>(left.count(), 0) : 0);
      close(socket);
      continue;
    }
    replay::Answer answer;
    answer.explore = true;
    BOHR_TRY_STATUS(replay::send(socket, {0, replay::body_of(answer)}));
    BOHR_TRY_STATUS(agreed(socket));
    return socket;
  }
  return Error{"remote-lost", paused.log, "", "it made no further launch of this graph",
               "a longer --max-pause holds it in one piece"};
}

// Owns the socket: the replayer closes it, which lets the guest go.
Status HeldLaunches::explore(int socket, const replay::Offer& offer,
                             const std::function<bool()>& stop) {
  const auto leave = [&](uint64_t ask_again) {
    go_on(socket, ask_again);
    close(socket);
  };
  const bool done = std::any_of(graphs_.begin(), graphs_.end(), [&](const Graph& graph) {
    return graph.log == offer.log && graph.recorded == offer.graph;
  });
  if (done || stop()) return leave(0), Nothing{};
  auto checked = check_log(offer.log, check_);
  if (!checked.ok()) return leave(0), checked.error();
  const Program& program = checked.value().program;
  const OpId launch = last_launch(program, offer.exec);
  // The first launch of an exec is no record before it returned.
  if (!launch.valid()) return leave(offer.launch + 1), Nothing{};
  const GraphId graph = program.ops[launch.index()].graph;
  if (program.graphs[graph.index()].recorded != offer.graph)
    return leave(offer.launch + 1), Nothing{};
  const std::string name = graph_name(program, graph);
  const int64_t pairs = open_pairs(checked.value().verdict, graph);
  const bool wanted = options_.graphs.empty()
                          ? pairs > 0
                          : std::find(options_.graphs.begin(), options_.graphs.end(), name) !=
                                options_.graphs.end();
  if (!wanted) return leave(0), Nothing{};

  Program one = one_launch(program, launch);
  replay::Answer answer;
  answer.explore = true;
  const std::vector<Step> steps = steps_of(one);
  answer.plan = replay::plan_of(one, steps);
  BOHR_TRY(raced_for, racy_ranges(one, check_.strict_threads));
  answer.plan.blank.insert(answer.plan.blank.end(), raced_for.begin(), raced_for.end());
  answer.plan.blank = merged(std::move(answer.plan.blank));
  for (const Step& step : steps)
    answer.nodes.push_back(program.graphs[graph.index()].recorded_nodes[step.node.index()]);
  say_(fmt::format("{}, launch {}: held; {} to decide in {}", name, offer.launch,
                   report::count(pairs, "pair"),
                   report::count(static_cast<int64_t>(steps.size()), "step")));
  BOHR_TRY_STATUS(replay::send(socket, {0, replay::body_of(answer)}));
  BOHR_TRY_STATUS(agreed(socket));
  replay::Holds holds;
  const auto reconnect = [&](std::chrono::milliseconds rest) {
    return wait_for(offer, rest, stop);
  };
  auto replayer = replay::remote_replayer(std::move(one), socket,
                                          {stop, options_.max_pause, reconnect}, &holds);
  auto explored = explore_on(*replayer, std::move(checked).value(), check_, options_.explore);
  Status released = replayer->release();
  replayer.reset();
  if (!explored.ok()) return explored.error();
  Exploration& exploration = *explored.value().exploration;
  using Seconds = std::chrono::duration<double>;
  say_(fmt::format("{}: {} proved; {}, held {}, {:.2f} s in all, longest {:.2f} s", name,
                   report::count(static_cast<int64_t>(exploration.witnesses.size()), "race"),
                   report::count(exploration.replays, "replay"),
                   holds.count == 1 ? "once" : std::to_string(holds.count) + " times",
                   Seconds(holds.all).count(), Seconds(holds.longest).count()));
  graphs_.push_back({offer.log, offer.graph, std::move(explored.value().checked.verdict),
                     std::move(exploration)});
  return released;
}

namespace {

// The steps of one launch, named by a launch of the same graph in another reading of the log.
void move_to(OpId launch, Exploration* exploration) {
  const auto move = [launch](std::vector<Step>* steps) {
    for (Step& step : *steps) step.op = launch;
  };
  for (Witness& witness : exploration->witnesses) {
    move(&witness.right), move(&witness.wrong);
    witness.first.step.op = witness.second.step.op = witness.damaged.step.op = launch;
  }
  for (ObservedWrite& write : exploration->observed) write.step.op = launch;
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
      const std::vector<Step> watched = steps_of(one_launch(seen, launch));
      seen = explore::with_observed(std::move(seen), watched, exploration.observed);
    }
  }
  if (own.empty()) {
    const Error none{"explore-nothing", checked.name, "", "no launch of a graph was explored",
                     "only pairs inside one graph that is launched at least " +
                         std::to_string(options_.launch) + " times can be (--launch)"};
    return Explored{std::move(checked), std::nullopt, none, 0};
  }
  const std::string stem = checked.stem;
  BOHR_TRY(after, check_program(std::move(seen), checked.name, again));
  after.stem = stem;
  Exploration all;
  for (Graph& graph : own) {
    explore::rebind(after.program, graph.verdict, after.verdict, &graph.exploration);
    explore::merge(std::move(graph.exploration), &all);
  }
  explore::note_outside(after.verdict, &all);
  return Explored{std::move(after), std::move(all), std::nullopt, 0};
}

Result<std::vector<Explored>> HeldLaunches::attach(std::vector<Checked> checked) const {
  std::vector<Explored> explored;
  for (Checked& one : checked) {
    BOHR_TRY(attached, attach_to(std::move(one)));
    explored.push_back(std::move(attached));
  }
  return explored;
}

}  // namespace bohr::app

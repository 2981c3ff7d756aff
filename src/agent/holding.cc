// SPDX-License-Identifier: Apache-2.0
// Every wait has an end: a launch that cannot be held alone is made as if nothing had been asked.
#include "agent/holding.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "agent/attach.h"
#include "agent/calls.h"
#include "agent/environment.h"
#include "replay/cuda/replayer.h"
#include "replay/hold.h"
#include "replay/service.h"

namespace bohr::agent {
namespace {

constexpr int kMostAnswer = 60000;  // milliseconds for bohr to look at a long log
constexpr std::chrono::seconds kAfterFailure{
    5};                           // until a hold that was not to be had is tried again
constexpr int kMostWaits = 2000;  // milliseconds for other threads to leave their calls

// Set on the thread that serves replays: its own calls must not wait for itself.
thread_local bool serves_here = false;

bool waits(const Api& api) {
  return !std::strstr(api.name, "Query") && !std::strstr(api.name, "Synchronize");
}

// Calls of this thread that are under way, the launch among them.
thread_local int own_inside = 0;

// What the page says, where it says something new. The caller holds the recorder's mutex.
void read_page(Holding& holding) {
  if (!holding.page) return;
  const uint64_t turn = holding.page->turn.load(std::memory_order_acquire);
  if (turn == holding.turn) return;
  holding.turn = turn;
  holding.socket = socket_in(*holding.page);
  holding.next_launch = holding.page->launch;
  holding.open.store(!holding.socket.empty());
}

// A graph that was there before is asked for anew.
void ask_anew(const Holding& holding, ExecHold* state) {
  if (state->turn == holding.turn) return;
  state->turn = holding.turn;
  state->ask_at = state->launches + holding.next_launch - 1;
  state->not_before = {};
}

// The socket lies in a folder of the user's, and the peer must be of the same user.
int connect_to(const std::string& path) {
  sockaddr_un address;
  std::memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  ucred peer;
  socklen_t size = sizeof peer;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid())
    return fd;
  close(fd);
  return -1;
}

void drop_hold(Holding& holding) {
  {
    std::lock_guard lock(holding.mutex);
    holding.held.store(false);
  }
  holding.released.notify_all();
}

// Takes the right to be the only one who submits. False: it was not to be had in time, or a stream
// captures.
bool take_hold(Recorder& r) {
  Holding& holding = *r.holding;
  {
    std::lock_guard lock(holding.mutex);
    if (holding.held.exchange(true)) return false;
  }
  for (int turn = 0; holding.inside.load() > own_inside && turn < kMostWaits; ++turn) usleep(1000);
  if (holding.inside.load() == own_inside && r.captures_active.load() == 0) return true;
  drop_hold(holding);
  return false;
}

replay::Message refusal(const Error& error) {
  replay::BodyWriter body;
  replay::put_error(&body, error);
  return {static_cast<uint8_t>(replay::Reply::refused), body.take()};
}

Result<std::unique_ptr<replay::Replayer>> replayer_of(Recorder& r, const ExecHold& hold,
                                                      CUgraphExec exec, replay::Answer answer) {
  if (hold.changed) {
    return Error{
        "exec-changed", "the graph", "",
        "it was changed after it was instantiated, in a way that is not followed",
        "explore a graph that is updated whole, or whose kernels, copies and sets alone are"
        " changed"};
  }
  const auto is_shared = [&r](const ByteRange& range) {
    return shared_memory_in(r, range.begin, range.end) != 0;
  };
  for (const replay::PlanStep& step : answer.plan.steps) {
    if (std::none_of(step.named.begin(), step.named.end(), is_shared)) continue;
    return Error{"peer-communication", "the graph", "",
                 "it uses memory that another process may write meanwhile",
                 "explore a graph that uses memory of its own process alone"};
  }
  for (const ByteRange& range : answer.plan.watched) {
    if (!is_shared(range)) continue;
    return Error{"peer-communication", "the graph", address_text(range),
                 "another process may write this memory meanwhile",
                 "watch memory of its own process alone"};
  }
  replay::cuda::Launch launch;
  launch.program = replay::bare_program(answer.plan.steps.size());
  launch.plan = std::move(answer.plan);
  launch.work = hold.work;
  launch.nodes = std::move(answer.nodes);
  launch.exec = exec;
  launch.flags = hold.flags;
  launch.slice = std::chrono::milliseconds(answer.slice_ms);
  launch.longest = std::chrono::milliseconds(answer.longest_ms);
  return replay::cuda::cuda_replayer(r.holding->driver, std::move(launch));
}

// A replayer for what bohr wants of this launch: the one of the paused search, or a new one. Null
// when bohr wants nothing. `hold` then says when to ask again.
Result<std::shared_ptr<replay::Replayer>> agree(Recorder& r, uint32_t number, CUgraphExec exec,
                                                int socket, ExecHold* hold) {
  const replay::Offer offer{BOHR_VERSION,
                            r.holding->log,
                            number,
                            hold->graph,
                            hold->launches,
                            hold->work->nodes.size(),
                            hold->paused != nullptr};
  hold->ask_at = 0;
  BOHR_TRY_STATUS(replay::send(socket, {0, replay::body_of(offer)}));
  // Whoever explores another guest meanwhile answers late; this one does not wait for that.
  pollfd answered{socket, POLLIN, 0};
  if (poll(&answered, 1, hold->answer_ms) <= 0) {
    hold->ask_at = hold->launches + 1;
    hold->not_before =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(hold->answer_ms);
    hold->answer_ms = std::min(2 * hold->answer_ms, kMostAnswer);
    return std::shared_ptr<replay::Replayer>();
  }
  BOHR_TRY(message, replay::receive(socket));
  BOHR_TRY(answer, replay::answer_of(message.body));
  hold->ask_at = answer.ask_again;
  hold->not_before = std::chrono::steady_clock::now() + std::chrono::milliseconds(answer.rest_ms);
  if (!answer.explore) return std::shared_ptr<replay::Replayer>();
  if (!hold->paused) {
    BOHR_TRY(replayer, replayer_of(r, *hold, exec, std::move(answer)));
    return std::shared_ptr<replay::Replayer>(std::move(replayer));
  }
  BOHR_TRY_STATUS(hold->paused->resume());
  return hold->paused;
}

Status serve_launch(Recorder& r, uint32_t number, CUgraphExec exec, int socket, ExecHold* hold) {
  auto replayer = agree(r, number, exec, socket, hold);
  if (!replayer.ok()) {
    hold->paused = nullptr;
    return replay::send(socket, refusal(replayer.error()));
  }
  if (!replayer.value()) return Nothing{};
  hold->paused = nullptr;
  BOHR_TRY_STATUS(replay::send(socket, {static_cast<uint8_t>(replay::Reply::done), {}}));
  BOHR_TRY(served, replay::serve(socket, *replayer.value()));
  if (served == replay::Served::paused) {
    hold->paused = std::move(replayer).value();
    hold->ask_at = hold->launches + 1;
  }
  return Nothing{};
}

// With the hold taken: when everything that was submitted is done.
void hold_launch(Recorder& r, uint32_t number, CUgraphExec exec, ExecHold* hold) {
  Holding& holding = *r.holding;
  CUcontext context = nullptr;
  hold->ask_at = 0;
  if (holding.driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS || !context) return;
  if (holding.driver.cuCtxSynchronize() != CUDA_SUCCESS) return;
  std::string path;
  {
    std::lock_guard lock(r.mutex);
    path = holding.socket;
  }
  const int socket = connect_to(path);
  if (socket < 0) {
    holding.open.store(false);
    hold->paused = nullptr;
    diagnose(r, "explore-unavailable", "nobody listens at " + path);
    return;
  }
  const Status served = serve_launch(r, number, exec, socket, hold);
  if (!served.ok() && served.error().code != "remote-lost")
    diagnose(r, "explore-failed", to_string(served.error()));
  close(socket);
}

// What a hold changed, unless the exec is gone. `hold` ends without the lock.
void keep(Recorder& r, CUgraphExec exec, ExecHold hold) {
  std::lock_guard lock(r.mutex);
  const auto found = r.graphs.execs.find(exec);
  if (found == r.graphs.execs.end()) return;
  ExecHold& state = found->second.hold;
  state.ask_at = hold.ask_at;
  state.not_before = hold.not_before;
  state.answer_ms = hold.answer_ms;
  state.paused.swap(hold.paused);
}

}  // namespace

std::unique_ptr<Holding> make_holding(const std::string& stem) {
  auto holding = std::make_unique<Holding>();
  std::string missing;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver || !replay::cuda::load(driver, &holding->driver, &missing)) return nullptr;
  holding->log = stem + kLogSuffix;
  holding->page = make_attach_page(stem + kAttachSuffix);
  if (const char* socket = std::getenv(kExploreVariable)) holding->socket = socket;
  if (const char* launch = std::getenv(kExploreLaunchVariable))
    holding->first_launch = std::strtoull(launch, nullptr, 10);
  holding->open.store(!holding->socket.empty());
  return holding;
}

bool is_open(const Recorder& r) {
  return r.holding && r.holding->open.load(std::memory_order_relaxed);
}

// Who counts first and then looks, and who holds first and then counts, cannot miss each other.
void enter_call(Recorder& r, const Api& api) {
  if (!r.holding || serves_here || !waits(api)) return;
  Holding& holding = *r.holding;
  ++own_inside;
  for (;;) {
    holding.inside.fetch_add(1);
    if (!holding.held.load()) return;
    holding.inside.fetch_sub(1);
    std::unique_lock lock(holding.mutex);
    holding.released.wait(lock, [&] { return !holding.held.load(); });
  }
}

void leave_call(Recorder& r, const Api& api) {
  if (!r.holding || serves_here || !waits(api)) return;
  r.holding->inside.fetch_sub(1);
  --own_inside;
}

void offer_launch(Recorder& r, CUgraphExec exec, bool described) {
  if (!r.holding) return;
  ExecHold hold;
  uint32_t number = 0;
  {
    std::lock_guard lock(r.mutex);
    const auto found = r.graphs.execs.find(exec);
    if (found == r.graphs.execs.end()) return;
    ExecHold& state = found->second.hold;
    ++state.launches;
    read_page(*r.holding);
    if (!r.holding->open.load(std::memory_order_relaxed)) return;
    ask_anew(*r.holding, &state);
    if (!state.work || state.ask_at == 0 || state.launches < state.ask_at || !described) return;
    if (std::chrono::steady_clock::now() < state.not_before) return;
    hold = state;
    hold.work = work_with(found->second.nodes, state.work);
    number = found->second.number;
  }
  if (!take_hold(r)) {
    hold.not_before = std::chrono::steady_clock::now() + kAfterFailure;
    keep(r, exec, std::move(hold));
    return;
  }
  serves_here = true;
  hold_launch(r, number, exec, &hold);
  serves_here = false;
  drop_hold(*r.holding);
  keep(r, exec, std::move(hold));
}

void drop_paused(Recorder& r, CUgraphExec exec) {
  std::shared_ptr<replay::Replayer> paused;  // ends without the lock: it calls the driver
  std::lock_guard lock(r.mutex);
  const auto found = r.graphs.execs.find(exec);
  if (found != r.graphs.execs.end()) paused = std::move(found->second.hold.paused);
}

std::shared_ptr<const replay::cuda::GraphWork> work_of(Recorder& r, CUgraph graph) {
  if (!r.holding) return nullptr;
  return std::make_shared<const replay::cuda::GraphWork>(
      replay::cuda::read_graph(r.holding->driver, graph));
}

}  // namespace bohr::agent

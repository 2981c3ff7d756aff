// SPDX-License-Identifier: Apache-2.0
// posix_spawn tells at once when there is no such program. The signals are blocked here and fetched
// by a thread (no handler, no global state); the guest gets back the mask that we were started
// with.
#include "app/guest.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "app/variables.h"

namespace bohr::app {

namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

bool ends_programs(int signal) { return signal != SIGUSR1 && signal != SIGUSR2; }

sigset_t passed_on_set() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : kPassedOn) sigaddset(&set, signal);
  return set;
}

int spawn(std::vector<std::string> command, const std::map<std::string, std::string>& variables,
          const sigset_t& mask, pid_t* pid) {
  std::vector<std::string> environment = environment_with(variables);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int code = posix_spawnp(pid, command.front().c_str(), nullptr, &attributes,
                                pointers_to(&command).data(), pointers_to(&environment).data());
  posix_spawnattr_destroy(&attributes);
  return code;
}

// A terminal sends to its whole foreground group; a guest of another group is not in it.
bool has_it_already(const siginfo_t& info, pid_t guest) {
  return info.si_code == SI_KERNEL && getpgid(guest) == getpgrp();
}

}  // namespace

struct Guest::State {
  pid_t pid = -1;
  sigset_t mask_before{};
  std::atomic<int> last_ending{0};
  std::atomic<bool> ended{false};
  std::thread forwarder;

  void forward();
  void release();
};

void Guest::State::forward() {
  const sigset_t set = passed_on_set();
  const timespec patience{0, 100'000'000};
  while (!ended) {
    siginfo_t info{};
    const int signal = sigtimedwait(&set, &info, &patience);
    if (signal < 0 || ended) continue;
    if (ends_programs(signal)) last_ending = signal;
    if (!has_it_already(info, pid)) kill(pid, signal);
  }
}

void Guest::State::release() {
  if (!forwarder.joinable()) return;
  ended = true;
  forwarder.join();
  pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
}

Guest::Guest(std::unique_ptr<State> state) : state_(std::move(state)) {}
Guest::~Guest() { state_->release(); }
pid_t Guest::pid() const { return state_->pid; }
bool Guest::ending() const { return state_->last_ending != 0; }

Result<std::unique_ptr<Guest>> Guest::start(const std::vector<std::string>& command,
                                            const std::map<std::string, std::string>& variables) {
  auto state = std::make_unique<State>();
  const sigset_t set = passed_on_set();
  pthread_sigmask(SIG_BLOCK, &set, &state->mask_before);
  const int code = spawn(command, variables, state->mask_before, &state->pid);
  if (code != 0) {
    pthread_sigmask(SIG_SETMASK, &state->mask_before, nullptr);
    return Error{"guest-start", "cannot start", command.front(), std::strerror(code),
                 "name a program after --, with its path if it is not in PATH"};
  }
  // From here on a reader of our output that goes away must not take the guest's watcher with it.
  std::signal(SIGPIPE, SIG_IGN);
  State* raw = state.get();
  state->forwarder = std::thread([raw] { raw->forward(); });
  return std::unique_ptr<Guest>(new Guest(std::move(state)));
}

std::optional<GuestEnd> Guest::wait(int milliseconds) {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    int status = 0;
    if (waitpid(state_->pid, &status, WNOHANG) == state_->pid) {
      state_->release();
      GuestEnd end;
      end.passed_on = state_->last_ending;
      if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
      if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
      return end;
    }
    if (steady_clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

bool failed_by_itself(const GuestEnd& end) {
  return end.passed_on == 0 && (end.code != 0 || end.signal != 0);
}

int shell_code(const GuestEnd& end) { return end.signal != 0 ? 128 + end.signal : end.code; }

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Asks the terminal for its width; NO_COLOR and TERM=dumb turn colour off.
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

namespace bohr::cli {

namespace {

constexpr int kNarrowest = 40;
constexpr int kWidest = 110;

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

report::Style output_style() {
  report::Style style;
  if (!output_is_terminal()) return style;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = std::clamp<int>(size.ws_col, kNarrowest, kWidest);
  }
  style.colour = colour_wanted();
  return style;
}

bool print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return true;
  say(std::string("cannot write to standard output: ") + std::strerror(errno));
  return false;
}

void say(std::string_view line) {
  const std::string text = "bohr: " + report::printable(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void say_error(const Error& error) { say("error: " + to_string(error)); }

struct Progress::State {
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  std::thread thread;
};

Progress::Progress(std::string doing) : state_(std::make_unique<State>()) {
  State* state = state_.get();
  state->thread = std::thread([state, doing = std::move(doing)] {
    std::unique_lock lock(state->mutex);
    const bool done = state->done_changed.wait_for(lock, std::chrono::seconds(1),
                                                   [state] { return state->done; });
    if (!done) say(doing + " …");
  });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->done_changed.notify_all();
  state_->thread.join();
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/restart.h"

#include <array>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "agent/environment.h"
#include "app/journal.h"
#include "app/process_tree.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

struct Signal {
  std::chrono::seconds after;  // the loss
  bool to_program;             // else to the process that was lost
  int signal;
};
constexpr std::array<Signal, 4> kSignals = {{{std::chrono::seconds(5), false, SIGTERM},
                                             {std::chrono::seconds(8), false, SIGKILL},
                                             {std::chrono::seconds(12), true, SIGTERM},
                                             {std::chrono::seconds(20), true, SIGKILL}}};

}  // namespace

void LostGuest::turn() {
  for (; static_cast<size_t>(sent_) < kSignals.size(); ++sent_) {
    const Signal& next = kSignals[static_cast<size_t>(sent_)];
    if (Clock::now() - since_ < next.after) return;
    const pid_t pid = next.to_program ? program_ : process_;
    if (!has_ended(pid)) kill(pid, next.signal);
  }
}

Status put_aside(const std::string& dir, int64_t number) {
  const fs::path aside = fs::path(dir) / ("lost-" + std::to_string(number));
  std::error_code error;
  fs::create_directory(aside, error);
  if (!error) fs::permissions(aside, fs::perms::owner_all, error);
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    const fs::path& path = at->path();
    const std::string name = path.filename();
    const bool left = name.find(agent::kLogSuffix) != std::string::npos ||
                      path.extension() == agent::kErrorSuffix;
    if (left) fs::rename(path, aside / path.filename(), error);
  }
  if (!error) fs::copy_file(fs::path(dir) / kJournalName, aside / kJournalName, error);
  if (!error) return Nothing{};
  return Error{"run-dir", "cannot put aside what a lost start left", aside.string(),
               error.message(), "choose another folder with -o"};
}

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// The program leads a process group of its own, so that what it started goes with it when it takes
// too long.
#include "app/ask_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "app/variables.h"

namespace bohr::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostText = size_t{1} << 20;

pid_t spawn(std::vector<std::string> command, std::vector<std::string> environment, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int code = posix_spawnp(&pid, command.front().c_str(), &actions, &attributes,
                                pointers_to(&command).data(), pointers_to(&environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code == 0 ? pid : -1;
}

int left_until(Clock::time_point until) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  return left.count() > 0 ? static_cast<int>(left.count()) : 0;
}

// Until the writer has closed it, or time is over.
std::string read_until(int input, Clock::time_point until) {
  std::string text;
  char buffer[4096];
  pollfd ready{input, POLLIN, 0};
  while (text.size() < kMostText && poll(&ready, 1, left_until(until)) > 0) {
    const ssize_t got = read(input, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

void await_end(pid_t pid, Clock::time_point until, Said* said) {
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) != pid) {
    if (Clock::now() >= until) {
      kill(-pid, SIGKILL);
      waitpid(pid, &status, 0);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  said->in_time = true;
  said->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool is_program(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Said ask_program(const std::vector<std::string>& command,
                 const std::map<std::string, std::string>& variables,
                 std::chrono::milliseconds patience) {
  Said said;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return said;
  const auto until = Clock::now() + patience;
  const pid_t pid = spawn(command, environment_with(variables), ends[1]);
  close(ends[1]);
  if (pid > 0) {
    said.started = true;
    said.pid = pid;
    said.text = read_until(ends[0], until);
    await_end(pid, until, &said);
  }
  close(ends[0]);
  return said;
}

std::vector<std::string> answers(const std::string& text, const std::string& key) {
  std::vector<std::string> values;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, key.size(), key) == 0 && text[at + key.size()] == '=')
      values.push_back(text.substr(at + key.size() + 1, end - at - key.size() - 1));
    at = end + 1;
  }
  return values;
}

std::string answer(const std::string& text, const std::string& key) {
  const std::vector<std::string> values = answers(text, key);
  return values.empty() ? std::string() : values.front();
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : std::string();
  const char* set = std::getenv("PATH");
  const std::string folders = set == nullptr ? "/usr/bin:/bin" : set;
  for (size_t at = 0; at <= folders.size();) {
    const size_t end = std::min(folders.find(':', at), folders.size());
    const std::string folder = end == at ? "." : folders.substr(at, end - at);
    std::string path = folder;
    path += "/" + name;
    if (is_program(path)) return path;
    at = end + 1;
  }
  return {};
}

}  // namespace bohr::app

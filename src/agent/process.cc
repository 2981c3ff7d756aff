// SPDX-License-Identifier: Apache-2.0
#include "agent/process.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "agent/files.h"

namespace bohr::agent {
namespace {

constexpr const char* kSecretWords[] = {"key", "token", "secret", "passw", "credential", "auth"};

std::atomic<uint32_t> last_thread{0};
thread_local uint32_t thread_number = 0;

constexpr size_t kMaxText = 1 << 20;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool looks_secret(const std::string& name) {
  const std::string text = lower(name);
  for (const char* word : kSecretWords) {
    if (text.find(word) != std::string::npos) return true;
  }
  return false;
}

// "580.159.04" out of the module's version file.
std::string driver_text() {
  std::string version = read_file("/sys/module/nvidia/version", kMaxText);
  while (!version.empty() && version.back() == '\n') version.pop_back();
  if (!version.empty()) return version;
  for (const std::string& word : split(read_file("/proc/driver/nvidia/version", kMaxText), ' ')) {
    const bool number = word.find('.') != std::string::npos &&
                        word.find_first_not_of("0123456789.") == std::string::npos;
    if (number) return word;
  }
  return "";
}

}  // namespace

std::string scrubbed_command() {
  std::string command;
  bool hide = false;
  for (const std::string& argument : split(read_file("/proc/self/cmdline", kMaxText), '\0')) {
    std::string shown = hide ? "***" : argument;
    hide = false;
    const size_t equals = argument.find('=');
    if (looks_secret(argument.substr(0, equals))) {
      if (equals != std::string::npos) {
        shown = argument.substr(0, equals) + "=***";
      } else {
        hide = argument[0] == '-';
      }
    }
    command += (command.empty() ? "" : " ") + shown;
  }
  return command;
}

void add_process(Recorder& r) {
  trace::Process record;
  record.pid = static_cast<uint64_t>(getpid());
  record.parent = static_cast<uint64_t>(getppid());
  record.start_unix_ns =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count());
  record.command = r.log->text(scrubbed_command());
  record.recorder = r.log->text(BOHR_VERSION);
  int driver = 0;
  if (r.driver.cuDriverGetVersion(&driver) == CUDA_SUCCESS) {
    record.driver = static_cast<uint32_t>(driver);
  }
  r.cupti.cuptiGetVersion(&record.cupti);
  record.driver_text = r.log->text(driver_text());
  r.log->append(record);
}

uint32_t this_thread(Recorder& r) {
  if (thread_number) return thread_number;
  thread_number = last_thread.fetch_add(1) + 1;
  char name[32] = "";
  prctl(PR_GET_NAME, name, 0, 0, 0);
  r.log->append(
      trace::Thread{thread_number, static_cast<uint64_t>(syscall(SYS_gettid)), r.log->text(name)});
  return thread_number;
}

}  // namespace bohr::agent

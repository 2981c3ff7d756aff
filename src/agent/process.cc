// SPDX-License-Identifier: Apache-2.0
#include "agent/process.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "agent/files.h"
#include "agent/provenance.h"

namespace bohr::agent {
namespace {

std::atomic<uint32_t> last_thread{0};
thread_local uint32_t thread_number = 0;

constexpr size_t kMaxText = 1 << 20;

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

void add_process(Recorder& r) {
  trace::Process record;
  record.pid = static_cast<uint64_t>(getpid());
  record.parent = static_cast<uint64_t>(getppid());
  record.start_unix_ns =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                std::chrono::system_clock::now().time_since_epoch())
                                .count());
  record.command = r.log->text(program_words(own_arguments()));
  record.recorder = r.log->text(BOHR_VERSION);
  int driver = 0;
  if (r.driver.cuDriverGetVersion(&driver) == CUDA_SUCCESS) {
    record.driver = static_cast<uint32_t>(driver);
  }
  if (r.cupti.cuptiGetVersion) r.cupti.cuptiGetVersion(&record.cupti);
  record.driver_text = r.log->text(driver_text());
  r.log->append(record);
  add_settings(r);
  add_libraries(r);
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

// SPDX-License-Identifier: Apache-2.0
#include "agent/recorder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/files.h"

namespace bohr::agent {
namespace {

std::atomic<Recorder*> current{nullptr};

}  // namespace

Recorder* recorder() { return current.load(std::memory_order_acquire); }

void set_recorder(Recorder* value) { current.store(value, std::memory_order_release); }

void diagnose(Recorder& r, std::string_view reason, std::string_view text, bool loses_order,
              uint64_t from, uint64_t to) {
  trace::Diagnostic d;
  d.seq = r.tick();
  d.reason = r.log->text(reason);
  d.text = r.log->text(text);
  d.loses_order = loses_order;
  d.from = from;
  d.to = to;
  r.log->append(d);
}

void report_unseen_allocator(Recorder& r) {
  flush_times(r);
  if (!r.works.load() || r.framework_known.exchange(true)) return;
  if (!dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD)) return;
  diagnose(r, "allocator-order-unknown",
           "PyTorch is loaded, but the Python shim that sees its allocator did not start");
}

void end_log(Recorder& r) {
  blocks_end(r);
  if (r.recent) r.recent->close();
  r.log->close(r.tick());
}

void stop_recording(Recorder& r, std::string_view why) {
  // Graphs that are made from here on are repaired as those before.
  if (r.applying ? r.log_stopped.exchange(true) : !r.recording.exchange(false)) return;
  flush_times(r);
  diagnose(r, "lost-records", why, true, r.clock.load());
  end_log(r);
  write_error(r.error_path, why);
}

void stop_without_room(Recorder& r) {
  stop_recording(r, "work outside graphs could not be kept: " + r.recent->why_refused());
}

void write_error(const std::string& path, std::string_view why) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  append(file, std::string(why) + "\n");  // where that fails, nowhere is left to say it
  close(file);
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
#include "agent/life.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "agent/environment.h"
#include "agent/files.h"
#include "agent/native_frames.h"
#include "agent/process.h"
#include "agent/provenance.h"
#include "agent/ranks.h"

namespace bohr::agent {
namespace {

const Way* way_in = nullptr;  // of the process's recorder

void in_forked_child() {
  Recorder* r = recorder();
  if (!r) return;
  r->recording.store(false);
  r->log->abandon();
  if (r->recent) r->recent->abandon();
  set_recorder(nullptr);
}

StackMode stack_mode() {
  const char* value = std::getenv(kStacksVariable);
  if (!value || !*value) return StackMode::mixed;
  if (!std::strcmp(value, "0")) return StackMode::none;
  return std::strcmp(value, "all") ? StackMode::python : StackMode::all;
}

uint64_t bytes_in(const char* variable, uint64_t otherwise) {
  const char* value = std::getenv(variable);
  const uint64_t bytes = value ? std::strtoull(value, nullptr, 10) : 0;
  return bytes ? bytes : otherwise;
}

bool records_all() {
  const char* value = std::getenv(kRecordVariable);
  return value && !std::strcmp(value, "all");
}

// A pid may come back within one run.
std::string free_stem(const std::string& folder) {
  std::string stem = folder + "/" + std::to_string(getpid());
  if (!file_exists(stem + kLogSuffix)) return stem;
  for (int i = 2;; ++i) {
    std::string next = stem + "-" + std::to_string(i);
    if (!file_exists(next + kLogSuffix)) return next;
  }
}

// The library must stay mapped: the driver and atfork keep its addresses.
void pin_library() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&pin_library), &info) && info.dli_fname) {
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

// What has to be there before anything is recorded.
bool load(const Way& way, Recorder& r, std::string* why) {
  if (!load_driver(&r.driver, why) || !way.load(r, why)) return false;
  r.log =
      trace::LogWriter::create(r.stem + kLogSuffix, bytes_in(kMaxLogVariable, kDefaultMaxLog), why);
  if (!r.log) return false;
  if (records_all()) return true;
  r.recent = std::make_unique<trace::RecentLog>(
      r.stem + kLogSuffix, bytes_in(kRecentVariable, kDefaultRecent),
      r.log->text(trace::kRecentReason),
      r.log->text("of the work outside graphs only the newest was kept"));
  r.log->append(trace::Provenance{trace::ProvenanceKind::variable, r.log->text(trace::kRecentName),
                                  r.log->text("kept in files beside the log")});
  return true;
}

// Later than every atexit handler, so that what the guest does there is still seen.
__attribute__((destructor)) void close_log() {
  Recorder* r = recorder();
  if (!r || !r->recording.load()) return;
  report_unseen_allocator(*r);
  report_pinned(*r);
  way_in->end(*r);
  add_libraries(*r);
  unlink((r->stem + kAttachSuffix).c_str());
  if (r->recording.exchange(false)) end_log(*r);
}

}  // namespace

void arm(const Way& way) {
  const char* folder = std::getenv(kDirVariable);
  if (!folder || !*folder) return;
  const char* fix = std::getenv(kApplyVariable);
  const bool repairs = fix && *fix;  // a rank that is to run repaired must not run as it was
  if (!repairs && !is_wanted_rank()) return;
  auto* r = new Recorder;  // never destroyed: calls outlive everything
  r->stem = free_stem(folder);
  r->error_path = r->stem + kErrorSuffix;
  r->stack_mode = stack_mode();
  r->applying = make_applying(r->stem + kApplySuffix);
  std::string why;
  if (!load(way, *r, &why)) {
    if (r->applying) not_applied(*r, why);
    write_error(r->error_path, why);
    return;
  }
  r->holding = make_holding(r->stem);
  pin_library();
  prepare_unwinder();
  add_process(*r);
  way_in = &way;
  set_recorder(r);
  r->recording.store(true);
  pthread_atfork(nullptr, nullptr, in_forked_child);
  if (way.begin(*r, &why)) {
    if (r->stack_mode != StackMode::none) calibrate_python_soon();
    return;
  }
  if (r->applying) not_applied(*r, why);
  stop_recording(*r, why);
}

}  // namespace bohr::agent

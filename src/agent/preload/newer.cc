// SPDX-License-Identifier: Apache-2.0
#include "agent/preload/newer.h"

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "agent/gate.h"
#include "agent/preload/words.h"
#include "agent/wrapped.h"

namespace bohr::agent {
namespace {

constexpr size_t kCounters = 256;

struct Counted {
  std::atomic<AnyLongCall> real{nullptr};
  std::atomic<uint64_t> calls{0};
  std::string name;  // written before `real`
};
std::array<Counted, kCounters> counters;
std::mutex counters_mutex;
size_t left_out = 0;  // functions that no counter was left for; guarded by it

void count(Counted& slot) {
  Recorder* r = recorder();
  const bool recorded = r && r->recording.load(std::memory_order_relaxed);
  if (!recorded || slot.calls.fetch_add(1) > 0) return;
  const Inside guard(thread_calls());
  guarded(*r, [&] { newer_called(*r, slot.name.c_str()); });
}

template <size_t index>
Word counting_wrapper(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i,
                      Word j, Word k, Word l, Word m, Word n, Word o, Word p) {
  Counted& slot = counters[index];
  if (!thread_calls().inside) count(slot);
  return slot.real.load(std::memory_order_acquire)(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
}

template <size_t... index>
constexpr std::array<AnyLongCall, kCounters> make_counting_wrappers(std::index_sequence<index...>) {
  return {&counting_wrapper<index>...};
}
constexpr auto kCountingWrappers = make_counting_wrappers(std::make_index_sequence<kCounters>());

const std::unordered_set<std::string_view>& known() {
#define BOHR_KNOWN(name) plain_name(#name),
  static const std::unordered_set<std::string_view> names = {
#include <known_functions.inc>
  };
#undef BOHR_KNOWN
  return names;
}

}  // namespace

bool is_known(const char* name) { return known().contains(plain_name(name)); }

void* counted(const char* name, void* real) {
  const auto function = reinterpret_cast<AnyLongCall>(real);
  std::lock_guard lock(counters_mutex);
  for (size_t i = 0; i < kCounters; ++i) {
    const AnyLongCall taken = counters[i].real.load(std::memory_order_relaxed);
    if (taken && taken != function) continue;
    if (!taken) {
      counters[i].name = name;
      counters[i].real.store(function, std::memory_order_release);
    }
    return reinterpret_cast<void*>(kCountingWrappers[i]);
  }
  ++left_out;
  return real;
}

void report_counted(Recorder& r) {
  if (std::lock_guard lock(counters_mutex); left_out > 0)
    diagnose(r, "lost-records",
             std::to_string(left_out) +
                 " functions of the driver that are newer than the recorder" +
                 " could not be followed",
             true);
  for (const Counted& slot : counters)
    if (const uint64_t calls = slot.calls.load()) report_newer(r, slot.name.c_str(), calls);
}

}  // namespace bohr::agent

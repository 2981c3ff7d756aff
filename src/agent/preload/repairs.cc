// SPDX-License-Identifier: Apache-2.0
#include "agent/preload/repairs.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <utility>

#include "agent/environment.h"
#include "agent/gate.h"
#include "agent/preload/words.h"
#include "agent/wrapped.h"

namespace bohr::agent {
namespace {

enum Kind : size_t { captured, used, edited, destroyed, launched, kKinds };

constexpr std::pair<std::string_view, Kind> kNames[] = {
    {"cuStreamEndCapture", captured},
    {"cuGraphInstantiate", used},
    {"cuGraphInstantiateWithFlags", used},
    {"cuGraphInstantiateWithParams", used},
    {"cuGraphExecUpdate", used},
    {"cuGraphAddDependencies", edited},
    {"cuGraphRemoveDependencies", edited},
    {"cuGraphKernelNodeSetParams", edited},
    {"cuGraphMemcpyNodeSetParams", edited},
    {"cuGraphMemsetNodeSetParams", edited},
    {"cuGraphNodeSetParams", edited},
    {"cuGraphDestroy", destroyed},
    {"cuGraphLaunch", launched},
};

// Functions of one kind: every name with its versions and its twin for per-thread streams.
constexpr size_t kSlotsOfKind = 16;
std::array<std::array<std::atomic<AnyCall>, kSlotsOfKind>, kKinds> reals;
std::mutex slots_mutex;

Recorder* make_recorder() {
  const char* fix = std::getenv(kApplyVariable);
  if (!fix || !*fix) return nullptr;
  auto* r = new Recorder;  // never destroyed: threads of the program outlive everything
  r->only_applies = true;
  r->log_stopped.store(true);
  r->stack_mode = StackMode::none;
  r->log = trace::LogWriter::nowhere();
  r->applying = make_applying(std::string());
  std::string why;
  if (load_driver(&r->driver, &why)) return r;
  not_applied(*r, why);
  return nullptr;
}

// Null: nothing is to be repaired here.
Recorder* armed() {
  static Recorder* const r = make_recorder();
  return r;
}

template <class T>
T handle(Word word) {
  return reinterpret_cast<T>(word);
}

void before(Recorder& r, Kind kind, Word first, Word second) {
  if (kind == used) read_graph(r, handle<CUgraph>(second), 0);
  if (kind == destroyed) graph_destroyed(r, handle<CUgraph>(first));
  if (kind == launched) note_launch(r);
}

void after(Recorder& r, Kind kind, Word second) {
  if (kind == captured && second && *handle<CUgraph*>(second))
    read_graph(r, *handle<CUgraph*>(second), 0);
  if (kind == edited) {
    std::lock_guard lock(r.mutex);
    ++r.graphs.edits;
  }
}

// A program that was to run repaired must not run on as if it were.
template <class Work>
void or_not_applied(Recorder& r, const Work& work) {
  try {
    work();
  } catch (...) {
    not_applied(r, "an error of our own, or no memory");
  }
}

Word call_wrapped(Kind kind, AnyCall real, const std::array<Word, 6>& words) {
  const Inside guard(thread_calls());
  Recorder* r = armed();
  if (r) or_not_applied(*r, [&] { before(*r, kind, words[0], words[1]); });
  const Word result = real(words[0], words[1], words[2], words[3], words[4], words[5]);
  if (r && static_cast<CUresult>(result) == CUDA_SUCCESS)
    or_not_applied(*r, [&] { after(*r, kind, words[1]); });
  return result;
}

template <size_t kind, size_t slot>
Word repair_wrapper(Word a, Word b, Word c, Word d, Word e, Word f) {
  const AnyCall real = reals[kind][slot].load(std::memory_order_acquire);
  if (thread_calls().inside) return real(a, b, c, d, e, f);
  return call_wrapped(static_cast<Kind>(kind), real, {a, b, c, d, e, f});
}

template <size_t... index>
constexpr std::array<AnyCall, kKinds * kSlotsOfKind> make_repair_wrappers(
    std::index_sequence<index...>) {
  return {&repair_wrapper<index / kSlotsOfKind, index % kSlotsOfKind>...};
}
constexpr auto kRepairWrappers =
    make_repair_wrappers(std::make_index_sequence<kKinds * kSlotsOfKind>());

// kKinds: of no interest.
Kind kind_of(const char* name) {
  if (!name || std::strncmp(name, "cu", 2) != 0) return kKinds;
  const std::string_view plain = plain_name(name);
  for (const auto& [known, kind] : kNames)
    if (plain == known) return kind;
  return kKinds;
}

bool is_wrapper(AnyCall call) {
  for (const AnyCall known : kRepairWrappers)
    if (known == call) return true;
  return false;
}

AnyCall wrapper_of(Kind kind, AnyCall real) {
  if (is_wrapper(real)) return real;
  std::lock_guard lock(slots_mutex);
  for (size_t slot = 0; slot < kSlotsOfKind; ++slot) {
    const AnyCall taken = reals[kind][slot].load(std::memory_order_relaxed);
    if (taken && taken != real) continue;
    reals[kind][slot].store(real, std::memory_order_release);
    return kRepairWrappers[kind * kSlotsOfKind + slot];
  }
  // Far more than any driver has; a graph that goes past us must not be unrepaired in silence.
  const Inside guard(thread_calls());
  if (Recorder* r = armed()) not_applied(*r, "the driver has too many versions of one function");
  return real;
}

}  // namespace

bool is_repaired(const char* name) { return kind_of(name) != kKinds; }

void* repairing(const char* name, void* real) {
  const Kind kind = kind_of(name);
  if (kind == kKinds) return real;
  return reinterpret_cast<void*>(wrapper_of(kind, reinterpret_cast<AnyCall>(real)));
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// The tables of words. docs/limits.md explains each reason at length.
#include "report/words.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace bohr::report {

namespace {

using Words = std::pair<std::string_view, std::string_view>;

constexpr std::array<Words, 43> kReasons = {{
    {"allocator-order-unknown", "allocator events could not be placed"},
    {"allocator-unknown", "the framework's allocations were not recorded"},
    {"free-order-unknown", "whether blocks were freed before a wait or behind it is not known"},
    {"explore-failed", "memory was not put back after an exploration"},
    {"explore-unavailable", "nobody listened for offered launches"},
    {"process-lost", "an order ended the program's context"},
    {"watchdog", "a replay did not end"},
    {"remote-lost", "the program ended while it was explored"},
    {"interrupted", "a signal ended the search"},
    {"attached-late", "something began before recording did"},
    {"baseline-given-up", "the search for a right order was ended before all was tried"},
    {"budget", "the budget of replays was used up"},
    {"capture-to-graph", "a capture added to a graph that existed"},
    {"fix-none", "no repair that fits was found"},
    {"fix-varies",
     "steps vary by themselves, so of whole runs only what does not vary was compared"},
    {"fix-parts-untried", "not every part of a repair was taken away by itself"},
    {"fix-not-timed", "what repairs cost in time was not measured"},
    {"fix-some-launches", "repairs were looked for in one launch of each graph with a finding"},
    {"fix-not-replayed", "repairs were checked, but no order of them was run"},
    {"conditional-node", "how often the body of a conditional node runs is not known"},
    {"device-updatable-node", "the device may change what a node does"},
    {"foreign-event", "an event comes from elsewhere"},
    {"foreign-writer", "memory is shared with writers that are not seen"},
    {"graph-memory-nodes", "a graph allocates or frees memory in its nodes"},
    {"host-accesses-unseen", "what the CPU reads, and most of what it writes, is not recorded"},
    {"lost-records", "a part of the recording is missing"},
    {"recent-only", "of the work outside graphs only the newest was kept"},
    {"no-cuda-calls", "no CUDA work was recorded"},
    {"not-recorded", "the process could not be recorded"},
    {"orders-given-up", "the search through all orders was ended before all were visited"},
    {"other-processes", "the trace holds further processes"},
    {"outputs-masked", "too much of the output varies by itself, or is ignored"},
    {"params-only", "only the parameters of a kernel say what it may touch"},
    {"peer-communication", "other devices or processes take part"},
    {"programmatic-edge", "a kernel may start before its predecessor ends"},
    {"same-bytes", "both orders gave the same bytes with these contents"},
    {"unknown-access", "something may touch more memory than is known"},
    {"unknown-allocation", "memory is used whose allocation was not seen"},
    {"unknown-direction", "who writes is unknown"},
    {"unknown-stream", "the stream of some graph nodes is unknown"},
    {"unmodelled-node", "a graph node of a kind that is not modelled"},
    {"unmodelled-order", "order may exist that is not known"},
    {"unmodelled-synchronisation", "a way to synchronise that is not modelled"},
}};

constexpr std::array<Words, 3> kAssumptions = {{
    {"host-order-observed",
     "host calls that did not overlap in time are ordered as observed (--strict-threads drops it)"},
    {"pool-reuse",
     "the driver's pool lets another stream use freed memory only behind the stream that freed it"},
    {"driver-reuse", "the driver hands out freed memory only after work on it has ended"},
}};

template <size_t n>
std::string_view look_up(const std::array<Words, n>& table, std::string_view key) {
  for (const auto& [name, words] : table) {
    if (name == key) return words;
  }
  return {};
}

std::string short_size(uint64_t size) {
  constexpr std::array<const char*, 4> kUnits = {"", "K", "M", "G"};
  size_t unit = 0;
  while (size >= 1024 && size % 1024 == 0 && unit + 1 < kUnits.size()) size /= 1024, ++unit;
  return std::to_string(size) + kUnits[unit];
}

}  // namespace

const char* class_words(HazardClass cls) {
  constexpr std::array<const char*, kHazardClasses> kWords = {"same data, no order",
                                                              "memory reused too early",
                                                              "freed while in use",
                                                              "graphs sharing a pool",
                                                              "host buffers",
                                                              "outside writers",
                                                              "launches against each other"};
  return kWords[static_cast<size_t>(cls)];
}

const char* examined_words(HazardClass cls) {
  constexpr std::array<const char*, kHazardClasses> kWords = {
      "access", "lifetime", "freed block", "launch", "host access", "outside access", "launch"};
  return kWords[static_cast<size_t>(cls)];
}

std::string_view reason_words(std::string_view reason) { return look_up(kReasons, reason); }

std::string_view assumption_words(std::string_view assumption) {
  return look_up(kAssumptions, assumption);
}

const char* mode_word(AccessMode mode) {
  constexpr std::array<const char*, 5> kWords = {"read", "write", "update", "atomic", "touch"};
  return kWords[static_cast<size_t>(mode)];
}

const char* source_word(AccessSource source) {
  constexpr std::array<const char*, 5> kWords = {"declared", "copy", "params", "observed",
                                                 "instrumented"};
  return kWords[static_cast<size_t>(source)];
}

const char* state_word(CoverageState state) {
  constexpr std::array<const char*, 3> kWords = {"complete", "undecided", "not-checked"};
  return kWords[static_cast<size_t>(state)];
}

const char* outcome_word(Outcome outcome) {
  constexpr std::array<const char*, 3> kWords = {"clean", "findings", "incomplete"};
  return kWords[static_cast<size_t>(outcome)];
}

const char* op_word(OpKind kind) {
  constexpr std::array<const char*, 19> kWords = {
      "kernel", "copy",  "fill",  "callback", "launch",      "record",     "wait",
      "alloc",  "free",  "uses",  "touch",    "sync stream", "sync event", "sync device",
      "signal", "await", "empty", "child",    "unmodelled"};
  return kWords[static_cast<size_t>(kind)];
}

std::string noun(std::string_view kind, std::string_view name) {
  const size_t at = name.find(kind);
  const bool says_it = at == 0 || (at != std::string_view::npos && at + kind.size() == name.size());
  return says_it ? std::string(name) : fmt::format("{} {}", kind, name);
}

std::string count(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = number < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string count(int64_t number, std::string_view noun) {
  if (number == 1) return fmt::format("1 {}", noun);
  const bool es = noun.ends_with("ch") || noun.ends_with("ss");
  return fmt::format("{} {}{}", count(number), noun, es ? "es" : "s");
}

std::string bytes(uint64_t size) {
  constexpr std::array<const char*, 4> kUnits = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  double value = static_cast<double>(size);
  while (value >= 1024 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  if (unit == 0) return size == 1 ? "1 byte" : fmt::format("{} bytes", size);
  const std::string text = fmt::format("{:.2f}", value);
  const size_t last = text.find_last_not_of('0');
  return fmt::format("{} {}", text.substr(0, text[last] == '.' ? last : last + 1), kUnits[unit]);
}

std::string duration(int64_t nanoseconds) {
  constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  double value = static_cast<double>(nanoseconds);
  while ((value >= 1000 || value <= -1000) && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

std::string range(uint64_t begin, uint64_t end) {
  return fmt::format("[{}, {})", short_size(begin), short_size(end));
}

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// The words for the values of each enumeration in a record, by their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "trace/writer/records.h"

namespace bohr::trace {

using Words = std::span<const char* const>;

inline constexpr std::array kStreamTypeWords = {"nonblocking", "blocking", "legacy", "per_thread"};
inline constexpr std::array kMemoryWords = {"unknown",  "device",  "pinned",
                                            "pageable", "managed", "array"};
inline constexpr std::array kReturnWords = {"at_once", "after_source_read", "after_completion"};
inline constexpr std::array kParamFormWords = {"none", "array", "buffer", "unreadable"};
inline constexpr std::array kLayoutSourceWords = {"none", "driver", "cubin"};
inline constexpr std::array kSyncKindWords = {"stream", "event", "context", "stream_query",
                                              "event_query"};
inline constexpr std::array kLayerWords = {"driver",  "stream_ordered", "host", "host_register",
                                           "managed", "mapped",         "ipc"};
inline constexpr std::array kModeWords = {"read", "write", "update", "atomic"};
inline constexpr std::array kProvenanceKindWords = {"library", "package", "variable", "option"};
inline constexpr std::array kConditionWords = {"if", "while", "switch"};
inline constexpr std::array kSourceWords = {"declared", "observed"};
inline constexpr std::array kHistoryActionWords = {
    "alloc",        "free_requested", "free_completed", "segment_alloc",
    "segment_free", "segment_map",    "segment_unmap",  "other"};

// A word for each value, up to the last.
template <class E>
constexpr bool covers(Words words, E last) {
  return words.size() == static_cast<size_t>(last) + 1;
}
static_assert(covers(kStreamTypeWords, StreamType::per_thread));
static_assert(covers(kMemoryWords, Memory::array));
static_assert(covers(kReturnWords, Return::after_completion));
static_assert(covers(kParamFormWords, ParamForm::unreadable));
static_assert(covers(kLayoutSourceWords, LayoutSource::cubin));
static_assert(covers(kSyncKindWords, SyncKind::event_query));
static_assert(covers(kLayerWords, Layer::ipc));
static_assert(covers(kModeWords, Mode::atomic));
static_assert(covers(kProvenanceKindWords, ProvenanceKind::option));
static_assert(covers(kConditionWords, Condition::choice));
static_assert(covers(kSourceWords, Source::observed));
static_assert(covers(kHistoryActionWords, HistoryAction::other));

constexpr Words words_of(StreamType) { return kStreamTypeWords; }
constexpr Words words_of(Memory) { return kMemoryWords; }
constexpr Words words_of(Return) { return kReturnWords; }
constexpr Words words_of(ParamForm) { return kParamFormWords; }
constexpr Words words_of(LayoutSource) { return kLayoutSourceWords; }
constexpr Words words_of(SyncKind) { return kSyncKindWords; }
constexpr Words words_of(Layer) { return kLayerWords; }
constexpr Words words_of(Mode) { return kModeWords; }
constexpr Words words_of(ProvenanceKind) { return kProvenanceKindWords; }
constexpr Words words_of(Condition) { return kConditionWords; }
constexpr Words words_of(Source) { return kSourceWords; }
constexpr Words words_of(HistoryAction) { return kHistoryActionWords; }

}  // namespace bohr::trace

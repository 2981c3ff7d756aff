// SPDX-License-Identifier: Apache-2.0
// Random records of every kind, for tests that a log or a trace keeps them whole. Numbers are drawn
// from all magnitudes, so the shortest and the longest encodings both occur.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "trace/log_reader.h"
#include "trace/record_codec.h"

namespace bohr::trace {

class RandomFields {
 public:
  RandomFields(std::mt19937_64& random, size_t string_count)
      : random_(random), string_count_(string_count) {}

  template <Scalar T>
  void operator()(const char*, T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(random_() % words_of(T{}).size());
    } else if constexpr (std::is_same_v<T, bool>) {
      value = random_() % 2 == 0;
    } else {
      value = static_cast<T>(number());
    }
  }
  void operator()(const char*, Text& text) { text.id = string_id(); }
  void operator()(const char*, std::string& text) { text.assign(random_() % 40, 'x'); }
  void operator()(const char*, Bytes& bytes) {
    bytes.resize(random_() % 50);
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random_());
  }
  void operator()(const char*, Numbers& numbers) {
    numbers.resize(random_() % 5);
    for (auto& value : numbers) value = number();
  }
  void operator()(const char*, Call& call) {
    (*this)("", call.seq), (*this)("", call.exit);
    (*this)("", call.thread), (*this)("", call.stack);
  }

  // Makes the lists of one record agree.
  template <class R>
  void settle(R&) {}
  void settle(Stack& stack) {
    const size_t frames = stack.functions.size();
    stack.files.resize(frames), stack.lines.resize(frames), stack.python.resize(frames);
    for (auto& id : stack.functions) id = string_id();
    for (auto& id : stack.files) id = string_id();
  }
  void settle(Function& function) { function.sizes.resize(function.offsets.size()); }
  void settle(Clock& clock) { clock.times.resize(clock.seqs.size()); }
  void settle(Edges& edges) {
    edges.to.resize(edges.from.size()), edges.types.resize(edges.from.size());
  }

 private:
  uint64_t number() { return random_() >> (random_() % 64); }
  uint32_t string_id() { return static_cast<uint32_t>(random_() % string_count_); }

  std::mt19937_64& random_;
  size_t string_count_;
};

template <class R>
R random_record(std::mt19937_64& random, size_t string_count) {
  R record;
  RandomFields fields(random, string_count);
  R::fields(fields, record);
  fields.settle(record);
  return record;
}

// `rounds` records of each kind but String and End, in an order of kinds that repeats.
inline std::vector<Record> random_records(std::mt19937_64& random, size_t string_count,
                                          int rounds) {
  std::vector<Record> records;
  for (int i = 0; i < rounds; ++i) {
    for_each_kind([&](auto kind) {
      using R = decltype(kind);
      if constexpr (!std::is_same_v<R, String> && !std::is_same_v<R, End>) {
        records.push_back(random_record<R>(random, string_count));
      }
    });
  }
  return records;
}

}  // namespace bohr::trace

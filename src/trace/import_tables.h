// SPDX-License-Identifier: Apache-2.0
// Streams, threads, stacks, pools and names of a program, found by the recorder's numbers.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "model/program.h"
#include "trace/import_diagnostics.h"
#include "trace/import_index.h"

namespace bohr::trace {

class Tables {
 public:
  Tables(const Log& log, const LogIndex& index, Program* program, Diagnostics* diagnostics);

  // Number 0 names nothing; a number without a record gets an entry and a diagnostic. Streams that
  // nothing names are left out: frameworks make dozens and use a few.
  StreamId stream(uint32_t number, uint64_t seq);
  ActorId thread(uint32_t number);
  StackId stack(uint32_t number) const;
  NameId name(std::string_view text);
  // The pool (0, 0) is a framework's default pool.
  PoolId block_pool(uint64_t a, uint64_t b);
  PoolId driver_pool(uint64_t handle);
  // Some stream of a context that was named so far; invalid when there is none.
  StreamId stream_of_context(uint32_t context) const;
  // Whether the contexts of all streams named so far are known, or are one.
  bool contexts_known() const;
  bool one_context() const;

 private:
  PoolId pool(const std::string& name);
  void add_threads(const Log& log, const LogIndex& index);
  void add_stacks(const Log& log, const LogIndex& index);

  const Log& log_;
  const LogIndex& index_;
  Program* program_;
  Diagnostics* diagnostics_;
  std::unordered_map<uint32_t, StreamId> streams_;
  std::set<std::string> stream_names_;
  std::unordered_map<uint32_t, ActorId> threads_;
  std::unordered_map<uint32_t, StackId> stacks_;
  std::map<std::string, NameId, std::less<>> names_;
  std::map<std::string, PoolId> pools_;
  std::map<uint64_t, PoolId> driver_pools_;
};

// "NVIDIA H200, driver 580.159, CUDA 13.0, PyTorch 2.11".
std::string device_text(const Log& log, const LogIndex& index);

}  // namespace bohr::trace

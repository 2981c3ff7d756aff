// SPDX-License-Identifier: Apache-2.0
// The runtime that our own GPU programs are written against: CUDA's streams, events, captures,
// graphs and execs, and a caching allocator as PyTorch has it.
//
// What a program can cause (memory runs out, a kernel breaks its declaration, a capture is misused)
// is an Error; once work on the device has failed, every later call returns that error. Handles are
// those that this runtime gave out; others are a bug of the caller.
//
// The host has several threads as far as order goes: `on_thread` says whose calls follow. What one
// thread tells another is plain program logic, since calls are made one after the other.
//
// Functions that are given to `host_function` and `touch` may run again, later and in another
// order, with other bytes in memory. They own what they capture and touch what they declare.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "gpu/access.h"
#include "gpu/types.h"

namespace bohr::gpu {

using HostFunction = std::function<void(Accessor&)>;

struct StreamOptions {
  std::string name;
  StreamKind kind = StreamKind::nonblocking;
  int32_t priority = 0;  // lower ones go first, as CUDA has it
};

// Where the calls that follow stand in the program, for people.
struct Place {
  std::string function;
  std::string file;
  int32_t line = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  // Host threads; the first exists from the beginning.
  virtual Thread make_thread(const std::string& name) = 0;
  virtual void on_thread(Thread thread) = 0;
  virtual void at(const Place& place) = 0;

  // Streams and events. A wait is bound to the newest record of its event when it is issued; on one
  // that was never recorded it does nothing.
  virtual Stream make_stream(const StreamOptions& options) = 0;
  virtual Event make_event() = 0;
  virtual Status record(Event event, Stream stream) = 0;
  virtual Status wait(Stream stream, Event event) = 0;
  virtual Status sync_stream(Stream stream) = 0;
  virtual Status sync_event(Event event) = 0;
  virtual Status sync_device() = 0;
  virtual Result<bool> query_stream(Stream stream) = 0;
  virtual Result<bool> query_event(Event event) = 0;

  // Device memory, from the caching allocator: freed bytes may be handed out again at once to the
  // stream that they were allocated on. `use_on` is PyTorch's record_stream.
  virtual Result<uint64_t> alloc(uint64_t bytes, Stream stream, std::string_view name) = 0;
  virtual Status free(uint64_t address) = 0;
  virtual Status use_on(uint64_t address, Stream stream) = 0;
  virtual Result<uint64_t> alloc_host(uint64_t bytes, HostMemory kind, std::string_view name) = 0;
  virtual Status free_host(uint64_t address) = 0;

  // Work. Outside captures a copy from pageable memory has read its source when the call returns,
  // and one to pageable memory is done then.
  virtual Status launch(const KernelLaunch& launch, Stream stream) = 0;
  virtual Status copy(uint64_t dst, uint64_t src, uint64_t bytes, Stream stream) = 0;
  virtual Status fill(uint64_t dst, uint8_t value, uint64_t bytes, Stream stream) = 0;
  virtual Status host_function(std::vector<Access> accesses, HostFunction function,
                               Stream stream) = 0;

  // The calling thread's own access to host memory.
  virtual Status touch(std::vector<Access> accesses, HostFunction function) = 0;
  virtual Status host_write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual Status host_read(uint64_t address, std::span<uint8_t> bytes) = 0;

  // Captures. Memory that a stream of the capture allocates meanwhile comes from `pool`, which
  // several captures may share; an invalid one gives the capture a pool of its own.
  virtual Pool make_pool() = 0;
  virtual Status begin_capture(Stream stream, Pool pool, const std::string& name) = 0;
  virtual Result<Graph> end_capture(Stream stream) = 0;

  // Execs. `update` gives an exec the nodes of another graph of the same topology, `set_params` one
  // kernel node (counted in the order of capture) other parameters.
  virtual Result<Exec> instantiate(Graph graph) = 0;
  virtual Status update(Exec exec, Graph graph) = 0;
  virtual Status set_params(Exec exec, int32_t node, const KernelLaunch& launch) = 0;
  virtual Status launch(Exec exec, Stream stream) = 0;
  // The memory of a pool stays its own until its last graph, and the last exec of one, is gone.
  virtual Status destroy(Graph graph) = 0;
  virtual Status destroy(Exec exec) = 0;
};

}  // namespace bohr::gpu

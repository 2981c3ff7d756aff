// SPDX-License-Identifier: Apache-2.0
// Writes what a program does on the simulated machine as the recorder would of a real one: the same
// records, so that everything that reads an event log reads this one. Besides, it says what work
// declares to touch.
//
// Numbers of the log count from 1 where ids count from 0. Nothing in it depends on the machine, the
// clock or the process, so one program and seed give one log.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "gpu/runtime.h"
#include "gpu/sim/tape.h"
#include "trace/writer/log_writer.h"

namespace bohr::gpu::sim {

template <class Tag>
uint32_t number_of(Id<Tag> id) {
  return static_cast<uint32_t>(id.value() + 1);
}

class EventLog {
 public:
  struct Options {
    std::string path;     // empty: no log
    uint64_t limit = 0;   // bytes
    bool declare = true;  // say what kernels and host functions declare to touch
  };
  static Result<std::unique_ptr<EventLog>> open(const Options& options, uint64_t device_bytes);

  template <class R>
  void append(const R& record) {
    if (writer_) writer_->append(record);
  }
  trace::Text text(std::string_view value) {
    return writer_ ? writer_->text(value) : trace::Text();
  }
  // The number of a kernel function or of a stack; its record comes with its first use.
  uint32_t function(const KernelLaunch& launch);
  uint32_t stack(const Place& place);
  void thread(Thread thread, const std::string& name);
  void stream(uint64_t seq, Stream stream, const StreamOptions& options);

  // A graph version under a number of its own, with what its nodes declare.
  uint32_t graph(uint64_t seq, uint32_t capture, const std::string& name,
                 const GraphVersion& version);
  // What the call `seq` declares to touch.
  void accesses(uint64_t seq, const Work& work);
  void close(uint64_t seq);

 private:
  EventLog(std::unique_ptr<trace::LogWriter> writer, bool declare)
      : writer_(std::move(writer)), declare_(declare) {}
  void begin(uint64_t device_bytes);
  trace::Node node_of(const Node& node);
  void append_accesses(uint32_t graph, uint32_t node, uint64_t seq, const Work& work);

  std::unique_ptr<trace::LogWriter> writer_;
  bool declare_;
  uint32_t graphs_ = 0;
  std::map<std::tuple<std::string, std::vector<uint64_t>, std::vector<uint64_t>>, uint32_t>
      functions_;  // by name, offsets and sizes
  std::map<std::tuple<std::string, std::string, int32_t>, uint32_t> stacks_;
};

// How the log names the memory that an address lies in.
trace::Memory log_memory(Region region);

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Builds event logs in tests: numbers and sequence numbers are given out as a recorder would.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "trace/log_reader.h"

namespace bohr::trace {

class LogBuilder {
 public:
  LogBuilder() {
    log.source = "test";
    log.strings = {""};
    Thread main;
    main.thread = thread = 1;
    main.name = text("host");
    add(main);
  }

  Text text(const std::string& value) {
    for (size_t i = 0; i < log.strings.size(); ++i)
      if (log.strings[i] == value) return {static_cast<uint32_t>(i)};
    log.strings.push_back(value);
    return {static_cast<uint32_t>(log.strings.size() - 1)};
  }

  template <class R>
  void add(R record) {
    log.records.push_back(std::move(record));
  }

  // A call of the current thread that returns before the next one begins.
  Call call() {
    Call call;
    call.seq = ++seq;
    call.exit = ++seq;
    call.thread = thread;
    call.stack = stack;
    return call;
  }

  uint32_t stream(StreamType type = StreamType::nonblocking, uint32_t context = 1) {
    Stream record;
    record.seq = ++seq;
    record.stream = ++streams_;
    record.context = context;
    record.type = type;
    add(record);
    return record.stream;
  }

  uint32_t function(const std::string& mangled, std::vector<uint64_t> sizes) {
    Function record;
    record.function = ++functions_;
    record.name = text(mangled);
    uint64_t offset = 0;
    for (const uint64_t size : sizes) {
      offset = (offset + 7) / 8 * 8;
      record.offsets.push_back(offset);
      offset += size;
    }
    record.sizes = std::move(sizes);
    record.layout_known = true;
    add(record);
    return record.function;
  }

  uint32_t python_stack(const std::string& file, uint64_t line) {
    Stack record;
    record.stack = ++stacks_;
    record.functions = {text("step").id};
    record.files = {text(file).id};
    record.lines = {line};
    record.python = {1};
    add(record);
    return record.stack;
  }

  static Bytes image(const std::vector<uint64_t>& slots) {
    Bytes bytes(slots.size() * sizeof(uint64_t));
    if (!slots.empty()) std::memcpy(bytes.data(), slots.data(), bytes.size());
    return bytes;
  }

  void kernel(uint32_t on, uint32_t function, const std::vector<uint64_t>& slots) {
    Kernel record;
    record.call = call();
    record.stream = on;
    record.function = function;
    record.form = ParamForm::array;
    record.params = image(slots);
    add(record);
  }

  void set(uint32_t on, uint64_t dst, uint64_t width) {
    Set record;
    record.call = call();
    record.stream = on;
    record.dst = dst;
    record.width = width;
    add(record);
  }

  void copy(uint32_t on, uint64_t dst, Memory dst_memory, uint64_t src, Memory src_memory,
            uint64_t width, Return returned = Return::at_once) {
    Copy record;
    record.call = call();
    record.stream = on;
    record.dst = dst;
    record.src = src;
    record.width = width;
    record.dst_memory = dst_memory;
    record.src_memory = src_memory;
    record.returned = returned;
    add(record);
  }

  void host_write(uint64_t address, uint64_t bytes) {
    add(HostWrite{call(), address, bytes, Memory::pinned});
  }

  void event_record(uint32_t event, uint64_t version, uint32_t on, uint32_t capture = 0) {
    add(EventRecord{call(), event, version, on, capture, false});
  }
  void event_wait(uint32_t event, uint64_t version, uint32_t on, uint32_t capture = 0) {
    add(EventWait{call(), event, version, on, capture, false});
  }

  void mem_alloc(uint64_t address, uint64_t bytes, Layer layer = Layer::driver, uint32_t on = 0) {
    MemAlloc record;
    record.call = call();
    record.layer = layer;
    record.memory = layer == Layer::host ? Memory::pinned : Memory::device;
    record.address = address;
    record.bytes = bytes;
    record.stream = on;
    add(record);
  }
  void mem_free(uint64_t address, Layer layer = Layer::driver, uint32_t on = 0) {
    add(MemFree{call(), layer, address, on});
  }

  // Shows the bytes of physical memory from `offset` on.
  void map(uint64_t address, uint64_t bytes, uint32_t physical, uint64_t offset = 0) {
    mem_alloc(address, bytes, Layer::mapped);
    const uint64_t made = std::get<MemAlloc>(log.records.back()).call.seq;
    add(Mapping{made, address, bytes, physical, offset});
  }
  void unmap(uint64_t address) { mem_free(address, Layer::mapped); }

  void history(HistoryAction action, uint64_t address, uint64_t bytes, uint32_t on,
               uint64_t pool_b = 0) {
    History record;
    record.index = history_++;
    record.action = action;
    record.address = address;
    record.bytes = bytes;
    record.stream = on;
    record.pool_b = pool_b;
    record.stack = stack;
    add(record);
  }
  // The newest entry tells of the newest callback.
  void said(uint64_t callback) {
    add(EntryCall{std::get<History>(log.records.back()).index, callback});
  }
  // Of the newest call.
  uint64_t newest() const { return seq - 1; }

  // A hand-out and its entry; a free that is completed at once and its entries.
  void block_alloc(uint64_t address, uint64_t bytes, uint32_t on, uint64_t pool_b = 0) {
    add(BlockAlloc{call(), address});
    history(HistoryAction::alloc, address, bytes, on, pool_b);
  }
  void block_free(uint64_t address, uint64_t bytes, uint32_t on, uint64_t pool_b = 0) {
    add(BlockFree{call(), address});
    history(HistoryAction::free_requested, address, bytes, on, pool_b);
    history(HistoryAction::free_completed, address, bytes, on, pool_b);
  }

  void capture_begin(uint32_t capture, uint32_t on) { add(CaptureBegin{call(), capture, on, 0}); }
  void capture_end(uint32_t capture, uint32_t on, uint32_t graph) {
    add(CaptureEnd{call(), capture, on, graph});
  }

  // A node made by a call now; its index is its place in the list.
  Node node(uint32_t type, uint32_t on) {
    Node record;
    record.type = type;
    const Call made = call();
    record.seq = made.seq;
    record.thread = made.thread;
    record.stack = made.stack;
    record.stream = on;
    return record;
  }
  Node kernel_node(uint32_t on, uint32_t function, const std::vector<uint64_t>& slots) {
    Node record = node(0, on);
    record.function = function;
    record.form = ParamForm::array;
    record.params = image(slots);
    return record;
  }
  Node alloc_node(uint32_t on, uint64_t address, uint64_t bytes) {
    Node record = node(10, on);
    record.dst = address;
    record.width = bytes;
    return record;
  }
  Node free_node(uint32_t on, uint64_t address) {
    Node record = node(11, on);
    record.dst = address;
    return record;
  }
  using EdgeList = std::vector<std::pair<uint64_t, uint64_t>>;
  Graph graph(uint32_t number, uint32_t capture, std::vector<Node> nodes, const EdgeList& edges) {
    Graph record;
    record.seq = ++seq;
    record.graph = number;
    record.capture = capture;
    record.nodes = static_cast<uint32_t>(nodes.size());
    record.edges = static_cast<uint32_t>(edges.size());
    Edges list;
    list.graph = number;
    for (const auto& [from, to] : edges) {
      list.from.push_back(from);
      list.to.push_back(to);
      list.types.push_back(0);
    }
    uint32_t index = 0;
    for (Node& node : nodes) {
      node.graph = number;
      node.index = index++;
      add(node);
    }
    add(list);
    return record;
  }
  void add_graph(uint32_t number, uint32_t capture, std::vector<Node> nodes,
                 const EdgeList& edges) {
    add(graph(number, capture, std::move(nodes), edges));
  }
  void exec(uint32_t number, uint32_t graph) { add(Exec{call(), number, graph, 0}); }
  void launch(uint32_t number, uint32_t on) { add(Launch{call(), number, on}); }

  Log log;
  uint64_t seq = 0;
  uint32_t thread = 0;
  uint32_t stack = 0;

 private:
  uint32_t streams_ = 0;
  uint32_t functions_ = 0;
  uint32_t stacks_ = 0;
  uint64_t history_ = 0;
};

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Calls outside captures become ops: work on streams, event records and the waits bound to them,
// host synchronisation, graph launches. So do writes of the CPU that the recorder noticed.
#pragma once

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>

#include "trace/import_captures.h"
#include "trace/import_graphs.h"

namespace bohr::trace {

class Ops {
 public:
  Ops(ImportState& state, GraphPlans& plans, Captures& captures);

  void add(const Kernel& record);
  void add(const Copy& record);
  void add(const Set& record);
  void add(const HostFunc& record);
  void add(const Unmodelled& record);
  void add(const HostWrite& record);
  void add(const EventRecord& record);
  void add(const EventWait& record);
  void add(const HostSync& record);
  void add(const HostAccess& record);
  void add(const ExecChange& record);
  void add(const Launch& record);

 private:
  using EventVersion = std::pair<uint32_t, uint64_t>;
  struct EventHash {
    size_t operator()(const EventVersion& v) const {
      return std::hash<uint64_t>()(v.second * 0x9e3779b97f4a7c15u ^ v.first);
    }
  };
  struct ExecState {
    ExecId id;
    GraphId graph;
    bool unread = false;  // changed in a way that was not read
  };
  Op op(OpKind kind, const Call& call, uint32_t stream);
  OpId push(const Op& op) {
    const OpId id(state_.program.ops.size());
    state_.program.ops.push_back(op);
    return id;
  }
  // Binds a wait or an event synchronisation to the record of that version.
  void bind(uint32_t event, uint64_t version, uint64_t seq, Op* op);
  bool wait_for_context(const HostSync& record, Op* sync);
  ExecState& exec(uint32_t number);
  ExecState make_exec(uint32_t number, GraphId graph);

  ImportState& state_;
  GraphPlans& plans_;
  Captures& captures_;
  std::unordered_map<EventVersion, OpId, EventHash> records_;
  std::set<EventVersion> in_graphs_;  // recorded by a node
  std::unordered_map<uint32_t, ExecState> execs_;
};

}  // namespace bohr::trace

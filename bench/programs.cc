// SPDX-License-Identifier: Apache-2.0
// Builds the programs as a reader would, without text in between.
#include "bench/programs.h"

#include <string>

namespace bohr::bench {

namespace {

constexpr uint64_t kBlock = 4096;

struct Maker {
  Program program;
  uint64_t next_address = 1 << 20;

  explicit Maker(int32_t streams) {
    program.source = "synthetic";
    program.actors.push_back({"host", ActorKind::thread});
    for (int32_t s = 0; s < streams; ++s)
      program.streams.push_back({"s" + std::to_string(s), StreamKind::nonblocking, 0});
    program.names.push_back("kernel");
  }

  LifetimeId lifetime(uint64_t address, StreamId owner) {
    Lifetime block;
    block.name = "b" + std::to_string(program.lifetimes.size());
    block.bytes = kBlock;
    block.pieces.push_back({{address, address + kBlock}, 0});
    block.owner = owner;
    block.buffer = !owner.valid();
    program.lifetimes.push_back(std::move(block));
    return LifetimeId(program.lifetimes.size() - 1);
  }

  uint64_t fresh() { return next_address += kBlock; }

  Access access(LifetimeId id, AccessMode mode) const {
    Access result;
    result.lifetime = id;
    result.range = program.lifetimes[id.index()].pieces.front().range;
    result.mode = mode;
    return result;
  }

  Op op(OpKind kind, StreamId stream) {
    Op result;
    result.kind = kind;
    result.stream = stream;
    result.actor = ActorId(0);
    result.label = NameId(0);
    result.enter = result.exit = static_cast<int64_t>(program.ops.size());
    return result;
  }
};

}  // namespace

Program graph_program(int32_t nodes, int32_t chains, int32_t accesses, int32_t period,
                      int32_t launches) {
  Maker maker(chains);
  Graph graph;
  graph.name = "g";
  std::vector<LifetimeId> own;     // one block a chain, written by it
  std::vector<LifetimeId> handed;  // what it wrote before the last join
  for (int32_t c = 0; c < chains; ++c) {
    own.push_back(maker.lifetime(maker.fresh(), {}));
    handed.push_back(maker.lifetime(maker.fresh(), {}));
  }
  std::vector<NodeId> last(static_cast<size_t>(chains));
  std::vector<NodeId> joined;
  for (int32_t n = 0; n < nodes; ++n) {
    const auto c = static_cast<size_t>(n % chains);
    Op op = maker.op(OpKind::kernel, StreamId(static_cast<int32_t>(c)));
    op.access_begin = static_cast<uint32_t>(graph.accesses.size());
    op.access_count = static_cast<uint32_t>(accesses);
    graph.accesses.push_back(maker.access(own[c], AccessMode::write));
    for (int32_t a = 1; a < accesses; ++a) {
      const auto from = static_cast<size_t>((n + a) % chains);
      graph.accesses.push_back(maker.access(handed[from], AccessMode::read));
    }
    if (last[c].valid()) graph.edges.push_back({last[c], NodeId(n), EdgeKind::full});
    for (const NodeId other : joined)
      if (n / chains % period == 0) graph.edges.push_back({other, NodeId(n), EdgeKind::full});
    last[c] = NodeId(n);
    graph.nodes.push_back(op);
    if (c + 1 == static_cast<size_t>(chains) && (n / chains + 1) % period == 0) {
      joined = last;  // the next round waits for all: what was written is handed over
      for (size_t i = 0; i < own.size(); ++i) {
        handed[i] = own[i];
        own[i] = maker.lifetime(maker.fresh(), {});
      }
    }
  }
  maker.program.graphs.push_back(std::move(graph));
  maker.program.exec_count = 1;
  for (int32_t l = 0; l < launches; ++l) {
    Op op = maker.op(OpKind::launch, StreamId(0));
    op.graph = GraphId(0);
    op.exec = ExecId(0);
    maker.program.ops.push_back(op);
  }
  return std::move(maker.program);
}

Program eager_program(int32_t ops, int32_t streams, int32_t period) {
  constexpr size_t kAlive = 64;  // blocks alive on each stream
  Maker maker(streams);
  Program& program = maker.program;
  struct Per {
    std::vector<LifetimeId> alive;
    size_t next = 0;
    OpId record;
  };
  std::vector<Per> per(static_cast<size_t>(streams));
  for (int32_t s = 0; s < streams; ++s)
    for (size_t i = 0; i < kAlive; ++i)
      per[static_cast<size_t>(s)].alive.push_back(maker.lifetime(maker.fresh(), StreamId(s)));
  for (int32_t i = 0; static_cast<int32_t>(program.ops.size()) < ops; ++i) {
    const int32_t s = i % streams;
    Per& own = per[static_cast<size_t>(s)];
    const Per& neighbour = per[static_cast<size_t>((s + 1) % streams)];
    const bool hand_over = i / streams % period == 0;
    if (hand_over && neighbour.record.valid()) {
      Op wait = maker.op(OpKind::wait, StreamId(s));
      wait.bound = neighbour.record;
      program.ops.push_back(wait);
    }
    // The oldest block is freed and its bytes are handed out again.
    const LifetimeId old = own.alive[own.next];
    Lifetime& freed = program.lifetimes[old.index()];
    freed.free = {{}, static_cast<int32_t>(program.ops.size())};
    Op free = maker.op(OpKind::free, StreamId(s));
    free.lifetime = old;
    program.ops.push_back(free);
    const uint64_t address = freed.pieces.front().range.begin;
    const LifetimeId made = maker.lifetime(address, StreamId(s));
    program.lifetimes[made.index()].alloc = {{}, static_cast<int32_t>(program.ops.size())};
    Op alloc = maker.op(OpKind::alloc, StreamId(s));
    alloc.lifetime = made;
    program.ops.push_back(alloc);
    Op kernel = maker.op(OpKind::kernel, StreamId(s));
    kernel.access_begin = static_cast<uint32_t>(program.accesses.size());
    for (const size_t back : {size_t{1}, size_t{7}})
      program.accesses.push_back(
          maker.access(own.alive[(own.next + kAlive - back) % kAlive], AccessMode::read));
    program.accesses.push_back(maker.access(made, AccessMode::write));
    kernel.access_count = 3;
    program.ops.push_back(kernel);
    own.alive[own.next] = made;
    own.next = (own.next + 1) % kAlive;
    if (hand_over) {
      Op record = maker.op(OpKind::record, StreamId(s));
      own.record = OpId(program.ops.size());
      program.ops.push_back(record);
    }
  }
  return std::move(program);
}

Program racy_program(int32_t ops, int32_t streams, int32_t blocks) {
  Maker maker(streams);
  std::vector<LifetimeId> shared;
  for (int32_t b = 0; b < blocks; ++b) shared.push_back(maker.lifetime(maker.fresh(), {}));
  for (int32_t i = 0; i < ops; ++i) {
    Op kernel = maker.op(OpKind::kernel, StreamId(i % streams));
    kernel.access_begin = static_cast<uint32_t>(maker.program.accesses.size());
    const auto block = static_cast<size_t>(i / streams % blocks);
    const AccessMode mode = i % 3 == 0 ? AccessMode::write : AccessMode::read;
    maker.program.accesses.push_back(maker.access(shared[block], mode));
    kernel.access_count = 1;
    maker.program.ops.push_back(kernel);
  }
  return std::move(maker.program);
}

}  // namespace bohr::bench

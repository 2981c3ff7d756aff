// SPDX-License-Identifier: Apache-2.0
// Numbers are folded in the order of the tables.
#include "model/digest.h"

#include "base/hash.h"

namespace bohr {

namespace {

class Digest {
 public:
  void add(uint64_t value) { value_ = combine(value_, value); }
  template <class Tag>
  void add(Id<Tag> id) {
    add(static_cast<uint64_t>(static_cast<int64_t>(id.value())));
  }
  void add(const Program& program, const Op& op) {
    add(static_cast<uint64_t>(op.kind));
    add(hash(label_of(program, op)));
    add(static_cast<uint64_t>(op.host_return));
    add(static_cast<uint64_t>(op.programmatic));
    add(op.actor), add(op.stream), add(op.bound), add(op.target), add(op.lifetime);
    add(op.graph), add(op.exec), add(op.access_begin), add(op.access_count);
  }
  void add(const Access& access) {
    add(access.range.begin), add(access.range.end), add(access.lifetime);
    add(static_cast<uint64_t>(access.mode));
    add(static_cast<uint64_t>(access.early));
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 1;
};

}  // namespace

uint64_t digest_of(const Program& program) {
  Digest digest;
  for (const Op& op : program.ops) digest.add(program, op);
  for (const Access& access : program.accesses) digest.add(access);
  for (const Graph& graph : program.graphs) {
    digest.add(graph.nodes.size());
    for (const Op& node : graph.nodes) digest.add(program, node);
    for (const Access& access : graph.accesses) digest.add(access);
    for (const Edge& edge : graph.edges) {
      digest.add(edge.from), digest.add(edge.to);
      digest.add(static_cast<uint64_t>(edge.kind));
    }
  }
  return digest.value();
}

}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
#include "replay/sim/items.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace bohr::replay {

namespace {

namespace sim = gpu::sim;

sim::Part part_of(Part part) {
  switch (part) {
    case Part::whole:
      return sim::Part::whole;
    case Part::early:
      return sim::Part::early;
    case Part::rest:
      return sim::Part::rest;
    case Part::source:
      return sim::Part::source;
    case Part::destination:
      return sim::Part::destination;
  }
  return sim::Part::whole;
}

bool in_part(const gpu::Access& access, sim::Part part) {
  const bool writes = access.mode != gpu::Mode::read;
  switch (part) {
    case sim::Part::whole:
      return true;
    case sim::Part::early:
      return access.early;
    case sim::Part::rest:
      return !access.early;
    case sim::Part::source:
      return !writes;
    case sim::Part::destination:
      return writes;
  }
  return false;
}

Error other_run(const Program& program, const std::string& why) {
  return {"program-tape", program.source, "", why, "take the program from the log of the same run"};
}

}  // namespace

Result<std::vector<sim::Item>> items_of_steps(const Program& program,
                                              const std::vector<Step>& steps,
                                              const sim::Tape& tape) {
  std::unordered_map<uint64_t, int32_t> op_of_call;
  for (size_t i = 0; i < tape.ops.size(); ++i) {
    const sim::OpKind kind = tape.ops[i].kind;
    if (kind == sim::OpKind::work || kind == sim::OpKind::touch || kind == sim::OpKind::launch)
      op_of_call[tape.ops[i].seq] = static_cast<int32_t>(i);
  }
  std::vector<sim::Item> items;
  for (const Step& step : steps) {
    const Op& op = program.ops[step.op.index()];
    const auto found = op_of_call.find(static_cast<uint64_t>(op.enter));
    if (found == op_of_call.end()) return other_run(program, "a step has no item on the tape");
    sim::Item item{found->second, -1, part_of(step.part)};
    if (step.node.valid())
      item.node = program.graphs[op.graph.index()].recorded_nodes[step.node.index()];
    items.push_back(item);
  }
  std::vector<sim::Item> wanted = sim::items_of(tape);
  std::vector<sim::Item> given = items;
  std::sort(wanted.begin(), wanted.end());
  std::sort(given.begin(), given.end());
  if (given != wanted) return other_run(program, "its steps are not the items of the tape");
  return items;
}

std::vector<ByteRange> written_ranges(const sim::Tape& tape, const sim::Item& item, bool atomics) {
  std::vector<ByteRange> ranges;
  for (const gpu::Access& access : sim::work_of(tape, item).accesses) {
    const bool stores = access.mode == gpu::Mode::write || access.mode == gpu::Mode::update ||
                        (atomics && access.mode == gpu::Mode::atomic);
    if (stores && in_part(access, item.part))
      ranges.push_back({access.address, access.address + access.bytes});
  }
  return merged(std::move(ranges));
}

}  // namespace bohr::replay

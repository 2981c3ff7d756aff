// SPDX-License-Identifier: Apache-2.0
// Labels are the case's, or in recorded programs the kernel's name with its node number.
#include "check/describe.h"

#include <algorithm>

namespace bohr::check {

namespace {

const char* kind_word(OpKind kind) {
  switch (kind) {
    case OpKind::kernel:
      return "kernel";
    case OpKind::copy:
      return "copy";
    case OpKind::fill:
      return "fill";
    case OpKind::callback:
      return "callback";
    case OpKind::launch:
      return "launch";
    case OpKind::record:
      return "record";
    case OpKind::wait:
      return "wait";
    case OpKind::touch:
      return "touch";
    case OpKind::sync_stream:
    case OpKind::sync_event:
    case OpKind::sync_device:
      return "sync";
    case OpKind::signal:
      return "signal";
    case OpKind::await:
      return "await";
    default:
      return "op";
  }
}

int32_t op_outside(const Place& place) {
  return place.graph.valid() ? place.launch.value() : place.index;
}

}  // namespace

Describer::Describer(const Program& program, const Arenas& arenas)
    : program_(program), arenas_(arenas) {
  outside_ = index_chains(arenas.order.clocks, arenas.order.step, arenas.order.chains);
  for (const GraphArena& arena : arenas.graphs)
    graphs_.push_back(index_chains(arena.order.clocks, arena.order.step, arena.order.chains));
  views_.resize(program.lifetimes.size());
  for (size_t i = 0; i < program.views.size(); ++i)
    views_[program.views[i].lifetime.index()].push_back(static_cast<int32_t>(i));
}

Describer::ChainIndex Describer::index_chains(const order::Clocks& clocks,
                                              const std::vector<int32_t>& step, int32_t chains) {
  ChainIndex index;
  index.steps.resize(static_cast<size_t>(chains));
  index.op.assign(clocks.size(), -1);
  for (size_t op = 0; op < step.size(); ++op) {
    index.op[static_cast<size_t>(step[op])] = static_cast<int32_t>(op);
    const int32_t chain = clocks.chain(step[op]);
    if (chain < 0) continue;
    auto& steps = index.steps[static_cast<size_t>(chain)];
    const size_t at = clocks.position(step[op]) - 1;
    if (steps.size() <= at) steps.resize(at + 1, -1);
    steps[at] = step[op];
  }
  return index;
}

std::string Describer::plain_label(const Place& place) const {
  const Op& op = op_at(program_, place);
  const std::string_view name = label_of(program_, op);
  return name.empty() ? kind_word(op.kind) : std::string(name);
}

std::string Describer::label(const Place& place) const {
  std::string text = plain_label(place);
  if (place.graph.valid() && program_.recorded) text += "#" + std::to_string(place.index);
  const int32_t number = place.launch.valid() ? arenas_.launch_number[place.launch.index()] : 0;
  if (number > 1) text += "@" + std::to_string(number);
  return text;
}

// A node that was added by hand runs where its graph is launched, not where it was added.
std::string Describer::where(const Place& place) const {
  const Op& op = op_at(program_, place);
  if (op.stream.valid()) return program_.streams[op.stream.index()].name;
  if (place.graph.valid()) return "";
  return op.actor.valid() ? program_.actors[op.actor.index()].name : "";
}

Side Describer::side(const Place& place, const Access& access) const {
  const Op& op = op_at(program_, place);
  Side side;
  side.label = label(place);
  side.where = where(place);
  side.graph = place.graph;
  if (place.graph.valid()) {
    side.node = NodeId(place.index);
    side.op = place.launch;
    side.launch = place.launch.valid() ? arenas_.launch_number[place.launch.index()] : 0;
  } else {
    side.op = OpId(place.index);
  }
  side.mode = access.mode;
  side.source = access.source;
  side.lifetime = access.lifetime;
  side.block = program_.lifetimes[access.lifetime.index()].name;
  side.stack = op.stack;
  return side;
}

NamedRange Describer::shared(const Access& a, const Access& b) const {
  const ByteRange common = a.range.intersection(b.range);
  const uint64_t begin = b.offset + (common.begin - b.range.begin);
  return {program_.lifetimes[b.lifetime.index()].name, begin, begin + common.size()};
}

void Describer::add_names(const Access& access, std::vector<std::string>* names) const {
  const auto add = [&](const std::string& name) {
    if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
  };
  add(program_.lifetimes[access.lifetime.index()].name);
  for (const int32_t i : views_[access.lifetime.index()]) {
    const View& view = program_.views[static_cast<size_t>(i)];
    const ByteRange in_lifetime{access.offset, access.offset + access.range.size()};
    if (in_lifetime.overlaps({view.begin, view.end})) add(view.name);
  }
}

OrderFacts Describer::order_in(const order::Clocks& clocks, const ChainIndex& index, GraphId graph,
                               int32_t first, int32_t second) const {
  const auto place = [&](int32_t step) {
    return Place{graph, index.op[static_cast<size_t>(step)], {}};
  };
  const auto named = [&](int32_t step) {
    const int32_t op = step < 0 ? -1 : index.op[static_cast<size_t>(step)];
    return op < 0 ? std::string() : label(Place{graph, op, {}});
  };
  OrderFacts facts;
  facts.stream = where(place(second));
  facts.other_stream = where(place(first));
  facts.needed = named(first);
  const int32_t chain = clocks.chain(first);
  if (chain < 0) return facts;
  const auto& others = index.steps[static_cast<size_t>(chain)];
  const order::Position known = clocks.known(second, chain);
  if (known > 0 && known <= others.size()) facts.known = named(others[known - 1]);
  const int32_t own = clocks.chain(second);
  if (own < 0) return facts;
  const auto& later = index.steps[static_cast<size_t>(own)];
  const auto join =
      std::partition_point(later.begin() + clocks.position(second), later.end(),
                           [&](int32_t step) { return step < 0 || !clocks.before(first, step); });
  if (join != later.end()) facts.join = named(*join);
  return facts;
}

OrderFacts Describer::order(const Place& first, const Place& second) const {
  if (first.graph.valid() && !first.launch.valid()) {
    const GraphArena& arena = arenas_.graphs[first.graph.index()];
    const auto step = [&](const Place& p) {
      return arena.order.step[static_cast<size_t>(p.index)];
    };
    return order_in(arena.order.clocks, graphs_[first.graph.index()], first.graph, step(first),
                    step(second));
  }
  const auto step = [&](const Place& p) {
    return arenas_.order.step[static_cast<size_t>(op_outside(p))];
  };
  OrderFacts facts = order_in(arenas_.order.clocks, outside_, {}, step(first), step(second));
  facts.needed = label(first);
  return facts;
}

OrderFacts Describer::order_at_free(const Place& use, const Lifetime& lifetime) const {
  OrderFacts facts;
  if (lifetime.owner.valid()) facts.stream = program_.streams[lifetime.owner.index()].name;
  facts.other_stream = where(use);
  facts.needed = label(use);
  if (lifetime.free.graph.valid() || !lifetime.free.known()) return facts;
  const order::Clocks& clocks = arenas_.order.clocks;
  const int32_t free = arenas_.order.step[static_cast<size_t>(lifetime.free.index)];
  const int32_t chain = clocks.chain(arenas_.order.step[static_cast<size_t>(op_outside(use))]);
  if (chain < 0) return facts;
  const order::Position known = clocks.known(free, chain);
  const auto& steps = outside_.steps[static_cast<size_t>(chain)];
  if (known > 0 && known <= steps.size() && steps[known - 1] >= 0) {
    const int32_t op = outside_.op[static_cast<size_t>(steps[known - 1])];
    if (op >= 0) facts.known = label(Place{{}, op, {}});
  }
  return facts;
}

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// Listings are one record per line and are not wrapped, so that they can be searched with grep.
#include "report/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/frames.h"
#include "report/words.h"

namespace bohr::report {

namespace {

int64_t size_of(const auto& list) { return static_cast<int64_t>(list.size()); }

std::string stream_name(const Program& program, const Op& op) {
  if (op.stream.valid()) return program.streams[op.stream.index()].name;
  return op.actor.valid() ? program.actors[op.actor.index()].name : std::string();
}

std::string access_text(const Program& program, const Access& access) {
  const std::string name = access.lifetime.valid() ? program.lifetimes[access.lifetime.index()].name
                                                   : fmt::format("{:#x}", access.range.begin);
  return fmt::format(" {} {}{}{}", mode_word(access.mode), name,
                     range(access.offset, access.offset + access.range.size()),
                     access.early ? " early" : "");
}

std::string detail_text(const Program& program, const Op& op) {
  std::string text;
  if (op.label.valid()) text += " " + short_name(label_of(program, op));
  if (op.kind == OpKind::launch && op.graph.valid()) {
    text += " graph " + program.graphs[op.graph.index()].name;
  }
  if (op.lifetime.valid()) text += " " + program.lifetimes[op.lifetime.index()].name;
  if (op.bound.valid()) text += fmt::format(" of op {}", op.bound.value());
  if (op.target.valid()) text += " " + program.streams[op.target.index()].name;
  if (op.programmatic) text += " pdl";
  if (op.unknown) text += " unknown";
  if (op.params_unread) text += " params-unread";
  return text;
}

template <class Accesses>
std::string op_line(const Program& program, const Accesses& accesses, size_t index, const Op& op) {
  std::string line = fmt::format("{:>7}  {:<10} {}{}", index, stream_name(program, op),
                                 op_word(op.kind), detail_text(program, op));
  for (const Access& access : accesses_of(accesses, op)) line += access_text(program, access);
  if (const Frame* frame = useful_frame(program, op.stack)) line += "  # " + frame_text(*frame);
  return printable(line) + "\n";
}

const char* edge_word(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::full:
      return "";
    case EdgeKind::programmatic:
      return " programmatic";
    case EdgeKind::launch_order:
      break;
  }
  return " launch-order";
}

struct Kinds {
  int64_t kernels = 0, copies = 0, launches = 0, syncs = 0, waits = 0;
};

Kinds count_kinds(const Program& program) {
  Kinds kinds;
  for (const Op& op : program.ops) {
    kinds.kernels += op.kind == OpKind::kernel;
    kinds.copies += op.kind == OpKind::copy || op.kind == OpKind::fill;
    kinds.launches += op.kind == OpKind::launch;
    kinds.waits += op.kind == OpKind::wait;
    kinds.syncs += op.kind == OpKind::sync_stream || op.kind == OpKind::sync_event ||
                   op.kind == OpKind::sync_device;
  }
  return kinds;
}

std::string graphs_text(const Program& program) {
  int64_t nodes = 0, edges = 0;
  for (const Graph& graph : program.graphs) nodes += size_of(graph.nodes);
  for (const Graph& graph : program.graphs) edges += size_of(graph.edges);
  return fmt::format("{}, {}, {}", count(size_of(program.graphs), "graph"), count(nodes, "node"),
                     count(edges, "edge"));
}

std::string stream_list(const Program& program) {
  std::string text = count(size_of(program.streams), "stream");
  constexpr size_t kMost = 12;
  for (size_t i = 0; i < std::min(kMost, program.streams.size()); ++i) {
    text += (i == 0 ? ": " : ", ") + program.streams[i].name;
  }
  return program.streams.size() > kMost ? text + ", …" : text;
}

std::string lifetimes_text(const Program& program) {
  const int64_t buffers = std::ranges::count_if(program.lifetimes, &Lifetime::buffer);
  const int64_t freed = std::ranges::count_if(
      program.lifetimes, [](const Lifetime& lifetime) { return lifetime.free.known(); });
  return fmt::format("{}: {} throughout, {} freed; {}",
                     count(size_of(program.lifetimes), "lifetime"), count(buffers), count(freed),
                     count(size_of(program.pools), "pool"));
}

void add_summary(Page* page, const Subject& subject) {
  const Program& program = *subject.program;
  page->paragraph(subject.name, Ink::bold);
  if (!program.device.empty()) page->field("device", program.device);
  const Kinds kinds = count_kinds(program);
  page->field("graphs", graphs_text(program));
  page->field("launches", count(kinds.launches));
  page->field("eager work", fmt::format("{}, {}", count(kinds.kernels, "kernel"),
                                        count(kinds.copies, "copy or fill operation")));
  page->field("order", fmt::format("{}, {}", count(kinds.waits, "event wait"),
                                   count(kinds.syncs, "host synchronisation")));
  page->field("streams", stream_list(program));
  page->field("threads", count(size_of(program.actors)));
  page->field("memory", lifetimes_text(program));
  page->field("stacks", count(size_of(program.stacks)));
  for (const Diagnostic& diagnostic : program.diagnostics) {
    page->field("noticed",
                fmt::format("{}: {}{}", diagnostic.reason, diagnostic.text,
                            diagnostic.count > 1 ? fmt::format(" (x {})", count(diagnostic.count))
                                                 : std::string()));
  }
  constexpr size_t kMostGraphs = 20;
  const size_t shown = std::min(program.graphs.size(), kMostGraphs);
  for (size_t i = 0; i < shown; ++i) {
    const Graph& graph = program.graphs[i];
    page->field(i == 0 ? "graph" : "",
                fmt::format("{}  {}: {}, {}{}", i, graph.name, count(size_of(graph.nodes), "node"),
                            count(size_of(graph.edges), "edge"),
                            graph.fully_read ? "" : ", not fully read"));
  }
  if (shown < program.graphs.size()) {
    page->field("", fmt::format("and {} more",
                                count(size_of(program.graphs) - static_cast<int64_t>(shown))));
  }
}

}  // namespace

std::string render_summary(std::span<const Subject> subjects, const Style& style) {
  Page page(style);
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (i > 0) page.blank();
    add_summary(&page, subjects[i]);
  }
  return page.take();
}

std::string render_ops(const Program& program) {
  std::string text;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    text += op_line(program, program, i, program.ops[i]);
  }
  return text;
}

std::string render_graph(const Program& program, GraphId id) {
  const Graph& graph = program.graphs[id.index()];
  std::string text;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    text += op_line(program, graph, i, graph.nodes[i]);
  }
  for (const Edge& edge : graph.edges) {
    text +=
        fmt::format("edge {} -> {}{}\n", edge.from.value(), edge.to.value(), edge_word(edge.kind));
  }
  for (const Mark& mark : graph.marks) {
    text +=
        fmt::format("{} {} before node {}\n", mark.kind == MarkKind::alloc ? "alloc" : "free",
                    printable(program.lifetimes[mark.lifetime.index()].name), mark.before.value());
  }
  return text;
}

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// Only the two lifetimes that the pair names are shown, and the nodes of the graph that access one
// of them; of many those that were issued nearest to the pair. A lifetime that begins or ends
// outside the graph reaches to the picture's edge.
#include "report/html/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "report/frames.h"
#include "report/html/slice.h"
#include "report/words.h"

namespace bohr::report::html {

namespace {

constexpr size_t kMostAccesses = 16;

class Picture {
 public:
  Picture(const Program& program, const Finding& finding)
      : program_(program),
        finding_(finding),
        graph_(program.graphs[finding.first.graph.index()]),
        colours_(stream_colours(graph_)) {}

  MemoryPicture draw() {
    MemoryPicture picture;
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      picture.places.push_back(
          fmt::format("{}#{}", label_text(label_of(program_, graph_.nodes[i])), i));
    std::vector<LifetimeId> lifetimes = {finding_.first.lifetime, finding_.second.lifetime};
    if (lifetimes[0] == lifetimes[1]) lifetimes.pop_back();
    for (const LifetimeId id : lifetimes) lowest_ = std::min(lowest_, begin_of(id));
    for (const LifetimeId id : lifetimes) add(id, &picture);
    for (const int32_t node : nodes_that_access(lifetimes)) add(node, lifetimes, &picture);
    return picture;
  }

 private:
  const Lifetime& lifetime(LifetimeId id) const { return program_.lifetimes[id.index()]; }
  uint64_t begin_of(LifetimeId id) const {
    uint64_t begin = UINT64_MAX;
    for (const Piece& piece : lifetime(id).pieces) begin = std::min(begin, piece.range.begin);
    return begin;
  }
  // Between two nodes: half a place before the next one.
  double place(const Point& point, double otherwise) const {
    const bool here = point.known() && point.graph == finding_.first.graph;
    return here ? point.index - 0.5 : otherwise;
  }

  void add(LifetimeId id, MemoryPicture* picture) const {
    const Lifetime& one = lifetime(id);
    const double end = static_cast<double>(graph_.nodes.size()) - 0.5;
    for (const Piece& piece : one.pieces)
      picture->lifetimes.push_back({one.name,
                                    {place(one.alloc, -0.5), place(one.free, end),
                                     piece.range.begin - lowest_, piece.range.end - lowest_}});
  }

  // In issue order.
  std::vector<int32_t> nodes_that_access(const std::vector<LifetimeId>& lifetimes) const {
    std::vector<int32_t> nodes;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto accesses = accesses_of(graph_, graph_.nodes[i]);
      if (std::any_of(accesses.begin(), accesses.end(),
                      [&](const Access& one) { return is_one_of(one.lifetime, lifetimes); }))
        nodes.push_back(static_cast<int32_t>(i));
    }
    const auto far = [&](int32_t node) {
      return std::min(std::abs(node - finding_.first.node.value()),
                      std::abs(node - finding_.second.node.value()));
    };
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int32_t a, int32_t b) { return far(a) < far(b); });
    nodes.resize(std::min(nodes.size(), kMostAccesses));
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }
  static bool is_one_of(LifetimeId id, const std::vector<LifetimeId>& list) {
    return std::find(list.begin(), list.end(), id) != list.end();
  }

  void add(int32_t index, const std::vector<LifetimeId>& lifetimes, MemoryPicture* picture) const {
    const auto node = static_cast<size_t>(index);
    const Op& op = graph_.nodes[node];
    MemoryAccess made;
    for (const Access& access : accesses_of(graph_, op)) {
      if (!is_one_of(access.lifetime, lifetimes)) continue;
      made.writes = made.writes || writes(access.mode);
      made.spans.push_back({0, 0, access.range.begin - lowest_, access.range.end - lowest_});
    }
    made.label = picture->places[node];
    made.stream = op.stream.valid() ? program_.streams[op.stream.index()].name : std::string();
    made.colour = colours_[node];
    made.racing = index == finding_.first.node.value() || index == finding_.second.node.value();
    made.place = index;
    const Reach reach = reach_of(graph_, {index});
    double from = -0.5, to = static_cast<double>(graph_.nodes.size()) - 0.5;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (reach.before[0][i]) from = std::max(from, static_cast<double>(i) + 0.5);
      if (reach.after[0][i]) to = std::min(to, static_cast<double>(i) - 0.5);
    }
    for (Span& span : made.spans) span.from = from, span.to = to;
    picture->accesses.push_back(std::move(made));
  }

  const Program& program_;
  const Finding& finding_;
  const Graph& graph_;
  std::vector<int32_t> colours_;
  uint64_t lowest_ = UINT64_MAX;
};

// "behind wqkv_a#2", "before attention#7".
std::string from_text(const MemoryPicture& picture, double from) {
  const auto node = std::lround(from - 0.5);
  return from < 0 ? "the start" : "behind " + picture.places[static_cast<size_t>(node)];
}
std::string to_text(const MemoryPicture& picture, double to) {
  const auto node = static_cast<size_t>(std::lround(to + 0.5));
  return node >= picture.places.size() ? "the end" : "before " + picture.places[node];
}

}  // namespace

MemoryPicture memory_picture(const Program& program, const Finding& finding) {
  return Picture(program, finding).draw();
}

Table memory_numbers(const MemoryPicture& picture) {
  Table table{{"what", "stream", "bytes", "from", "to"}, {}};
  for (const MemoryLifetime& one : picture.lifetimes)
    table.rows.push_back({one.name + " (block)", "", range(one.span.begin, one.span.end),
                          from_text(picture, one.span.from), to_text(picture, one.span.to)});
  for (const MemoryAccess& one : picture.accesses) {
    std::string touched;
    for (const Span& span : one.spans)
      touched += (touched.empty() ? "" : ", ") + range(span.begin, span.end);
    table.rows.push_back({one.label + (one.writes ? " writes" : " reads"), one.stream, touched,
                          from_text(picture, one.spans.front().from),
                          to_text(picture, one.spans.front().to)});
  }
  return table;
}

}  // namespace bohr::report::html

// SPDX-License-Identifier: Apache-2.0
// One object for each question, which ends with the first answer.
#include "check/absence.h"

#include <algorithm>
#include <array>
#include <map>

#include "check/order_between.h"

namespace bohr::check {

namespace {

bool has_reason(const Program& program, std::span<const std::string_view> reasons,
                std::string* which) {
  for (const Diagnostic& diagnostic : program.diagnostics) {
    if (std::ranges::find(reasons, diagnostic.reason) == reasons.end()) continue;
    *which = diagnostic.reason;
    return true;
  }
  return false;
}

// With these, that something is not in the trace says nothing.
constexpr std::array<std::string_view, 3> kPartsMissing = {"lost-records", "attached-late",
                                                           "not-recorded"};
constexpr std::array<std::string_view, 3> kBlocksMissing = {
    "allocator-unknown", "allocator-order-unknown", "unknown-allocation"};

bool works(OpKind kind) {
  return kind == OpKind::kernel || kind == OpKind::copy || kind == OpKind::fill ||
         kind == OpKind::callback || kind == OpKind::launch || kind == OpKind::unmodelled;
}

}  // namespace

class Absentee {
 public:
  Absentee(const Elsewhere& here, const Program& from, const Verdict& verdict, const Cause& cause,
           GraphId graph)
      : here_(here),
        there_(here.program_),
        from_(from),
        finding_(first_finding(verdict, cause)),
        freed_(cause.freed),
        graph_(graph) {}

  Absence run() {
    std::string reason;
    if (has_reason(there_, kPartsMissing, &reason)) return {AbsenceKind::unrecorded, reason, {}};
    if (Absence missing = block(); missing.kind != AbsenceKind::unknown) return missing;
    std::vector<Place> first, second;
    if (Absence missing = side(finding_.first, &first); missing.kind != AbsenceKind::unknown)
      return missing;
    if (finding_.cls == HazardClass::lifetime) return freed_elsewhere();
    if (Absence missing = side(finding_.second, &second); missing.kind != AbsenceKind::unknown)
      return missing;
    return judge(first, second);
  }

 private:
  struct Sides {
    Place first;
    Place second;
  };

  // Of a mistake between streams: one of them exists and does nothing, and all work is on another.
  Absence side_unused() const {
    if (finding_.first.where == finding_.second.where) return {};
    if (std::ranges::count(here_.stream_works_, true) != 1) return {};
    for (const Side* side : {&finding_.first, &finding_.second}) {
      for (size_t i = 0; i < there_.streams.size(); ++i) {
        if (there_.streams[i].name == side->where && !here_.stream_works_[i])
          return {AbsenceKind::side_unused, side->where, {}};
      }
    }
    return {};
  }

  Absence block() {
    const LifetimeId wanted = freed_.valid() ? freed_ : finding_.first.lifetime;
    if (!wanted.valid()) return {};
    bytes_ = from_.lifetimes[wanted.index()].bytes;
    blocks_ = here_.alike_.blocks(from_, wanted);
    std::string reason;
    if (!blocks_ || has_reason(there_, kBlocksMissing, &reason)) return {};
    const bool any = std::ranges::find(*blocks_, true) != blocks_->end();
    return any ? Absence{} : Absence{AbsenceKind::no_block, {}, {}};
  }

  // `unknown` where the side is there, in `places`.
  Absence side(const Side& side, std::vector<Place>* places) const {
    const Op* op = op_of(from_, side);
    if (op == nullptr) return {AbsenceKind::no_work, side.label, {}};
    const std::vector<Place> named = here_.alike_.named(from_, *op, graph_);
    *places = here_.alike_.same_line(from_, *op, named);
    if (!places->empty()) return {};
    if (Absence unused = side_unused(); unused.kind != AbsenceKind::unknown) return unused;
    if (!named.empty()) return {AbsenceKind::not_reached, line_of(from_, *op), {}};
    const std::string_view label = label_of(from_, *op);
    return {AbsenceKind::no_work, label.empty() ? side.label : std::string(label), {}};
  }

  Absence freed_elsewhere() const {
    if (!blocks_) return {};
    for (const Cause& cause : here_.verdict_.causes) {
      const bool same =
          cause.cls == HazardClass::reuse && cause.freed.valid() && (*blocks_)[cause.freed.index()];
      if (same) return {AbsenceKind::reused, cause.site, {}};
    }
    bool freed = false;
    for (size_t i = 0; i < blocks_->size(); ++i)
      freed = freed || ((*blocks_)[i] && there_.lifetimes[i].free.known());
    if (!freed) return {AbsenceKind::not_freed, {}, {}};
    return {complete() ? AbsenceKind::free_later : AbsenceKind::unknown, {}, {}};
  }

  // Whether the check decided all of the finding's class here.
  bool complete() const {
    const auto cls = static_cast<size_t>(finding_.cls);
    return here_.verdict_.coverage[cls].state == CoverageState::complete;
  }

  // Each first side with the next second one, of the same graph or both outside graphs.
  std::vector<Sides> beside(const std::vector<Place>& first,
                            const std::vector<Place>& second) const {
    std::vector<Sides> pairs;
    for (const Place& place : first) {
      const Place* next = nullptr;
      for (const Place& other : second) {
        const bool behind = other.graph == place.graph && other.index > place.index;
        if (behind && (next == nullptr || other.index < next->index)) next = &other;
      }
      if (next != nullptr) pairs.push_back({place, *next});
    }
    return pairs;
  }

  // The ops that make them happen: themselves, or the launches of their graphs.
  std::vector<Place> launched(const std::vector<Place>& places) const {
    std::vector<Place> all;
    for (const Place& place : places) {
      if (!place.graph.valid()) all.push_back(place);
      if (!place.graph.valid()) continue;
      for (const int32_t op : here_.launches_[place.graph.index()])
        all.push_back({place.graph, place.index, OpId(op)});
    }
    return all;
  }

  static int32_t issued(const Place& place) {
    return place.launch.valid() ? place.launch.value() : place.index;
  }

  std::vector<Sides> behind_each_other(const std::vector<Place>& first,
                                       const std::vector<Place>& second) const {
    std::map<int32_t, Place> by_issue;
    for (const Place& place : launched(second)) by_issue.emplace(issued(place), place);
    std::vector<Sides> pairs;
    for (const Place& place : launched(first)) {
      const auto next = by_issue.upper_bound(issued(place));
      if (next != by_issue.end()) pairs.push_back({place, next->second});
    }
    return pairs;
  }

  Absence judge(const std::vector<Place>& first, const std::vector<Place>& second) const {
    const bool inside = !finding_.first.op.valid() || !finding_.first.graph.valid();
    std::vector<Sides> pairs = inside ? beside(first, second) : std::vector<Sides>();
    if (pairs.empty() && !graph_.valid()) pairs = behind_each_other(first, second);
    std::map<AbsenceKind, std::pair<int64_t, Absence>> found;
    for (const Sides& pair : pairs) {
      const Absence one = judge(pair);
      auto& [times, told] = found.try_emplace(one.kind, 0, one).first->second;
      ++times;
    }
    if (found.empty() || found.begin()->first == AbsenceKind::unknown) return {};
    const auto most = std::ranges::max_element(
        found, [](const auto& a, const auto& b) { return a.second.first <= b.second.first; });
    return most->second.second;
  }

  Absence judge(const Sides& pair) const {
    if (finding_.cls == HazardClass::pool) return judge_pool(pair);
    const Op& first = op_at(there_, pair.first);
    const Op& second = op_at(there_, pair.second);
    const auto stream = [&](const Op& op, const Place& place) {
      return place.launch.valid() ? there_.ops[place.launch.index()].stream : op.stream;
    };
    if (first.stream.valid() && stream(first, pair.first) == stream(second, pair.second)) {
      Absence unused = side_unused();
      return unused.kind != AbsenceKind::unknown ? unused
                                                 : Absence{AbsenceKind::one_stream, {}, {}};
    }
    if (!share_bytes(pair)) return {kind_of_unshared(pair.first), {}, {}};
    if (pair.first.graph.valid() && !pair.first.launch.valid())
      return order_in_graph(there_, here_.arenas_, pair.first, pair.second);
    return order_outside(there_, here_.arenas_, here_.on_stream_, issued(pair.first),
                         issued(pair.second));
  }

  // Of class pool all is ordered; what matters is whose bytes a graph finds at its address.
  Absence judge_pool(const Sides& pair) const {
    if (!share_bytes(pair)) return {kind_of_unshared(pair.first), {}, {}};
    return {complete() ? AbsenceKind::own_bytes : AbsenceKind::unknown, {}, {}};
  }

  std::span<const Access> accesses(const Place& place) const {
    const Op& op = op_at(there_, place);
    return place.graph.valid() ? accesses_of(there_.graphs[place.graph.index()], op)
                               : accesses_of(there_, op);
  }

  bool share_bytes(const Sides& pair) const {
    for (const Access& a : accesses(pair.first)) {
      for (const Access& b : accesses(pair.second)) {
        const bool conflicts = effect_of(a.mode) == Effect::write ||
                               effect_of(b.mode) == Effect::write || a.mode != b.mode;
        if (conflicts && a.range.overlaps(b.range)) return true;
      }
    }
    return false;
  }

  AbsenceKind kind_of_unshared(const Place& first) const {
    bool uses_block = false, same_size = false;
    for (const Access& access : accesses(first)) {
      if (!blocks_ || !(*blocks_)[access.lifetime.index()]) continue;
      uses_block = true;
      same_size = same_size || there_.lifetimes[access.lifetime.index()].bytes == bytes_;
    }
    return uses_block && !same_size ? AbsenceKind::sizes : AbsenceKind::not_shared;
  }

  const Elsewhere& here_;
  const Program& there_;
  const Program& from_;
  const Finding& finding_;
  LifetimeId freed_;
  GraphId graph_;
  uint64_t bytes_ = 0;
  std::optional<std::vector<bool>> blocks_;
};

Elsewhere::Elsewhere(const Program& program, const Verdict& verdict, const Arenas& arenas)
    : program_(program),
      verdict_(verdict),
      arenas_(arenas),
      alike_(program),
      stream_works_(program.streams.size(), false),
      launches_(program.graphs.size()),
      on_stream_(program.streams.size()) {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (op.kind == OpKind::launch && op.graph.valid())
      launches_[op.graph.index()].push_back(static_cast<int32_t>(i));
    if (!op.stream.valid()) continue;
    on_stream_[op.stream.index()].push_back(static_cast<int32_t>(i));
    if (works(op.kind)) stream_works_[op.stream.index()] = true;
  }
  for (const Graph& graph : program.graphs) {
    for (const Op& node : graph.nodes)
      if (node.stream.valid() && works(node.kind)) stream_works_[node.stream.index()] = true;
  }
}

Absence Elsewhere::why(const Program& from, const Verdict& verdict, const Cause& cause,
                       GraphId graph) const {
  return Absentee(*this, from, verdict, cause, graph).run();
}

}  // namespace bohr::check

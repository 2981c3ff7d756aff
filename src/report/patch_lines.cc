// SPDX-License-Identifier: Apache-2.0
#include "report/patch_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/frames.h"
#include "report/layout.h"
#include "report/words.h"

namespace bohr::report {

namespace {

class Lines {
 public:
  Lines(const Program& program, const Verdict& verdict, const Cause& cause, const RepairPart& part)
      : program_(program), verdict_(verdict), cause_(cause), part_(part) {}

  std::vector<PatchLine> run() {
    switch (part_.kind) {
      case RepairKind::lifetime:
        hold();
        break;
      case RepairKind::separate:
        separate();
        break;
      case RepairKind::edge:
        edge();
        break;
    }
    return std::move(lines_);
  }

 private:
  void add(char sign, StackId stack, std::string what) {
    std::string at = at_stack(program_, stack);
    for (const char* prefix : {" at ", " in "})
      if (at.starts_with(prefix)) at.erase(0, 4);
    lines_.push_back({sign, std::move(at), std::move(what), stack});
  }

  bool in_python(StackId stack) const {
    const Frame* frame = useful_frame(program_, stack);
    return frame != nullptr && frame->python;
  }

  std::string stream_name(StreamId stream) const {
    return stream.valid() ? printable(program_.streams[stream.index()].name) : std::string();
  }

  // --- memory ---

  void hold() {
    const Lifetime& block = program_.lifetimes[part_.lifetime.index()];
    const std::string name = printable(part_.first);
    add('-', block.free_stack, fmt::format("the last reference to {} is dropped", name));
    if (!part_.until.known()) {
      add('+', StackId(), fmt::format("keep {} for as long as the graph is launched", name));
      return;
    }
    const std::string owner = stream_name(block.owner);
    const std::string readers = other_streams(block.owner);
    if (part_.second.empty())
      add('+', part_.second_stack,
          fmt::format("drop {} where {} has waited for {}", name, owner, readers));
    else
      add('+', part_.second_stack,
          fmt::format("drop {} here, before {}: {} has waited for {}", name,
                      printable(part_.second), owner, readers));
    if (in_python(block.free_stack))
      lines_.back().what += fmt::format("; or record_stream({}) before it is dropped", readers);
  }

  // The streams of the uses that the owner does not wait for.
  std::string other_streams(StreamId owner) const {
    std::string text;
    for (const int32_t index : cause_.findings) {
      const Side& side = verdict_.findings[static_cast<size_t>(index)].first;
      const std::string where = printable(side.where);
      const bool own = where == stream_name(owner) || where.empty();
      if (!own && text.find(where) == std::string::npos) text += (text.empty() ? "" : ", ") + where;
    }
    return text.empty() ? "all that uses it" : text;
  }

  void separate() {
    const std::string name = printable(part_.first), users = printable(part_.second);
    const StackId stack = program_.lifetimes[part_.lifetime.index()].alloc_stack;
    if (!part_.accesses.empty())
      add('+', stack,
          fmt::format("a block for {} beside {}: one for each stream, or two in turn", users,
                      name));
    else
      add('+', stack, fmt::format("allocate {} apart: a pool or a workspace of its own", name));
  }

  // --- order ---

  const std::vector<Op>& places() const {
    return part_.graph.valid() ? program_.graphs[part_.graph.index()].nodes : program_.ops;
  }

  void edge() {
    const Op& from = places()[static_cast<size_t>(part_.from)];
    const Op& to = places()[static_cast<size_t>(part_.to)];
    const std::string first = printable(part_.first), second = printable(part_.second);
    if (is_programmatic()) {
      add('-', part_.second_stack,
          fmt::format("{} may start before {} has ended: launch it without programmatic "
                      "serialisation, or wait for the grid dependency before its first access",
                      second, first));
    } else if (from.stream.valid() && to.stream.valid()) {
      between_streams(from, to, first, second);
    } else if (to.stream.valid()) {
      add('+', part_.first_stack, fmt::format("signal when {} is done", first));
      add('+', part_.second_stack,
          fmt::format("{} waits for that before {}", stream_name(to.stream), second));
    } else if (is_thread(to)) {
      add('+', part_.second_stack,
          fmt::format("synchronise with {} (an event recorded behind it) before {}; or use another "
                      "buffer for what is next",
                      first, second));
    } else {
      add('+', part_.first_stack,
          fmt::format("tell {} only once {} is done", actor_name(to), first));
    }
  }

  bool is_thread(const Op& op) const {
    return op.actor.valid() && program_.actors[op.actor.index()].kind == ActorKind::thread;
  }
  std::string actor_name(const Op& op) const {
    return op.actor.valid() ? printable(program_.actors[op.actor.index()].name) : "the other side";
  }

  bool is_programmatic() const {
    if (!part_.graph.valid()) {
      const Op& to = program_.ops[static_cast<size_t>(part_.to)];
      const Op& from = program_.ops[static_cast<size_t>(part_.from)];
      return to.programmatic && from.stream.valid() && from.stream == to.stream;
    }
    const auto& edges = program_.graphs[part_.graph.index()].edges;
    return std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
      return edge.from.value() == part_.from && edge.to.value() == part_.to &&
             edge.kind == EdgeKind::programmatic;
    });
  }

  void between_streams(const Op& from, const Op& to, const std::string& first,
                       const std::string& second) {
    const std::string one = stream_name(from.stream), other = stream_name(to.stream);
    const bool python = in_python(part_.second_stack);
    add('+', part_.first_stack,
        fmt::format("record an event on {} behind {}{}", one, first,
                    python ? " (e = stream.record_event())" : ""));
    add('+', part_.second_stack,
        fmt::format("{} waits for it before {}{}", other, second,
                    python ? " (stream.wait_event(e))" : ""));
    if (const Op* stale = stale_wait(from, to))
      add('-', stale->stack,
          fmt::format("the wait of {} is bound to an older record of its event: record it behind "
                      "{}, or use an event for each capture",
                      other, first));
    if (const std::string join = late_join(); !join.empty())
      add(' ', part_.second_stack,
          join == "wait" ? "or move the wait that comes later up to here"
                         : fmt::format("or move the wait that stands before {} up to here", join));
  }

  // A wait of the later side for the earlier side's stream that is bound to a record before it.
  const Op* stale_wait(const Op& from, const Op& to) const {
    if (part_.graph.valid()) return nullptr;
    for (auto i = static_cast<size_t>(part_.to); i-- > static_cast<size_t>(part_.from);) {
      const Op& op = program_.ops[i];
      if (op.kind != OpKind::wait || op.hidden || op.stream != to.stream || !op.bound.valid())
        continue;
      const Op& record = program_.ops[op.bound.index()];
      if (record.stream == from.stream && op.bound.value() < part_.from) return &op;
    }
    return nullptr;
  }

  // What the join that exists stands before, where it comes too late.
  std::string late_join() const {
    for (const int32_t index : cause_.findings) {
      const Finding& finding = verdict_.findings[static_cast<size_t>(index)];
      if (finding.first.label == part_.first && finding.second.label == part_.second)
        return printable(finding.order.join);
    }
    return {};
  }

  const Program& program_;
  const Verdict& verdict_;
  const Cause& cause_;
  const RepairPart& part_;
  std::vector<PatchLine> lines_;
};

}  // namespace

std::vector<PatchLine> patch_lines(const Program& program, const Verdict& verdict,
                                   const Cause& cause, const RepairPart& part) {
  return Lines(program, verdict, cause, part).run();
}

std::vector<PatchLine> patch_lines(const Program& program, const Verdict& verdict,
                                   const Repair& repair) {
  std::vector<PatchLine> all;
  const auto cause = std::find_if(verdict.causes.begin(), verdict.causes.end(),
                                  [&](const Cause& one) { return one.id == repair.cause; });
  if (cause == verdict.causes.end()) return all;
  for (const RepairPart& part : repair.parts)
    for (PatchLine& line : patch_lines(program, verdict, *cause, part))
      if (std::find(all.begin(), all.end(), line) == all.end()) all.push_back(std::move(line));
  return all;
}

}  // namespace bohr::report

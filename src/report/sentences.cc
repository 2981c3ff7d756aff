// SPDX-License-Identifier: Apache-2.0
// Sentences by class and by what the two sides do. Nothing is added that the finding does not say:
// where a stack or an order fact is missing, its part of the sentence is left out.
#include "report/sentences.h"

#include <fmt/format.h>

#include "report/frames.h"
#include "report/words.h"

namespace bohr::report {

namespace {

const Lifetime* lifetime_of(const Program& program, const Side& side) {
  if (!side.lifetime.valid() || side.lifetime.index() >= program.lifetimes.size()) return nullptr;
  return &program.lifetimes[side.lifetime.index()];
}

// The finding's range is told in the second side's block; this is the same memory in the first's.
NamedRange first_range(const Program& program, const Finding& finding) {
  NamedRange range = finding.range;
  range.name = finding.first.block;
  const Lifetime* first = lifetime_of(program, finding.first);
  const Lifetime* second = lifetime_of(program, finding.second);
  if (first == nullptr || second == nullptr || first == second) return range;
  for (const Piece& piece : second->pieces) {
    if (range.begin < piece.offset || range.begin >= piece.offset + piece.range.size()) continue;
    const uint64_t address = piece.range.begin + (range.begin - piece.offset);
    for (const Piece& mine : first->pieces) {
      if (address < mine.range.begin || address >= mine.range.end) continue;
      const uint64_t begin = mine.offset + (address - mine.range.begin);
      return {range.name, begin, begin + (range.end - range.begin)};
    }
  }
  return range;
}

std::string named(const NamedRange& named_range) {
  return fmt::format("{} {}", named_range.name, range(named_range.begin, named_range.end));
}

const char* does(AccessMode mode) {
  switch (mode) {
    case AccessMode::read:
      return "reads";
    case AccessMode::write:
      return "writes";
    case AccessMode::update:
      return "updates";
    case AccessMode::atomic:
      return "adds to";
    case AccessMode::touch:
      break;
  }
  return "uses";
}

std::string does_to_the_same(AccessMode mode, bool after) {
  if (mode == AccessMode::read) return "reads it";
  if (mode == AccessMode::touch) return "uses it";
  return after ? "overwrites it" : fmt::format("{} it", does(mode));
}

// Nodes that were added by hand are on no stream.
const std::string& who(const Side& side) { return side.where.empty() ? side.label : side.where; }

std::string no_wait(const Finding& finding) {
  if (finding.first.where == finding.second.where) return "Nothing orders the two.";
  return fmt::format("Nothing makes {} wait for {}.", who(finding.second), who(finding.first));
}

// The side is the allocation of stream-ordered memory: a node, or the record behind the call.
bool is_allocation(const Program& program, const Side& side) {
  if (!side.graph.valid())
    return side.op.valid() && program.ops[side.op.index()].hidden &&
           program.ops[side.op.index()].kind == OpKind::record;
  const Lifetime* block = lifetime_of(program, side);
  return block != nullptr && block->stream_ordered && block->alloc.graph == side.graph &&
         block->alloc.index == side.node.value() + 1;
}

std::string too_early(const Finding& finding) {
  return fmt::format(
             "{} may use {} before it is there: memory of this kind comes with its allocation's "
             "place in its stream or graph. ",
             label_text(finding.second.label), finding.first.block) +
         no_wait(finding);
}

std::string unordered(const Program& program, const Finding& finding) {
  if (is_allocation(program, finding.first)) return too_early(finding);
  const std::string first = label_text(finding.first.label);
  const std::string second = label_text(finding.second.label);
  const std::string& block = finding.first.block;
  if (!direction_known(finding.first.mode) || !direction_known(finding.second.mode)) {
    return fmt::format(
               "{} and {} use the same bytes of {} in either order; it is harmless only if "
               "both read. ",
               first, second, block) +
           no_wait(finding);
  }
  switch (finding.hazard) {
    case Hazard::raw:
      return fmt::format("{} may read {} before {} has written it. ", second, block, first) +
             no_wait(finding);
    case Hazard::war:
      return fmt::format("{} may overwrite {} before {} has read it. ", second, block, first) +
             no_wait(finding);
    case Hazard::waw:
      break;
  }
  return fmt::format("{} and {} both write {}; which value stays is left to timing. ", first,
                     second, block) +
         no_wait(finding);
}

std::string reused(const Program& program, const Finding& finding) {
  const Lifetime* old = lifetime_of(program, finding.first);
  const Lifetime* next = lifetime_of(program, finding.second);
  const std::string at = old == nullptr ? std::string() : at_stack(program, old->free_stack);
  std::string text = fmt::format(
      "{} is freed{} before {} has waited for {}. The allocator hands the same bytes to {}{}.",
      finding.first.block, at.empty() ? at : at + ",", finding.second.where, finding.first.where,
      finding.second.block, next == nullptr ? "" : allocated_at(program, *next));
  const std::string first = label_text(finding.first.label);
  const std::string second = label_text(finding.second.label);
  if (finding.hazard == Hazard::war) {
    text += fmt::format(" If {} is late, it reads what {} wrote.", first, second);
  } else {
    text += fmt::format(" If {} is late, it overwrites what belongs to {}.", first,
                        finding.second.block);
  }
  return text;
}

std::string too_short(const Program& program, const Finding& finding) {
  const Lifetime* block = lifetime_of(program, finding.first);
  const std::string owner = block != nullptr && block->owner.valid()
                                ? fmt::format(" to {}", program.streams[block->owner.index()].name)
                                : std::string();
  return fmt::format(
      "{} is freed{} while {} may still use it. From there on the allocator may hand its bytes "
      "out again{}; in this trace it did not.",
      finding.first.block, block == nullptr ? "" : at_stack(program, block->free_stack),
      label_text(finding.first.label), owner);
}

std::string pooled(const Program& program, const Finding& finding) {
  const std::string graph = finding.first.graph.valid()
                                ? noun("graph", program.graphs[finding.first.graph.index()].name)
                                : std::string("a graph");
  return fmt::format(
      "The capture of {} left the address of {} in it. By launch {} these bytes belong to {}. All "
      "of it happens in order: what is wrong is the address.",
      graph, finding.first.block, finding.first.launch, finding.second.block);
}

}  // namespace

std::string first_does(const Program& program, const Finding& finding) {
  const std::string what = named(first_range(program, finding));
  if (is_allocation(program, finding.first)) return "makes " + what;
  const char* verb = does(finding.first.mode);
  if (finding.cls == HazardClass::pool)
    return fmt::format("{} {}, at its captured address", verb, what);
  const bool late = finding.cls == HazardClass::reuse || finding.cls == HazardClass::lifetime ||
                    finding.hazard == Hazard::war;
  return fmt::format("{}{} {}", late ? "still " : "", verb, what);
}

std::string second_does(const Program& program, const Finding& finding) {
  if (finding.cls == HazardClass::lifetime) {
    const Lifetime* block = lifetime_of(program, finding.first);
    return "is freed" + (block == nullptr ? "" : at_stack(program, block->free_stack));
  }
  if (is_allocation(program, finding.first)) return "may use it before it is there";
  const bool same_block = finding.first.block == finding.second.block;
  const std::string verb = does_to_the_same(finding.second.mode, true);
  return same_block ? verb : fmt::format("{} as {}", verb, named(finding.range));
}

std::string where_words(const Program& program, const Side& side) {
  if (side.where.empty()) return "";
  const char* kind = "stream";
  if (!side.graph.valid() && side.op.valid()) {
    const Op& op = program.ops[side.op.index()];
    if (!op.stream.valid() && op.actor.valid()) {
      kind = program.actors[op.actor.index()].kind == ActorKind::agent ? "agent" : "thread";
    }
  }
  return noun(kind, side.where);
}

std::string what_happens(const Program& program, const Finding& finding) {
  switch (finding.cls) {
    case HazardClass::reuse:
      return reused(program, finding);
    case HazardClass::lifetime:
      return too_short(program, finding);
    case HazardClass::pool:
      return pooled(program, finding);
    case HazardClass::launch:
      return unordered(program, finding) + " Only launches of the same graph wait for each other.";
    case HazardClass::external:
      return unordered(program, finding) + " A side outside CUDA is ordered by signals alone.";
    case HazardClass::data:
    case HazardClass::host:
      break;
  }
  return unordered(program, finding);
}

}  // namespace bohr::report

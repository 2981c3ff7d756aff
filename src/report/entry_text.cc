// SPDX-License-Identifier: Apache-2.0
// The two sides, what happens, what each stream knows and needs, where it is in the source.
#include "report/entry_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/exploration_text.h"
#include "report/frames.h"
#include "report/hides.h"
#include "report/sentences.h"
#include "report/words.h"

namespace bohr::report {

namespace {

void add_sides(Page* page, const Program& program, const Finding& finding) {
  const std::array<const Side*, 2> sides = {&finding.first, &finding.second};
  const std::array<std::string, 2> does = {first_does(program, finding),
                                           second_does(program, finding)};
  size_t label_width = 0, where_width = 0, does_width = 0;
  for (size_t i = 0; i < 2; ++i) {
    label_width = std::max(label_width, columns(label_text(sides[i]->label)));
    where_width = std::max(where_width, columns(where_words(program, *sides[i])));
    does_width = std::max(does_width, columns(does[i]));
  }
  const bool one_line = 2 + label_width + 3 + where_width + 3 + does_width <= page->width();
  for (size_t i = 0; i < 2; ++i) {
    const std::string where = where_words(program, *sides[i]);
    if (one_line) {
      page->paragraph(padded(label_text(sides[i]->label), label_width) + "   " +
                          padded(where, where_width) + "   " + does[i],
                      Ink::bold, 2);
    } else {
      page->paragraph(fmt::format("{} ({})", label_text(sides[i]->label), where), Ink::bold, 2);
      page->paragraph(does[i], Ink::plain, 6);
    }
  }
}

void add_order(Page* page, const Finding& finding) {
  const OrderFacts& order = finding.order;
  if (order.stream.empty() || order.other_stream.empty()) return;
  page->field(order.stream + " knows",
              order.known.empty()
                  ? fmt::format("nothing of {}", order.other_stream)
                  : fmt::format("{} up to {}", order.other_stream, label_text(order.known)));
  std::string needs = order.needed.empty() ? order.other_stream
                                           : fmt::format("{} up to {}", order.other_stream,
                                                         label_text(order.needed));
  if (!order.join.empty()) {
    needs += fmt::format(". The join exists, but too late: {}.", label_text(order.join));
  }
  page->field(order.stream + " needs", needs);
}

const Op* op_of(const Program& program, const Side& side) {
  if (side.graph.valid() && side.node.valid()) {
    return &program.graphs[side.graph.index()].nodes[side.node.index()];
  }
  return side.op.valid() ? &program.ops[side.op.index()] : nullptr;
}

// "node 47 of step, launch 2", "line 12": where it stands in the trace.
std::string position_text(const Program& program, const Side& side) {
  const Op* op = op_of(program, side);
  if (op == nullptr) return {};
  std::string text = program.recorded ? std::string() : fmt::format("line {}", op->enter);
  if (side.graph.valid() && side.node.valid()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("node {}, {}", side.node.value(),
                        noun("graph", program.graphs[side.graph.index()].name));
    if (side.launch > 1) text += fmt::format(", launch {}", side.launch);
  } else if (text.empty()) {
    text = fmt::format("call {}", op->enter);
  }
  return text;
}

const char* by_words(AccessMode mode) {
  if (mode == AccessMode::read) return "read by";
  if (mode == AccessMode::touch) return "used by";
  return mode == AccessMode::write ? "written by" : "updated by";
}

void add_source(Page* page, const Program& program, const Side& side) {
  const std::string position = position_text(program, side);
  std::string text;
  if (const Frame* frame = useful_frame(program, side.stack)) {
    text = frame_text(*frame);
    if (const Frame* caller = useful_caller(program, side.stack)) {
      text += " <- " + frame_text(*caller);
    }
    if (!position.empty()) text += "   ";
  }
  text += position;
  if (!text.empty()) page->field(by_words(side.mode), text);
}

std::string block_text(const Program& program, const Side& side) {
  if (!side.lifetime.valid()) return {};
  const Lifetime& lifetime = program.lifetimes[side.lifetime.index()];
  const std::string size = bytes(lifetime.bytes);
  if (lifetime.buffer) return fmt::format("{}: {}, lives throughout", lifetime.name, size);
  std::string text = fmt::format("{}: allocated{}", lifetime.name, allocated_at(program, lifetime));
  if (lifetime.owner.valid()) {
    text += fmt::format(" on {}", program.streams[lifetime.owner.index()].name);
  }
  if (lifetime.pool.valid()) {
    text += ", " + noun("pool", program.pools[lifetime.pool.index()].name);
  }
  return text + ", " + size;
}

void add_blocks(Page* page, const Program& program, const Finding& finding) {
  const std::string first = block_text(program, finding.first);
  const std::string second = block_text(program, finding.second);
  if (!first.empty()) page->field("block", first);
  if (!second.empty() && finding.second.lifetime != finding.first.lifetime) {
    page->field("same bytes", second);
  }
}

std::string places_text(std::span<const Subject> subjects, const Entry& entry) {
  std::string text = count(entry.places, "place");
  if (entry.graphs > 0) text += " in " + count(entry.graphs, "graph");
  if (subjects.size() > 1) {
    text += " of " + count(static_cast<int64_t>(entry.subjects.size()), "process");
  }
  return text;
}

void add_stack(Page* page, const Program& program, const std::string& name, StackId stack) {
  if (useful_frame(program, stack) == nullptr) return;
  page->paragraph(name, Ink::bold, 2);
  for (const Frame& frame : program.stacks[stack.index()].frames) {
    page->verbatim(full_frame_text(frame), 4);
  }
}

}  // namespace

void add_entry(Page* page, std::span<const Subject> subjects, const Entry& entry,
               const std::string& heading) {
  const Program& program = *subjects[entry.subject].program;
  const Finding& finding = *entry.finding;
  std::string title =
      fmt::format("{}   {}: {}", heading, to_string(finding.cls), class_words(finding.cls));
  if (const std::string proof = proof_word(subjects, entry); !proof.empty()) title += "   " + proof;
  page->heading(title, "id " + entry.cause->site, entry.latent ? Ink::yellow : Ink::red);
  add_sides(page, program, finding);
  page->blank();
  page->field("What happens", what_happens(program, finding));
  add_order(page, finding);
  add_source(page, program, finding.first);
  if (finding.cls != HazardClass::lifetime) add_source(page, program, finding.second);
  add_blocks(page, program, finding);
  if (entry.places > 1 || subjects.size() > 1) {
    page->field("Same mistake", places_text(subjects, entry));
  }
  if (const std::string why = why_it_hides(subjects, entry); !why.empty())
    page->field("Why it hides", why);
}

void add_candidate(Page* page, std::span<const Subject> subjects, const Entry& entry,
                   int64_t number) {
  const Program& program = *subjects[entry.subject].program;
  const Finding& finding = *entry.finding;
  std::string text =
      fmt::format("{} ({}) | {} ({})   {} {}", label_text(finding.first.label), finding.first.where,
                  label_text(finding.second.label), finding.second.where, finding.range.name,
                  range(finding.range.begin, finding.range.end));
  if (entry.places > 1) text += "   x " + places_text(subjects, entry);
  page->row({count(number)}, {3}, text);
  for (const Side* side : {&finding.first, &finding.second}) {
    const Frame* frame = useful_frame(program, side->stack);
    if (frame != nullptr) page->row({""}, {3}, frame_text(*frame));
  }
  const OrderFacts& order = finding.order;
  if (!order.stream.empty() && !order.needed.empty()) {
    page->row({""}, {3},
              fmt::format("{} knows {} up to: {}; would need: {}", order.stream, order.other_stream,
                          order.known.empty() ? "nothing" : label_text(order.known),
                          label_text(order.needed)));
  }
  std::string reasons;
  for (const std::string& reason : finding.reasons) {
    if (!reasons.empty()) reasons += ", ";
    reasons += reason;
  }
  page->row({""}, {3},
            fmt::format("{}: {}   id {}", to_string(finding.cls), reasons, entry.cause->site));
}

void add_places(Page* page, std::span<const Subject> subjects, const Entry& entry,
                bool candidates) {
  const Finding& shown = *entry.finding;
  const Program& shown_program = *subjects[entry.subject].program;
  page->blank();
  add_stack(page, shown_program, "Stack of " + label_text(shown.first.label), shown.first.stack);
  add_stack(page, shown_program, "Stack of " + label_text(shown.second.label), shown.second.stack);
  for (const Side* side : {&shown.first, &shown.second}) {
    if (!side->lifetime.valid()) continue;
    const Lifetime& lifetime = shown_program.lifetimes[side->lifetime.index()];
    add_stack(page, shown_program, lifetime.name + " allocated", lifetime.alloc_stack);
    add_stack(page, shown_program, lifetime.name + " freed", lifetime.free_stack);
    if (shown.first.lifetime == shown.second.lifetime) break;
  }
  page->paragraph("Places", Ink::bold, 2);
  int64_t listed = 0;
  for (size_t index : entry.subjects) {
    const Verdict& verdict = *subjects[index].verdict;
    const Program& program = *subjects[index].program;
    for (const Cause& cause : candidates ? verdict.candidate_causes : verdict.causes) {
      if (cause.site != entry.cause->site) continue;
      for (int32_t at : cause.findings) {
        const Finding& finding =
            (candidates ? verdict.candidates : verdict.findings)[static_cast<size_t>(at)];
        page->paragraph(
            fmt::format("{} {} ({}), then {} ({})   {} {}{}", to_string(finding.hazard),
                        label_text(finding.first.label), position_text(program, finding.first),
                        label_text(finding.second.label), position_text(program, finding.second),
                        finding.range.name, range(finding.range.begin, finding.range.end),
                        subjects.size() > 1 ? "   " + subjects[index].name : std::string()),
            Ink::plain, 4);
        ++listed;
      }
    }
  }
  if (listed < entry.places) {
    page->paragraph(fmt::format("and {} more, counted but not kept", count(entry.places - listed)),
                    Ink::plain, 4);
  }
}

}  // namespace bohr::report

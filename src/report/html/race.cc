// SPDX-License-Identifier: Apache-2.0
#include "report/html/race.h"

#include <fmt/format.h>

#include "report/frames.h"
#include "report/html/memory.h"
#include "report/html/slice.h"
#include "report/repairs.h"
#include "report/text.h"
#include "report/words.h"

namespace bohr::report::html {

namespace {

constexpr Style kStyle = {96, false};

Figure slice_figure(const Program& program, const Finding& finding) {
  const Slice slice = slice_of(program, finding);
  Figure figure;
  figure.caption =
      "The graph between the last node before both accesses and the first after both. A colour is "
      "a stream, an arrow an order that the program asked for; the dashed line joins the two that "
      "nothing orders.";
  if (slice.left_out > 0)
    figure.caption += " " + count(slice.left_out, "node") + " further away are left out.";
  figure.numbers.columns = {"node", "stream", "waits for"};
  for (size_t i = 0; i < slice.nodes.size(); ++i) {
    const auto name = [&](int32_t at) {
      const SliceNode& node = slice.nodes[static_cast<size_t>(at)];
      return fmt::format("{}#{}", node.label, node.node);
    };
    std::string waits;
    for (const SliceEdge& edge : slice.edges)
      if (edge.to == static_cast<int32_t>(i))
        waits += (waits.empty() ? "" : ", ") + name(edge.from);
    figure.numbers.rows.push_back({name(static_cast<int32_t>(i)), slice.nodes[i].stream, waits});
  }
  figure.svg = graph_svg(slice);
  if (figure.svg.empty())
    figure.missing =
        has_graph_layout()
            ? "The graph could not be laid out."
            : "This build has no Graphviz library, so the graph is left out; its nodes follow.";
  return figure;
}

Figure memory_figure(const Program& program, const Finding& finding) {
  Figure figure;
  MemoryPicture picture = memory_picture(program, finding);
  figure.caption =
      "The same bytes over the issue order of the graph. A large field is a lifetime of a block. A "
      "full mark is an access where it was issued; of the two that race a pale band shows where "
      "they may run by the order that exists. A band that reaches into the other lifetime is the "
      "race.";
  figure.numbers = memory_numbers(picture);
  figure.memory = std::move(picture);
  return figure;
}

std::string short_text(const RepairPart& part) {
  switch (part.kind) {
    case RepairKind::edge:
      return fmt::format("{} waits for {}", label_text(part.second), label_text(part.first));
    case RepairKind::lifetime:
      return "hold " + part.first;
    case RepairKind::separate:
      break;
  }
  return "own memory for " + part.first;
}

std::string name_of(const Repair& repair, char letter) {
  std::string text(1, letter);
  for (size_t i = 0; i < repair.parts.size() && i < 2; ++i)
    text += (i == 0 ? " " : ", ") + short_text(repair.parts[i]);
  return text + (repair.parts.size() > 2 ? ", …" : "");
}

struct Priced {
  std::string name;
  const Cost* cost = nullptr;
};

std::vector<Priced> prices_of(const Subject& subject) {
  const Repairs& repairs = *subject.repairs;
  std::vector<Priced> list = {{"as it is", &repairs.costs.as_is}};
  int32_t cause = 0;
  char letter = 'A';
  for (const Repair& repair : repairs.proposals) {
    letter = repair.cause == cause ? static_cast<char>(letter + 1) : 'A';
    cause = repair.cause;
    if (repair.verified) list.push_back({name_of(repair, letter), &repair.cost});
  }
  list.push_back({"overlap off", &repairs.costs.serial});
  return list;
}

std::string interval_text(const Interval& one, const char* form, double factor) {
  const auto number = [&](double value) { return fmt::format(fmt::runtime(form), factor * value); };
  return fmt::format("{} ({} to {})", number(one.value), number(one.low), number(one.high));
}

Table price_table(const std::vector<Priced>& prices) {
  Table table{{"", "us", "more us", "overlap kept, %", "critical path, us", "pool"}, {}};
  for (const Priced& one : prices) {
    const Cost& cost = *one.cost;
    const bool base = &one == &prices.front();
    table.rows.push_back({one.name, cost.measured ? interval_text(cost.step_us, "{:.1f}", 1) : "",
                          cost.measured && !base ? interval_text(cost.more_us, "{:.2f}", 1) : "",
                          cost.kept_known ? interval_text(cost.kept, "{:.0f}", 100) : "",
                          cost.critical_us > 0 ? fmt::format("{:.1f}", cost.critical_us) : "",
                          cost.pool_bytes > 0 ? bytes(cost.pool_bytes) : ""});
  }
  return table;
}

Figure price_figure(const Subject& subject) {
  const Costs& costs = subject.repairs->costs;
  const std::vector<Priced> prices = prices_of(subject);
  Figure figure;
  Bars bars;
  bars.axis = costs.virtual_time ? "us more than as it is, virtual time" : "us more than as it is";
  for (const Priced& one : prices) {
    if (!one.cost->measured) continue;
    const bool base = &one == &prices.front();
    const Interval more = base ? Interval() : one.cost->more_us;
    bars.bars.push_back({one.name, more.value, more.low, more.high});
  }
  figure.caption = fmt::format(
      "How much longer a run takes with each repair: medians of {}, and the intervals that hold "
      "them "
      "with 95% confidence. Two series of runs as it is differ by up to {:.2f} us; what is smaller "
      "is noise. Overlap off is every step after the other.",
      costs.pairs == 1 ? "one pair of runs" : count(costs.pairs) + " pairs of runs",
      costs.noise_us);
  figure.numbers = price_table(prices);
  if (bars.bars.empty()) {
    figure.missing = "What the repairs cost in time was not measured.";
    figure.caption.clear();
  } else {
    figure.bars = std::move(bars);
  }
  return figure;
}

}  // namespace

Chapter race_chapter(std::span<const Subject> subjects, const Entry& entry) {
  Chapter chapter;
  chapter.title = fmt::format("{}: {}", entry.cause->site, class_words(entry.cause->cls));
  TextOptions options;
  options.style = kStyle;
  chapter.show(render_entry(subjects, entry.cause->site, options));
  if (!is_in_one_graph(*entry.finding)) {
    chapter.say("There are pictures of pairs within one graph only.");
    return chapter;
  }
  const Program& program = *subjects[entry.subject].program;
  chapter.add(slice_figure(program, *entry.finding));
  chapter.add(memory_figure(program, *entry.finding));
  return chapter;
}

Chapter repair_chapter(std::span<const Subject> subjects) {
  Chapter chapter;
  chapter.title = "Repairs";
  report::Page page(kStyle);
  add_repairs(&page, subjects);
  chapter.show(page.take());
  for (const Subject& subject : subjects)
    if (subject.repairs != nullptr && !subject.repairs->proposals.empty())
      chapter.add(price_figure(subject));
  return chapter;
}

}  // namespace bohr::report::html

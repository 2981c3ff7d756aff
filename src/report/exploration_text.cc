// SPDX-License-Identifier: Apache-2.0
// Plain statements of what was run and what came out; what was not covered is said each time.
#include "report/exploration_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/words.h"

namespace bohr::report {

namespace {

const Witness* witness_of(std::span<const Subject> subjects, const Entry& entry) {
  for (const size_t index : entry.subjects) {
    const Subject& subject = subjects[index];
    if (!subject.exploration) continue;
    for (const Cause& cause : subject.verdict->causes) {
      if (cause.site != entry.cause->site) continue;
      for (const Witness& witness : subject.exploration->witnesses)
        if (witness.cause == cause.id) return &witness;
    }
  }
  return nullptr;
}

void add_witness(Page* page, const Witness& witness) {
  const std::string first = step_text(witness.first), second = step_text(witness.second);
  const std::string identical =
      fmt::format("{} of {} identical", witness.identical, witness.replays);
  const bool right = witness.right_is_baseline;
  page->field(right ? "right" : "one order",
              fmt::format("... {}   {} ...   {}", first, second, identical));
  page->field(right ? "wrong" : "another",
              fmt::format("... {}   {} ...   {}", second, first, identical));
  page->field("", "These two schedules differ in this one swap of neighbours, nothing else.");
  if (witness.whole == WholeRuns::agree)
    page->field("", witness.stopped ? "The right one leaves the same outputs as one plain graph."
                                    : "Each leaves the same outputs as one plain graph.");
  if (witness.whole == WholeRuns::disagree)
    page->field("",
                "As one plain graph they leave other outputs than step by step: timing matters "
                "inside this order, too.");
  if (!right) page->field("", "No order is known in which every read sees the write meant for it.");
  if (!witness.damaged.label.empty())
    page->field("First damage", step_text(witness.damaged) + " writes other bytes");
  std::string outputs;
  for (const NamedRange& output : witness.outputs) {
    if (outputs.size() > 200) {
      outputs += ", …";
      break;
    }
    outputs += (outputs.empty() ? "" : ", ") + printable(output.name) + " " +
               range(output.begin, output.end);
  }
  if (witness.stopped) outputs = "not known: the wrong order was stopped there";
  page->field("Reaches", outputs.empty() ? "no output: what differs is dead at the end" : outputs);
  if (!witness.filled.empty())
    page->field("", "with other contents beforehand in the bytes that are raced for");
}

// What the reversals of an entry's pairs gave.
struct Gave {
  int64_t same = 0, diverges = 0, elsewhere = 0, outside = 0, not_tried = 0;
  int32_t contents = 0;
  bool ignoring = false;
  int64_t slack_ns = -1;
  int64_t no_slack = 0;  // of the pair whose slack that is
};

// The causes of a subject that an entry tells, sorted: there may be thousands of either.
std::vector<int32_t> causes_of(const Subject& subject, const Entry& entry) {
  std::vector<int32_t> ids;
  for (const Cause& cause : subject.verdict->causes)
    if (cause.site == entry.cause->site) ids.push_back(cause.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

Gave reversals(std::span<const Subject> subjects, const Entry& entry) {
  Gave gave;
  for (const size_t index : entry.subjects) {
    const Subject& subject = subjects[index];
    if (!subject.exploration) continue;
    const std::vector<int32_t> causes = causes_of(subject, entry);
    for (const Trial& trial : subject.exploration->trials) {
      if (trial.candidate) continue;
      const Finding& finding = subject.verdict->findings[static_cast<size_t>(trial.index)];
      if (!std::binary_search(causes.begin(), causes.end(), finding.cause)) continue;
      gave.same += trial.result == TrialResult::same_bytes;
      gave.diverges += trial.result == TrialResult::diverges;
      gave.elsewhere += trial.result == TrialResult::elsewhere;
      gave.outside += trial.result == TrialResult::outside;
      gave.not_tried += trial.result == TrialResult::not_tried;
      gave.ignoring = gave.ignoring || !subject.exploration->ignored.empty();
      gave.contents = std::max(gave.contents, trial.contents);
      if (trial.slack_ns < 0 || (gave.slack_ns >= 0 && trial.slack_ns >= gave.slack_ns)) continue;
      gave.slack_ns = trial.slack_ns;
      gave.no_slack = trial.no_slack;
    }
  }
  return gave;
}

std::string time_text(int64_t ns) {
  if (ns < 1000) return fmt::format("{} ns", ns);
  return fmt::format("{:.0f} us", std::round(static_cast<double>(ns) / 1000));
}

const char* arm_words(ArmState state) {
  constexpr std::array<const char*, 5> kWords = {"has it too", "the two are ordered",
                                                 "the two share no bytes",
                                                 "one of the two does not run", ""};
  return kWords[static_cast<size_t>(state)];
}

// "eager.case: the two are ordered", for each arm.
std::vector<std::string> arm_texts(std::span<const Subject> subjects, const Entry& entry) {
  std::vector<std::string> texts;
  const Subject& subject = subjects[entry.subject];
  if (!subject.exploration) return texts;
  const std::vector<Cause>& causes = subject.verdict->causes;
  for (const bohr::Arm& arm : subject.exploration->arms) {
    for (size_t i = 0; i < causes.size() && i < arm.states.size(); ++i)
      if (causes[i].site == entry.cause->site && arm.states[i] != ArmState::not_compared)
        texts.push_back(fmt::format("{}: {}", printable(arm.name), arm_words(arm.states[i])));
  }
  return texts;
}

bool explored(std::span<const Subject> subjects, const Entry& entry) {
  return std::any_of(entry.subjects.begin(), entry.subjects.end(),
                     [&](size_t index) { return subjects[index].exploration != nullptr; });
}

void add_unproved(Page* page, const Gave& gave, HazardClass cls) {
  const auto say = [&](int64_t pairs, const std::string& what) {
    if (pairs > 0) page->field("Not proved", fmt::format("{}: {}", count(pairs, "pair"), what));
  };
  if (cls == HazardClass::lifetime || cls == HazardClass::pool) {
    page->field("Not proved", fmt::format("a hazard of class {} is no pair of steps that an order "
                                          "could swap",
                                          to_string(cls)));
    return;
  }
  say(gave.same, fmt::format("reversed; same bytes with {}{}",
                             gave.contents > 1 ? count(gave.contents, "content") : "these contents",
                             gave.ignoring ? ", ignored ones left out" : ""));
  say(gave.diverges, "reversed; other bytes, but no budget was left to make a witness of it");
  say(gave.elsewhere, "reversing it also reverses a pair that is told above");
  say(gave.outside, "outside one graph: orders are run within one launch that was explored");
  say(gave.not_tried, "not reversed: the budget was used up, or another place stands for it");
}

std::string baseline_text(const Exploration& exploration) {
  switch (exploration.baseline) {
    case BaselineKind::issue_order:
      return "issue order, in which every read sees the write meant for it";
    case BaselineKind::reordered:
      return "a right order. Issue order is not one: in it some read sees another write";
    case BaselineKind::own_launches:
      return "an order that leaves what the program's own launches leave. Issue order leaves "
             "something else";
    case BaselineKind::none:
      return fmt::format("NO RIGHT ORDER FOUND: in issue order {} not see the write meant for {}",
                         exploration.broken_reads == 1
                             ? "one read does"
                             : count(exploration.broken_reads, "read") + " do",
                         exploration.broken_reads == 1 ? "it" : "them");
  }
  return {};
}

// The program's own launches against the baseline.
std::string own_launches_text(const Exploration& exploration) {
  switch (exploration.own_launches) {
    case OwnLaunches::not_run:
      break;
    case OwnLaunches::unstable:
      return "unstable: launches of the program itself leave different outputs";
    case OwnLaunches::different:
      return "stable and different: what the program's own launches leave, none of these orders "
             "leaves";
    case OwnLaunches::equal:
      return exploration.different > 0
                 ? "equal but order-dependent: they leave what the baseline leaves, and other "
                   "legal orders do not"
                 : "equal: they leave what the baseline leaves";
  }
  return {};
}

std::string seconds(int64_t ns) { return fmt::format("{:.2f} s", static_cast<double>(ns) * 1e-9); }

std::string held_text(const Exploration& exploration) {
  const Held& held = exploration.held;
  const std::string times =
      held.count == 1 ? "once, for " + seconds(held.all_ns)
                      : fmt::format("{} times, {} in all, the longest {}", count(held.count),
                                    seconds(held.all_ns), seconds(held.longest_ns));
  const char* memory = held.restored ? "memory restored and verified" : "MEMORY WAS NOT PUT BACK";
  const std::string restarts =
      held.restarts == 0 ? "" : "; started again " + count(held.restarts, "time");
  std::string text = fmt::format("{}{}; {}; {} saved, {} compared in each order", times, restarts,
                                 memory, bytes(held.saved_bytes), bytes(held.compared_bytes));
  if (held.own_device_bytes + held.own_host_bytes > 0)
    text += fmt::format("; the search took {} of the device and {} of pinned memory at most",
                        bytes(held.own_device_bytes), bytes(held.own_host_bytes));
  return text;
}

std::string lost_text(const LostProcess& lost) {
  if (lost.order.empty()) return "a launch of the program's own ended its context";
  std::string what =
      lost.reason == "watchdog"
          ? "in a legal order a kernel waits for ever: the program relies on an order that no edge "
            "shows, and its process is lost"
          : "a legal order ended the program's context: its process is lost";
  if (lost.earlier) what += "; it was started again without that order";
  if (lost.early.label.empty()) return what;
  return what + fmt::format(". It leaves the baseline where {} runs before {}",
                            step_text(lost.early), step_text(lost.late));
}

void add_ignored(Page* page, const Exploration& exploration) {
  if (exploration.ignored.empty()) return;
  std::string names;
  for (const Ignored& one : exploration.ignored)
    names += (names.empty() ? "" : ", ") + printable(one.name.name) + " " +
             range(one.name.begin, one.name.end);
  page->field("Ignored", fmt::format("{}: what differs there does not count; {:.0f}% of output "
                                     "bytes masked in all",
                                     names, 100 * exploration.masked));
}

void add_one_search(Page* page, const Exploration& exploration) {
  page->field("Baseline", baseline_text(exploration));
  std::string calibrated = count(exploration.calibration_replays, "replay");
  if (exploration.pinned.empty()) {
    calibrated += "; no step varies by itself";
  } else {
    calibrated += fmt::format("; {} pinned to recorded outputs: ",
                              exploration.pinned.size() == 1
                                  ? "one step varies by itself and is"
                                  : count(static_cast<int64_t>(exploration.pinned.size()), "step") +
                                        " vary by themselves and are");
    for (size_t i = 0; i < exploration.pinned.size() && i < 3; ++i)
      calibrated += (i ? ", " : "") + step_text(exploration.pinned[i]);
    if (exploration.pinned.size() > 3) calibrated += ", …";
    calibrated += fmt::format("; {:.0f}% of output bytes masked", 100 * exploration.masked);
  }
  page->field("Calibrated", calibrated);
  add_ignored(page, exploration);
  std::string searched =
      fmt::format("{} other than the baseline, {} of them left other bytes",
                  count(exploration.orders, "order"), count(exploration.different));
  if (exploration.exhaustive)
    searched += "; these are all legal orders, up to swaps that cannot matter";
  else if (exploration.pairs_covered)
    searched += "; every unordered pair that shares memory ran both ways";
  page->field("Searched", searched);
  if (!exploration.exhaustive && exploration.random_orders > 0) {
    page->field("", fmt::format("{}: each meets a bug of depth {} with a probability of at least "
                                "{:.1e}",
                                count(exploration.random_orders, "random order"),
                                exploration.random_depth, exploration.random_bound));
  }
  if (exploration.own_launches != OwnLaunches::not_run)
    page->field("Launches", own_launches_text(exploration));
  if (exploration.own.runs > 0) {
    page->field("By itself", own_runs_text(exploration.own));
  }
  if (exploration.held.count > 0) page->field("Held", held_text(exploration));
  if (!exploration.lost.reason.empty()) page->field("LOST", lost_text(exploration.lost));
  for (const std::string& reason : exploration.reasons) {
    const std::string_view words = reason_words(reason);
    page->field("Limited", words.empty() ? reason : fmt::format("{} ({})", words, reason));
  }
  page->field("Replays", fmt::format("{} of at most {}; seed {}", count(exploration.replays),
                                     count(exploration.budget), exploration.seed));
  page->field("Not covered",
              "torn overlap of two running kernels, programmatic overlap, and, "
              "unless all orders were tried, bugs that need several reversals at "
              "once");
}

}  // namespace

std::string step_text(const StepName& step) {
  return step.where.empty() ? printable(step.label)
                            : fmt::format("{}({})", printable(step.label), printable(step.where));
}

std::string own_runs_text(const OwnRuns& own) {
  const auto runs = static_cast<double>(own.runs);
  // What share would have shown in so many runs 19 times of 20.
  const std::string rate =
      own.different > 0 ? fmt::format("{:.1f}%", 100 * static_cast<double>(own.different) / runs)
                        : fmt::format("less than {:.1f}%, as far as so few can say",
                                      100 * (1 - std::pow(0.05, 1 / runs)));
  return fmt::format("{} of {} left other outputs ({})", count(own.different),
                     count(own.runs, "run"), rate);
}

void add_search(Page* page, std::span<const Subject> subjects) {
  const auto told = [&](const Subject& subject) {
    if (subject.exploration) return true;
    const bool works = !subject.program->ops.empty() || subjects.size() == 1;
    return works && !subject.not_explored.empty();
  };
  const bool several = std::ranges::count_if(subjects, told) > 1;
  for (const Subject& subject : subjects) {
    if (!told(subject)) continue;
    page->blank();
    if (several) page->field("Of", subject.name);
    if (subject.exploration)
      add_one_search(page, *subject.exploration);
    else
      page->field("Not explored", subject.not_explored);
  }
}

std::string proof_word(std::span<const Subject> subjects, const Entry& entry) {
  if (witness_of(subjects, entry)) return "PROVED";
  return explored(subjects, entry) ? "not proved" : "";
}

void add_proof(Page* page, std::span<const Subject> subjects, const Entry& entry) {
  if (!explored(subjects, entry)) return;
  const Gave gave = reversals(subjects, entry);
  if (const Witness* witness = witness_of(subjects, entry)) {
    add_witness(page, *witness);
  } else {
    add_unproved(page, gave, entry.cause->cls);
  }
  bool said = false;
  const auto say = [&](const std::string& why) {
    page->field(said ? "" : "Why it hides", why);
    said = true;
  };
  if (gave.slack_ns > 0) {
    say(fmt::format(
        "{} normally ends {} before {} starts{}", printable(entry.finding->first.label),
        time_text(gave.slack_ns), printable(entry.finding->second.label),
        gave.no_slack > 0 ? fmt::format("; in {} it does not", count(gave.no_slack, "run")) : ""));
  } else if (gave.slack_ns == 0) {
    page->field("By itself", fmt::format("{} normally still runs when {} starts",
                                         printable(entry.finding->first.label),
                                         printable(entry.finding->second.label)));
  }
  for (const std::string& arm : arm_texts(subjects, entry)) say(arm);
}

void add_other_witnesses(Page* page, std::span<const Subject> subjects) {
  for (const Subject& subject : subjects) {
    if (!subject.exploration) continue;
    for (const Witness& witness : subject.exploration->witnesses) {
      if (witness.cause != 0) continue;
      page->blank();
      page->heading(fmt::format("RACE   PROVED, of a pair that is no finding: {} | {}",
                                step_text(witness.first), step_text(witness.second)),
                    "", Ink::red);
      add_witness(page, witness);
    }
  }
}

}  // namespace bohr::report

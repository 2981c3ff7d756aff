// SPDX-License-Identifier: Apache-2.0
// The demo's story as text, to be read from top to bottom.
#include <fmt/format.h>

#include "app/demo.h"
#include "report/exploration_text.h"
#include "report/repairs.h"
#include "report/text.h"

namespace bohr::app::demo {

namespace {

// Where parts meet that each bring a blank line, one is enough.
std::string one_blank_line(std::string text) {
  for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

class Story {
 public:
  Story(const Measured& measured, const report::Style& style)
      : measured_(measured), style_(style), page_(style) {}

  std::string tell() {
    program();
    checked();
    proved();
    repaired();
    recorded_anew();
    traces();
    end();
    return one_blank_line(std::move(text_) + page_.take());
  }

 private:
  void program();
  void counts();
  void checked();
  void proved();
  void repaired();
  void recorded_anew();
  void traces();
  void end();
  void chapter(const std::string& title);
  void say(const std::string& text) { page_.paragraph(text), page_.blank(); }
  void add(const std::string& text) { text_ += page_.take() + text, page_ = report::Page(style_); }

  const Measured& measured_;
  report::Style style_;
  report::Page page_;
  std::string text_;
};

void Story::chapter(const std::string& title) {
  if (title[0] != '1') page_.blank();
  page_.paragraph(title, report::Ink::bold);
  page_.blank();
}

std::string share_text(const stats::Share& share) {
  return fmt::format("{:.1f}% ({:.1f} to {:.1f}%)", 100 * share.share, 100 * share.low,
                     100 * share.high);
}

void Story::counts() {
  const std::vector<size_t> widths = {20, 12, 20};
  page_.row({"way to run it", "wrong steps", "share, 95% interval"}, widths, "us a step, check");
  for (const Way& way : measured_.ways) {
    const ArmCount& count = way.count;
    page_.row({to_string(count.arm), fmt::format("{} of {}", count.wrong, count.steps),
               share_text(count.share)},
              widths,
              fmt::format("{:.1f}, {}", count.step_us,
                          way.checked.verdict.findings.empty() ? "clean" : "RACE"));
  }
  page_.blank();
}

void Story::program() {
  chapter("1  A decode layer that is right in eager mode");
  say("A small decode layer runs on a simulated GPU: kernels that compute, a caching allocator, "
      "graphs, virtual time. It has learned four answers by heart and gives them token by token. "
      "One projection makes q and kv in one block, qkv_a. A side stream (kv) rotates kv and stores "
      "it in the cache, while main goes on with q. The layer runs in four ways, under one seed "
      "after the other:");
  counts();
  say("A step is wrong when what it leaves is not, to the last bit, what the same kernels leave "
      "one after the other. A run counts up to its first wrong step. Times are virtual.");
  const ArmCount& two = measured_.way(Arm::two_streams).count;
  if (two.wrong_sequence < 0) return;
  page_.field("Question", question(two.wrong_sequence));
  page_.field("Right", answer_text(measured_.right.tokens, two.wrong_sequence));
  page_.field("Wrong", two.wrong_answer);
  page_.field("In all", fmt::format("{} of {} runs of the third way gave a wrong answer",
                                    two.wrong_runs, two.runs));
}

void Story::checked() {
  chapter("2  bohr check: the pair, from one recording");
  say("Two steps of the third way are recorded. No step of them has to go wrong: which waits there "
      "are is enough. main drops qkv_a when it has no use for it any more, and the allocator gives "
      "the same bytes to q; the side stream may still be reading.");
  const std::vector<report::Subject> subjects = subjects_of({&measured_.race.explored.checked, 1});
  report::TextOptions options;
  options.style = style_;
  add(report::render_text(subjects, options));
  page_.blank();
  say("The eager run has the same race. It is right because its host is slower than its GPU, which "
      "nothing promises.");
}

void Story::proved() {
  chapter("3  bohr explore: the same failure, every time");
  say("The recorded steps run again, their own kernels on their own memory, in other orders that "
      "keep every wait of the program, nearest first, until one leaves other bytes. Bisection then "
      "leaves two orders that differ in one swap of neighbours:");
  const Explored& explored = measured_.race.explored;
  const Exploration& found = *explored.exploration;
  const std::vector<report::Subject> subjects = subjects_of({&explored, 1});
  for (const report::Entry& entry : report::finding_entries(subjects))
    report::add_proof(&page_, subjects, entry);
  page_.field("Explored", fmt::format("{} of {} orders left other bytes; {} replays in all",
                                      found.different, found.orders, found.replays));
}

void Story::repaired() {
  chapter("4  bohr fix: what would mend it, and its price");
  say("Each proposal is tried: the check has to find nothing in the program that has it, no order "
      "may leave other bytes, and without any part of it the race has to come back.");
  const std::vector<report::Subject> subjects = subjects_of({&measured_.race, 1});
  report::add_repairs(&page_, subjects);
}

std::string again_text(const Exploration& again) {
  if (again.exhaustive && again.orders == 0)
    return "every legal order is the recorded one, up to swaps of steps that share no memory";
  return fmt::format("{} of {} orders left other bytes", again.different, again.orders);
}

void Story::recorded_anew() {
  chapter("5  The repaired program, recorded anew");
  say("The fourth way is the layer with the first repair in its source: qkv_a is dropped after the "
      "join.");
  const Way& way = measured_.way(Arm::repaired);
  const Exploration& again = *measured_.repaired.exploration;
  page_.field("Check", way.checked.verdict.outcome == Outcome::clean ? "clean" : "not clean");
  page_.field("Explored", again_text(again));
  page_.field("By itself", fmt::format("{} of {} steps wrong", way.count.wrong, way.count.steps));
}

void Story::traces() {
  chapter("6  Programs recorded on a GPU, with a mistake and without it");
  if (measured_.traces.empty()) page_.paragraph("No recorded traces lie beside this build.");
  for (const TracePair& pair : measured_.traces) {
    page_.paragraph(pair.mistake);
    for (const std::string& found : pair.with_it) page_.field("with it", found);
    if (pair.with_it.empty()) page_.field("with it", "no race found");
    for (const std::string& found : pair.without_it) page_.field("without it", found);
    if (pair.without_it.empty()) page_.field("without it", "no race found");
  }
}

void Story::end() {
  page_.blank();
  const std::vector<std::string> list = unexpected(measured_);
  for (const std::string& one : list) page_.paragraph("NOT AS EXPECTED: " + one, report::Ink::red);
  if (list.empty()) page_.paragraph("Every verdict is the expected one.", report::Ink::green);
  page_.blank();
  page_.verbatim("Your program:   bohr run --explore --fix -- python your_program.py");
}

}  // namespace

std::string story_text(const Measured& measured, const report::Style& style) {
  return Story(measured, style).tell();
}

}  // namespace bohr::app::demo

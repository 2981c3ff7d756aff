// SPDX-License-Identifier: Apache-2.0
// The demo's story as text, to be read from top to bottom.
#include <fmt/format.h>

#include "app/demo.h"
#include "app/demo_words.h"
#include "report/exploration_text.h"
#include "report/repairs.h"
#include "report/text.h"

namespace bohr::app::demo {

namespace {

// Where parts meet that each bring a blank line, one is enough.
std::string one_blank_line(std::string text) {
  for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text.substr(text.find_first_not_of('\n'));
}

class Story {
 public:
  Story(const Measured& measured, const report::Style& style)
      : measured_(measured), style_(style), page_(style) {}

  std::string tell() {
    program();
    checked();
    proved();
    repairs();
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
  void repairs();
  void recorded_anew();
  void traces();
  void end();
  void chapter(const std::string& title);
  void say(const std::string& text) {
    if (text.empty()) return;
    page_.paragraph(text);
    page_.blank();
  }
  void add(const std::string& text) { text_ += page_.take() + text, page_ = report::Page(style_); }

  const Measured& measured_;
  report::Style style_;
  report::Page page_;
  std::string text_;
};

void Story::chapter(const std::string& title) {
  page_.blank();
  page_.paragraph(title, report::Ink::bold);
  page_.blank();
}

void Story::counts() {
  const std::vector<size_t> widths = {20, 12, 20};
  page_.row({"way to run it", "wrong steps", "share, 95% interval"}, widths, "us a step, check");
  for (const Way& way : measured_.ways)
    page_.row({to_string(way.count.arm), wrong_text(way.count), share_text(way.count.share)},
              widths, fmt::format("{:.1f}, {}", way.count.step_us, check_word(way)));
  page_.blank();
}

void Story::program() {
  chapter(program_title());
  say(program_text(measured_));
  counts();
  say(counting_text(measured_));
  const ArmCount& two = measured_.way(Arm::two_streams).count;
  if (two.wrong_sequence < 0) return;
  page_.field("Question", question(two.wrong_sequence));
  page_.field("Right", measured_.right_answer);
  page_.field("Wrong", two.wrong_answer);
  page_.field("In all", wrong_runs_text(two));
}

void Story::checked() {
  chapter(checked_title());
  say(checked_text(measured_));
  const std::vector<report::Subject> subjects = subjects_of({&measured_.race.explored.checked, 1});
  report::TextOptions options;
  options.style = style_;
  add(report::render_text(subjects, options));
  page_.blank();
  say(eager_text(measured_));
}

void Story::proved() {
  chapter(proof_title());
  say(proof_text());
  const Explored& explored = measured_.race.explored;
  const std::vector<report::Subject> subjects = subjects_of({&explored, 1});
  for (const report::Entry& entry : report::finding_entries(subjects))
    report::add_proof(&page_, subjects, entry);
  page_.field("Explored", explored_text(explored));
}

void Story::repairs() {
  chapter(repair_title());
  say(repair_text(measured_));
  const std::vector<report::Subject> subjects = subjects_of({&measured_.race, 1});
  report::add_repairs(&page_, subjects);
}

void Story::recorded_anew() {
  chapter(repaired_title());
  say(repaired_text(measured_));
  const Way& way = measured_.way(Arm::repaired);
  page_.field("Check", check_word(way));
  page_.field("Explored", again_text(measured_.repaired));
  page_.field("By itself", wrong_text(way.count) + " steps wrong");
}

void Story::traces() {
  chapter(traces_title());
  if (measured_.traces.empty()) page_.paragraph("No recorded traces lie beside this build.");
  for (const TracePair& pair : measured_.traces) {
    page_.paragraph(pair.mistake);
    page_.field("with it", races_text(pair.with_it));
    page_.field("without it", races_text(pair.without_it));
  }
}

void Story::end() {
  page_.blank();
  const std::vector<std::string> list = unexpected(measured_);
  for (const std::string& one : list) page_.paragraph("NOT AS EXPECTED: " + one, report::Ink::red);
  if (list.empty()) page_.paragraph("Every verdict is the expected one.", report::Ink::green);
  page_.blank();
  page_.verbatim(next_command());
  page_.verbatim("With pictures:  bohr demo --html demo.html");
}

}  // namespace

std::string story_text(const Measured& measured, const report::Style& style) {
  return Story(measured, style).tell();
}

}  // namespace bohr::app::demo

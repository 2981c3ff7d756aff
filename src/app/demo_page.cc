// SPDX-License-Identifier: Apache-2.0
// The demo's story as one HTML page.
#include <fmt/format.h>

#include "app/demo.h"
#include "app/demo_words.h"
#include "report/exploration_text.h"
#include "report/html/assets.h"
#include "report/html/race.h"

namespace bohr::app::demo {

namespace {

namespace html = report::html;

html::Table ways_table(const Measured& measured) {
  html::Table table{{"way to run it", "wrong steps", "share, 95% interval", "us a step", "check"},
                    {}};
  for (const Way& way : measured.ways)
    table.rows.push_back({to_string(way.count.arm), wrong_text(way.count),
                          share_text(way.count.share), fmt::format("{:.1f}", way.count.step_us),
                          check_word(way)});
  return table;
}

html::Figure shares_figure(const Measured& measured) {
  html::Figure figure;
  html::Bars bars{"wrong steps, %", {}};
  for (const Way& way : measured.ways) {
    const stats::Share& share = way.count.share;
    bars.bars.push_back(
        {to_string(way.count.arm), 100 * share.share, 100 * share.low, 100 * share.high});
  }
  figure.bars = std::move(bars);
  figure.caption = counting_text(measured);
  figure.numbers = ways_table(measured);
  return figure;
}

html::Chapter program_chapter(const Measured& measured) {
  html::Chapter chapter{program_title(), {}};
  chapter.say(program_text(measured));
  chapter.add(shares_figure(measured));
  const ArmCount& two = measured.way(Arm::two_streams).count;
  if (two.wrong_sequence < 0) return chapter;
  html::Table answer{{"question " + question(two.wrong_sequence), "answer"}, {}};
  answer.rows = {{"right", measured.right_answer}, {"wrong", two.wrong_answer}};
  chapter.add(std::move(answer));
  chapter.say(wrong_runs_text(two));
  return chapter;
}

html::Chapter proof_chapter(const Measured& measured) {
  html::Chapter chapter{proof_title(), {}};
  chapter.say(proof_text());
  const std::vector<report::Subject> subjects = subjects_of({&measured.race.explored, 1});
  report::Page page({96, false});
  for (const report::Entry& entry : report::finding_entries(subjects))
    report::add_proof(&page, subjects, entry);
  page.field("Explored", explored_text(measured.race.explored));
  chapter.show(page.take());
  return chapter;
}

html::Chapter repaired_chapter(const Measured& measured) {
  html::Chapter chapter{repaired_title(), {}};
  chapter.say(repaired_text(measured));
  const Way& way = measured.way(Arm::repaired);
  html::Table table{{"what", "outcome"}, {}};
  table.rows = {{"check", check_word(way)},
                {"explored", again_text(measured.repaired)},
                {"by itself", wrong_text(way.count) + " steps wrong"}};
  chapter.add(std::move(table));
  return chapter;
}

html::Chapter traces_chapter(const Measured& measured) {
  html::Chapter chapter{traces_title(), {}};
  html::Table table{{"program and mistake", "with it", "without it"}, {}};
  for (const TracePair& pair : measured.traces)
    table.rows.push_back({pair.mistake, races_text(pair.with_it), races_text(pair.without_it)});
  if (table.rows.empty())
    chapter.say("No recorded traces lie beside this build.");
  else
    chapter.add(std::move(table));
  return chapter;
}

html::Chapter end_chapter(const Measured& measured) {
  html::Chapter chapter{"Your program", {}};
  const std::vector<std::string> list = unexpected(measured);
  for (const std::string& one : list) chapter.say("NOT AS EXPECTED: " + one);
  if (list.empty()) chapter.say("Every verdict is the expected one.");
  chapter.show(next_command());
  return chapter;
}

}  // namespace

std::string story_page(const Measured& measured) {
  html::Page page;
  page.title = "One race, from a wrong answer to its repair";
  page.lead = lead_text(measured);
  page.chapters.push_back(program_chapter(measured));
  // The race as the check tells it; its proof has a chapter of its own.
  const std::vector<report::Subject> checked = subjects_of({&measured.race.explored.checked, 1});
  for (const report::Entry& entry : report::finding_entries(checked)) {
    page.chapters.push_back(html::race_chapter(checked, entry));
    page.chapters.back().title = checked_title();
    page.chapters.back().parts.insert(page.chapters.back().parts.begin(),
                                      html::Part{checked_text(measured), {}, {}, {}});
    page.chapters.back().say(eager_text(measured));
  }
  page.chapters.push_back(proof_chapter(measured));
  const std::vector<report::Subject> fixed = subjects_of({&measured.race, 1});
  page.chapters.push_back(html::repair_chapter(fixed));
  page.chapters.back().title = repair_title();
  page.chapters.back().parts.insert(page.chapters.back().parts.begin(),
                                    html::Part{repair_text(measured), {}, {}, {}});
  page.chapters.push_back(repaired_chapter(measured));
  page.chapters.push_back(traces_chapter(measured));
  page.chapters.push_back(end_chapter(measured));
  page.json = story_json(measured);
  page.scripts = html::charting_scripts();
  return html::html_page(page);
}

}  // namespace bohr::app::demo

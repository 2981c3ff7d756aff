// SPDX-License-Identifier: Apache-2.0
// The report from top to bottom: what was read, the result in one line, the entries, what could
// not be decided, coverage, assumptions, what to do next, and what no run of this tool can see.
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/coverage_text.h"
#include "report/entry_text.h"
#include "report/exploration_text.h"
#include "report/repairs.h"
#include "report/watched_text.h"
#include "report/words.h"

namespace bohr::report {

namespace {

constexpr size_t kMostDiagnostics = 5;

std::string contents_text(const Program& program) {
  int64_t nodes = 0;
  for (const Graph& graph : program.graphs) nodes += static_cast<int64_t>(graph.nodes.size());
  std::string text = count(static_cast<int64_t>(program.graphs.size()), "graph") + ", " +
                     count(nodes, "node") + ", " +
                     count(static_cast<int64_t>(program.ops.size()), "op") + ", " +
                     count(static_cast<int64_t>(program.streams.size()), "stream");
  if (!program.device.empty()) text += "; " + program.device;
  return text;
}

void add_subjects(Page* page, std::span<const Subject> subjects) {
  for (const Subject& subject : subjects) {
    page->paragraph(fmt::format("{}   {}", subject.name, contents_text(*subject.program)));
  }
}

struct Tally {
  int64_t races = 0;  // entries, neither suppressed nor latent
  int64_t latent = 0;
  int64_t suppressed = 0;
  int64_t places = 0;
};

Tally tally(const std::vector<Entry>& entries) {
  Tally sum;
  for (const Entry& entry : entries) {
    if (entry.suppressed) {
      ++sum.suppressed;
    } else if (entry.latent) {
      ++sum.latent;
    } else {
      ++sum.races;
      sum.places += entry.places;
    }
  }
  return sum;
}

int64_t not_complete(const std::array<Coverage, kHazardClasses>& coverage,
                     const std::vector<HazardClass>& among) {
  int64_t number = 0;
  for (size_t i = 0; i < kHazardClasses; ++i) {
    const bool asked =
        among.empty() || std::ranges::find(among, static_cast<HazardClass>(i)) != among.end();
    number += asked && coverage[i].state != CoverageState::complete ? 1 : 0;
  }
  return number;
}

std::string class_list(const std::vector<HazardClass>& classes) {
  std::string list;
  for (HazardClass cls : classes) list += (list.empty() ? "" : ", ") + std::string(to_string(cls));
  return list;
}

bool nothing_checked(const std::array<Coverage, kHazardClasses>& coverage) {
  return std::ranges::all_of(coverage, [](const Coverage& one) {
    return one.state == CoverageState::not_checked && !one.reasons.empty();
  });
}

int64_t not_checked_at_all(std::span<const Subject> subjects) {
  return std::ranges::count_if(
      subjects, [](const Subject& one) { return nothing_checked(one.verdict->coverage); });
}

// The one line that says what came out.
void add_result(Page* page, std::span<const Subject> subjects, const Tally& sum,
                const std::array<Coverage, kHazardClasses>& coverage,
                const std::vector<HazardClass>& require) {
  const int64_t left_out = not_checked_at_all(subjects);
  const int64_t open = not_complete(coverage, {});
  const int64_t open_required = not_complete(coverage, require);
  if (sum.races > 0) {
    std::string text =
        fmt::format("RACE FOUND: {}, {}", count(sum.races, "cause"), count(sum.places, "place"));
    if (sum.latent > 0) text += fmt::format("; {} more latent", count(sum.latent));
    page->paragraph(text + ".", Ink::red);
  } else if (sum.latent > 0) {
    page->paragraph(fmt::format("LATENT: {} freed too early; nobody was handed their bytes yet.",
                                count(sum.latent, "block")),
                    Ink::yellow);
  } else if (left_out > 0 && left_out < std::ssize(subjects)) {
    page->paragraph(
        fmt::format("NO RACE FOUND, BUT NOT CLEAN: of {} processes {} not checked at all.",
                    count(std::ssize(subjects)),
                    left_out == 1 ? "one was" : count(left_out) + " were"),
        Ink::yellow);
  } else if (nothing_checked(coverage)) {
    const std::string& reason = coverage.front().reasons.front();
    page->paragraph(fmt::format("NOTHING WAS CHECKED: {} ({}).", reason_words(reason), reason),
                    Ink::yellow);
  } else if (open == 0) {
    page->paragraph("CLEAN: no race found, and every kind was fully checked.", Ink::green);
  } else if (open_required == 0) {
    page->paragraph(fmt::format("NO RACE FOUND. The required kinds ({}) were fully checked; {} "
                                "others were not.",
                                class_list(require), count(open)),
                    Ink::green);
  } else {
    page->paragraph(fmt::format("NO RACE FOUND, BUT NOT CLEAN: {} not fully checked.",
                                open == 1 ? "one kind was" : count(open, "kind") + " were"),
                    Ink::yellow);
  }
}

void add_entries(Page* page, std::span<const Subject> subjects, const std::vector<Entry>& entries,
                 const Tally& sum, const TextOptions& options) {
  int64_t race = 0, latent = 0, shown = 0;
  for (const Entry& entry : entries) {
    if (entry.suppressed) continue;
    if (options.most >= 0 && shown == options.most) break;
    ++shown;
    page->blank();
    add_entry(page, subjects, entry,
              entry.latent ? fmt::format("LATENT {} of {}", ++latent, sum.latent)
                           : fmt::format("RACE {} of {}", ++race, sum.races));
    add_proof(page, subjects, entry);
  }
  const int64_t left = sum.races + sum.latent - shown;
  if (left > 0) {
    page->blank();
    page->paragraph(fmt::format("{} more: --all", count(left)));
  }
}

void add_undecided(Page* page, std::span<const Subject> subjects, int64_t most) {
  const std::vector<Entry> entries = candidate_entries(subjects);
  if (std::ranges::all_of(entries, &Entry::suppressed)) return;
  page->blank();
  page->paragraph("Undecided, most suspicious first (a pair is harmless if both only read)",
                  Ink::bold);
  const int64_t all = std::ranges::count(entries, false, &Entry::suppressed);
  int64_t number = 0;
  for (const Entry& entry : entries) {
    if (entry.suppressed) continue;
    if (most >= 0 && number == most) {
      page->paragraph(fmt::format("{} more: --undecided", count(all - number)), Ink::plain, 2);
      break;
    }
    add_candidate(page, subjects, entry, ++number);
  }
}

void add_assumptions(Page* page, std::span<const Subject> subjects) {
  std::vector<std::string> names;
  for (const Subject& subject : subjects) {
    for (const std::string& name : subject.verdict->assumptions) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    page->field("Assumed", fmt::format("{}: {}", name, assumption_words(name)));
  }
}

void add_diagnostics(Page* page, std::span<const Subject> subjects) {
  size_t shown = 0, more = 0;
  for (const Subject& subject : subjects) {
    for (const Diagnostic& diagnostic : subject.program->diagnostics) {
      if (shown == kMostDiagnostics) {
        ++more;
        continue;
      }
      ++shown;
      std::string text = diagnostic.reason == "note"
                             ? diagnostic.text
                             : fmt::format("{}: {}", diagnostic.reason, diagnostic.text);
      if (diagnostic.count > 1) text += fmt::format(" (x {})", count(diagnostic.count));
      page->field("Noticed", text);
    }
  }
  if (more > 0) page->field("", fmt::format("and {} more", more));
}

void add_suppressions(Page* page, std::span<const Subject> subjects, const Tally& sum) {
  if (sum.suppressed > 0) page->field("Suppressed", count(sum.suppressed, "cause"));
  if (subjects.empty()) return;
  const std::vector<Suppression>& rules = subjects.front().verdict->suppressions;
  for (size_t i = 0; i < rules.size(); ++i) {
    int64_t used = 0;
    for (const Subject& subject : subjects) used += subject.verdict->suppressions[i].used;
    page->field(used > 0 ? "" : "Unused rule",
                used > 0 ? fmt::format("{} x {}: {}", count(used), rules[i].match, rules[i].reason)
                         : rules[i].match);
  }
}

void add_next(Page* page, const std::vector<Entry>& entries, const Tally& sum,
              std::span<const Subject> subjects, const TextOptions& options) {
  if (options.target.empty()) return;
  const auto first = std::ranges::find_if(entries, [](const Entry& e) { return !e.suppressed; });
  if (first != entries.end()) {
    page->verbatim(
        fmt::format("Next           bohr show {} {}", options.target, first->cause->site), 2);
    page->field("To accept one", fmt::format("a line \"site={}  # why\" in a file for --suppress",
                                             first->cause->site));
  }
  const std::vector<Entry> candidates = candidate_entries(subjects);
  if (!candidates.empty() && first != entries.end()) {
    page->verbatim(fmt::format("Undecided      bohr show {} --undecided", options.target), 2);
  }
  const auto coverage = merged_coverage(subjects);
  const std::string complete = complete_classes(coverage);
  if (sum.races + sum.latent == 0 && not_complete(coverage, options.require) > 0 &&
      !complete.empty()) {
    page->verbatim(fmt::format("For CI         --require {}   would exit 0 here", complete), 2);
  }
}

}  // namespace

std::string render_text(std::span<const Subject> subjects, const TextOptions& options) {
  Page page(options.style);
  const std::vector<Entry> entries = finding_entries(subjects);
  const Tally sum = tally(entries);
  const auto coverage = merged_coverage(subjects);
  add_subjects(&page, subjects);
  page.blank();
  if (const int64_t pages = canary_pages(subjects); pages > 0)
    page.paragraph(fmt::format("UNEXPECTED WRITES to what is watched: {}.", count(pages, "page")),
                   Ink::red);
  add_result(&page, subjects, sum, coverage, options.require);
  add_search(&page, subjects);
  add_watched(&page, subjects, options.most);
  add_entries(&page, subjects, entries, sum, options);
  add_other_witnesses(&page, subjects);
  add_repairs(&page, subjects);
  if (options.undecided || sum.races + sum.latent == 0) {
    add_undecided(&page, subjects, options.undecided ? -1 : options.most_undecided);
  }
  if (!nothing_checked(coverage)) {
    page.blank();
    add_coverage(&page, coverage);
  }
  page.blank();
  add_assumptions(&page, subjects);
  add_diagnostics(&page, subjects);
  add_suppressions(&page, subjects, sum);
  add_next(&page, entries, sum, subjects, options);
  page.field("Never covered",
             "races inside one kernel; two kernels torn mid-flight; other processes");
  return page.take();
}

std::string render_entry(std::span<const Subject> subjects, const std::string& site,
                         const TextOptions& options) {
  for (const bool candidates : {false, true}) {
    for (const Entry& entry :
         candidates ? candidate_entries(subjects) : finding_entries(subjects)) {
      if (entry.cause->site != site) continue;
      Page page(options.style);
      std::string heading = candidates ? "UNDECIDED" : entry.latent ? "LATENT" : "RACE";
      if (entry.suppressed) heading += " (suppressed)";
      add_entry(&page, subjects, entry, heading);
      add_proof(&page, subjects, entry);
      for (const std::string& reason : entry.finding->reasons) {
        page.field("Undecided", fmt::format("{}: {}", reason, reason_words(reason)));
      }
      add_places(&page, subjects, entry, candidates);
      return page.take();
    }
  }
  return {};
}

std::string render_undecided(std::span<const Subject> subjects, const TextOptions& options) {
  Page page(options.style);
  add_undecided(&page, subjects, -1);
  return page.take();
}

}  // namespace bohr::report

// SPDX-License-Identifier: Apache-2.0
// The report for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/entries.h"
#include "report/layout.h"

namespace bohr::report {

struct TextOptions {
  Style style;
  int64_t most = 10;            // entries shown; negative: all
  int64_t most_undecided = 10;  // undecided pairs shown; negative: all
  bool undecided = false;       // list every undecided pair, also beside findings
  std::string target;           // what `bohr show` takes to look at this again, quoted for a shell;
                                // empty: there is nothing to look at, so no command is proposed
  std::vector<HazardClass> require;  // the classes that were asked for; empty: all
};

std::string render_text(std::span<const Subject> subjects, const TextOptions& options);

// One entry in full: every place, whole stacks. Empty when no entry has this site.
std::string render_entry(std::span<const Subject> subjects, const std::string& site,
                         const TextOptions& options);
// The undecided pairs alone.
std::string render_undecided(std::span<const Subject> subjects, const TextOptions& options);

}  // namespace bohr::report

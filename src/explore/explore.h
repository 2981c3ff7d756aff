// SPDX-License-Identifier: Apache-2.0
// The explorer: turns a suspicion into a fact by running the program in other legal orders.
//
// It takes a right order as baseline, pins what varies by itself, and then tries orders, nearest
// first: for each finding and candidate the ones that reverse only that pair, then for each chain
// the one that delays it as long as possible, which together run every unordered pair both ways,
// then random ones. An order that leaves other bytes is bisected to two schedules that differ in
// one swap of neighbours; both are replayed in alternation, and if each gives its own result every
// time they are a witness. One witness is kept for each cause, one that reaches an output before
// one that does not.
//
// What serial orders of whole steps cannot show is said in docs/method.md.
#pragma once

#include "explore/lost_orders.h"
#include "explore/runner.h"
#include "model/exploration.h"
#include "model/verdict.h"

namespace bohr::explore {

struct Options {
  int64_t budget = 1000;  // replays
  uint64_t seed = 1;
  int32_t calibration_rounds = 3;  // replays of the baseline that have to agree
  int32_t confirmations = 20;      // replays of each schedule of a witness
  int32_t places_per_cause = 3;    // findings of one cause whose pairs are reversed
  int32_t random_orders = 16;
  int random_depth = 3;
  int32_t own_runs = 0;          // of the program by itself, for its natural failure rate
  uint8_t fill = 0;              // other contents where zeros stand; 0: leave those as they are
  std::vector<LostOrder> lost;   // in earlier searches of the same work
  std::vector<Ignored> ignored;  // where differences count for nothing
  std::vector<Watch> watched;    // which steps write there
  bool whole_too = false;        // run witnesses in one piece as well, as far as they may run on
  bool run_on = true;            // to the end although a step differed, to see what it reaches
  std::vector<Schedule> also;    // orders to try besides, where they are legal
  bool all_orders = false;  // then every legal order, up to equivalence, as far as the budget goes
  bool strict_threads = false;
};

// Errors are the program's or the replayer's; a budget that is used up is none: the exploration
// then says so (reason `budget`). Refuses a budget below 1 (`explore-budget`), and
// own runs of a program that has none where it is replayed (`no-own-run`).
Result<Exploration> explore(replay::Replayer& replayer, const Verdict& verdict,
                            const Options& options);

}  // namespace bohr::explore

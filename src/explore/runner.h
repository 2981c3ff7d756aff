// SPDX-License-Identifier: Apache-2.0
// Replays of whole schedules against a budget, compared with a reference.
//
// A run is judged step by step and by what it leaves: a step differs when what it wrote has another
// digest than in the reference, and an output differs when its final bytes do. Pinned steps write
// the same by construction; outputs that vary by themselves are masked. Ignored bytes are left out
// of both comparisons.
#pragma once

#include <string>
#include <vector>

#include "explore/lost_orders.h"
#include "explore/schedules.h"
#include "model/exploration.h"
#include "model/outputs.h"
#include "replay/replayer.h"

namespace bohr::explore {

struct Run {
  std::vector<uint64_t> steps;    // digests, by step
  std::vector<uint64_t> outputs;  // digests, by output piece
  std::vector<replay::Bytes> kept;
  bool complete = true;  // false: stopped after the first step that differed; no outputs
  bool lost = false;     // it was not run: it would end its process
  bool operator==(const Run&) const = default;
};

uint64_t digest_of(const Run& run);

struct Difference {
  int32_t step = -1;             // the first in the schedule that differs; -1: none does
  std::vector<int32_t> outputs;  // output pieces that differ
  bool lost = false;             // the whole order
  bool none() const { return step < 0 && outputs.empty() && !lost; }
};

class Runner {
 public:
  // `run_on`: run orders to their end although a step differed. `lost`: as in earlier searches.
  Runner(replay::Replayer& replayer, int64_t budget, bool run_on, std::vector<Ignored> ignored = {},
         std::vector<LostOrder> lost = {});

  // One replay. Error `budget` when there is none left.
  Result<Run> run(const Schedule& schedule, std::span<const int32_t> keep = {});
  // One replay in one piece: what it left in outputs.
  Result<std::vector<uint64_t>> run_whole(const Schedule& schedule);
  // The same for an order that may do harm: it stops after the first step that differs from
  // `reference` where orders are not to run on, or where running on ends in an error, as when a
  // consumer takes garbage for an index; that takes a second replay. An order that was lost while
  // it stopped there is not run.
  Result<Run> try_run(const Schedule& schedule, const Run& reference);
  // One replay in which each step is watched.
  Result<std::vector<replay::Changed>> watch(const Schedule& schedule);
  // Of memory as it is now.
  Result<std::vector<uint64_t>> output_digests() { return replayer_.digest(output_ranges_); }
  Difference difference(const Schedule& schedule, const Run& reference, const Run& run) const;

  // Null where it was not lost.
  const LostOrder* find_lost(const Schedule& schedule) const;
  // While true no order runs on beyond its first damage.
  void be_careful(bool careful) { careful_ = careful; }

  // The schedule of the newest replay.
  const Schedule& last() const { return last_; }
  int64_t replays() const { return replays_; }
  int64_t left() const { return budget_ - replays_; }
  replay::Replayer& replayer() { return replayer_; }
  // What of the outputs is compared.
  const std::vector<OutputPiece>& outputs() const { return outputs_; }
  const std::vector<Ignored>& ignored() const { return ignored_; }
  uint64_t ignored_output_bytes() const { return ignored_output_bytes_; }

  void pin(int32_t step, replay::Bytes bytes);
  void mask(int32_t output) { masked_[static_cast<size_t>(output)] = 1; }
  bool is_masked(int32_t output) const { return masked_[static_cast<size_t>(output)] != 0; }
  const std::vector<replay::Pin>& pins() const { return pins_; }
  // From now on each run starts with other contents in these ranges: zeros where something else
  // stands, and `instead` where zeros stand, unless that is 0. Ranges of more than 1 GiB and tables
  // of pointers of recorded programs keep what they hold.
  Status fill_otherwise(std::span<const ByteRange> ranges, uint8_t instead);
  Status fill(std::span<const Filled> filled);
  const std::vector<Filled>& filled() const { return filled_; }

 private:
  Status take_one();
  replay::Request request(const Schedule& schedule);

  replay::Replayer& replayer_;
  int64_t budget_;
  bool run_on_;
  bool careful_ = false;
  std::vector<LostOrder> lost_;
  int64_t replays_ = 0;
  Schedule last_;
  std::vector<Ignored> ignored_;
  std::vector<ByteRange> ignored_ranges_;  // sorted, disjoint
  uint64_t ignored_output_bytes_ = 0;
  std::vector<OutputPiece> outputs_;
  std::vector<ByteRange> output_ranges_;
  std::vector<uint8_t> masked_;
  std::vector<replay::Pin> pins_;
  std::vector<replay::Content> contents_;
  std::vector<Filled> filled_;
};

// After these errors no more orders can be run, and what was found stands.
bool ends_search(const Error& error);

}  // namespace bohr::explore

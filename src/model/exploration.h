// SPDX-License-Identifier: Apache-2.0
// What the explorer found out about a program: witnesses, what each suspected pair's reversal gave,
// and what was covered. Plain values for the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/range.h"
#include "model/step.h"
#include "model/verdict.h"

namespace bohr {

// A step for people: its label and where it runs.
struct StepName {
  Step step;
  std::string label;
  std::string where;
};

// Bytes that were given a value of no meaning before each run, besides restoring.
struct Filled {
  ByteRange range;
  uint8_t byte = 0;
};

// Bytes that were asked for by name, and where they lie.
struct NamedBytes {
  NamedRange name;
  ByteRange range;
};
// Bytes that carry no meaning: what differs there counts for nothing.
using Ignored = NamedBytes;

// Bytes that only some steps are expected to write, as one `--watch` names them.
struct Watch {
  std::string text;                // as it was asked for
  std::vector<NamedBytes> pieces;  // several where blocks share a name, or one lies in pieces
  uint64_t begin = 0;              // of the watched bytes, from the first byte of what is named
  bool listed = false;             // the writers were listed; else they are those that name it
  std::vector<Step> expected;      // sorted
};

// A witness's schedules run in one piece, against what was seen step by step.
enum class WholeRuns : uint8_t { not_run, agree, disagree };

// Two legal schedules that differ in one swap of neighbours and in what they leave behind.
struct Witness {
  int32_t cause = 0;  // Cause::id; 0: the pair is none of the findings'
  StepName first;     // the critical pair as the right schedule has it
  StepName second;
  NamedRange range;                 // what they race for
  std::vector<Step> right;          // every step of the program once
  std::vector<Step> wrong;          // `right` with the pair swapped
  bool right_is_baseline = true;    // false: no order is known to be right
  StepName damaged;                 // the first step that wrote other bytes; no label: none did
  std::vector<Filled> filled;       // before each run of either schedule
  std::vector<Ignored> ignored;     // not compared, and in no digest
  std::vector<NamedRange> outputs;  // outputs that differ; empty: none does
  uint64_t right_digest = 0;        // of outputs, and of what each step wrote
  uint64_t wrong_digest = 0;
  int32_t replays = 0;    // of each schedule, in alternation
  int32_t identical = 0;  // pairs of replays that gave these two digests
  bool stopped = false;   // the wrong schedule, at the first damage: what it reaches is unknown
  WholeRuns whole = WholeRuns::not_run;
  bool reaches_output() const { return !outputs.empty(); }
};

enum class TrialResult : uint8_t {
  same_bytes,     // reversed; nothing differs with these contents
  diverges,       // reversed; a step writes other bytes
  elsewhere,      // reversing it reversed another pair too, and that one is what differs
  never_written,  // a candidate's: neither step was seen to write the bytes, under two contents
  outside,        // its steps are not of one launch that was explored
  not_tried       // the budget was used up, or other places of the cause stand for it
};

// What reversing a suspected pair gave.
struct Trial {
  bool candidate = false;
  int32_t index = 0;  // into Verdict::findings or candidates
  TrialResult result = TrialResult::not_tried;
  int32_t contents = 0;   // how many contents it was tried with
  int64_t slack_ns = -1;  // from the end of one to the start of the other as the program runs by
                          // itself, the median; -1: not known
  int64_t no_slack = 0;   // in how many of its runs the one had not ended when the other began
};

enum class BaselineKind : uint8_t {
  issue_order,   // issue order is right
  reordered,     // another order is right, issue order is not
  own_launches,  // an order that leaves what the program's own launches leave; issue order does not
  none           // no order found in which each read sees its intended writer
};

// Bytes that a step was seen to change, where the trace does not say what it writes.
struct ObservedWrite {
  Step step;
  ByteRange range;
};

// What becomes of a cause's pair in another arm: the same program with another flag. The worst
// comes first.
enum class ArmState : uint8_t {
  racy,         // it is there, and unordered too
  ordered,      // it is there, and ordered
  apart,        // both steps are there and share no bytes
  not_reached,  // one of the two is not there
  not_compared  // the cause is no pair of steps
};
struct Arm {
  std::string name;
  std::vector<ArmState> states;  // by Verdict::causes
};

// The program as it runs by itself.
struct OwnRuns {
  int64_t runs = 0;
  int64_t different = 0;  // left other outputs than the baseline
};

// The order that ended the process it ran in, by an illegal access or because a kernel waits for
// what the order puts after it.
struct LostProcess {
  std::string reason;       // `process-lost` or `watchdog`; empty: none was lost
  std::vector<Step> order;  // legal, each step once
  StepName early;           // where it first leaves the baseline: this step runs before that one
  StepName late;
  bool earlier = false;  // in an earlier start of the program, after which the search went on
};

// How long a running program was held for its exploration, and what of its memory was looked at.
struct Held {
  int64_t count = 0;     // 0: no running program was
  int64_t restarts = 0;  // of the program, after orders that ended it
  bool restored = true;  // its memory was, and by digest verified
  int64_t longest_ns = 0;
  int64_t all_ns = 0;
  uint64_t saved_bytes = 0;       // put back after each order
  uint64_t compared_bytes = 0;    // of an order, after the steps that write them
  uint64_t own_device_bytes = 0;  // that the search itself took at most, in the program
  uint64_t own_host_bytes = 0;
};

// A page of 4096 bytes in which a step changed watched bytes that it was not expected to write.
struct Canary {
  StepName step;
  uint64_t page = 0;    // its address
  uint64_t offset = 0;  // of the first changed byte, from the first watched one
  NamedRange range;     // from the first changed byte of the page to the last
  uint64_t bytes = 0;   // that changed
};

// What became of a watch.
struct Watched {
  Watch watch;
  std::vector<StepName> expected;
  int32_t contents = 0;  // under how many contents of it the baseline was watched
  std::vector<Canary> canaries;
  std::vector<NamedBytes> unseen;  // not watched: in a block too large to be saved whole
};

// The program's own launches, run before anything else where access sets had to be observed.
enum class OwnLaunches : uint8_t {
  not_run,
  unstable,   // they leave different outputs
  different,  // they leave the same, and no order that was tried leaves that
  equal       // they leave what the baseline leaves
};

struct Exploration {
  BaselineKind baseline = BaselineKind::issue_order;
  int64_t broken_reads = 0;  // baseline none: reads that do not see their intended writer
  int64_t steps = 0;
  int32_t chains = 0;
  int32_t calibration_replays = 0;
  std::vector<StepName> pinned;
  std::vector<Ignored> ignored;
  double masked = 0;  // share of output bytes that cannot show a difference
  std::vector<Witness> witnesses;
  std::vector<Trial> trials;
  std::vector<ObservedWrite> observed;
  int32_t observed_contents = 0;  // under how many contents steps were watched
  std::vector<Arm> arms;
  std::vector<SettledPair> settled;  // that replays decided, for another check
  int64_t orders = 0;                // tried, those equivalent to earlier ones not counted
  int64_t different = 0;             // of them left other bytes
  int64_t equivalent = 0;            // were not tried, being equivalent
  bool pairs_covered = false;        // every unordered pair that conflicts was run in both orders
  bool exhaustive = false;           // every legal order was tried, up to equivalence
  int64_t random_orders = 0;
  int random_depth = 0;
  double random_bound = 0;  // each random order meets a bug of that depth at least this often
  std::vector<Watched> watched;
  LostProcess lost;
  Held held;
  OwnRuns own;
  bool own_vary_as_pinned = false;  // unstable: in nothing but what follows from pinned steps
  OwnLaunches own_launches = OwnLaunches::not_run;
  int64_t replays = 0;
  int64_t budget = 0;
  uint64_t seed = 0;
  std::vector<std::string> reasons;  // named: `budget`, `outputs-masked`, …
};

}  // namespace bohr

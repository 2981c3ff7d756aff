// SPDX-License-Identifier: Apache-2.0
// The seam between the explorer and whatever can run recorded work again in a given order.
//
// A replayer holds one unit of work: a whole program, or one launch of one graph. Its steps are
// listed in issue order and a schedule is a permutation of their indices. The contract, which
// tests/conformance holds every implementation to:
//
//   - learn() comes first. It saves what a run may write and fixes, for each step, the ranges that
//     written() tells from then on.
//   - run() restores that state, puts the given contents, and runs a schedule. Two runs of one
//     request give one outcome, save for steps that are not functions of what they read; those can
//     be pinned. A whole and a stepwise run of one schedule leave the same bytes.
//   - Ignored bytes are in no step's digest, so that no step differs from what was expected by them
//     alone. They are run, pinned, kept and observed as all others are. An implementation that
//     digests in larger pieces counts a piece that is ignored only in part.
//   - An observed run tells every byte that a step changes, whatever the step is known to write;
//     not so of bytes that were moved, which is where a step may write instead.
//   - written() tells addresses of the program, whether or not they are moved in a run.
//   - restore() puts the saved state back, exactly, and verifies it by digest.
//   - pause() lets the program go on with its own memory for a while, and resume() takes over
//   again;
//     what learn() saved stays what runs start from. Where no program goes on both do nothing more
//     than restore(). resume() fails (`memory-changed`) when the memory is no longer there.
//   - time() runs the work as the program would and takes the time; memory is then as after
//     restore(). What is compared is run in turn, so that what drifts drifts for all.
//   - release() restores, unless it is paused, and leaves the process as if nothing had happened.
//   So does destruction.
//   - What it cannot do it refuses by an Error whose code is a named reason of docs/limits.md or
//     docs/errors.md; memory is then as after restore().
//
// Whether a schedule respects happens-before is the caller's business. Addresses are those of the
// program. Contents are opaque: what fetch() gave may be put back, compared, and zeroed.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "model/program.h"
#include "model/step.h"

namespace bohr::replay {

using Bytes = std::vector<uint8_t>;

// Bytes to put into a range after restoring and before the first step.
struct Content {
  ByteRange range;
  Bytes bytes;
};

// After `step`, its written ranges are made to hold `bytes`, one range after the other: so what a
// step decides by chance does not spread.
struct Pin {
  int32_t step = 0;
  Bytes bytes;
};

// A block that lies elsewhere, as if it had been given other memory: to these steps what they know
// as `from` is at `to`, where the program has nothing, and begins with what `from` held. Ranges
// there are told and taken under these addresses; where that is in truth is the replayer's
// business.
struct Move {
  std::vector<int32_t> steps;
  ByteRange from;
  uint64_t to = 0;
  bool operator==(const Move&) const = default;
};

struct Request {
  std::span<const int32_t> order;
  std::span<const Content> contents;
  std::span<const Pin> pins;
  bool stepwise = false;               // look at what each step wrote; what follows needs it
  std::span<const uint64_t> expected;  // by step: stop after the first step with another digest
  std::span<const int32_t> keep;       // steps whose written bytes are wanted, pins applied
  bool observe = false;                // tell which bytes each step changed
  std::span<const ByteRange> ignored;  // left out of digests; sorted, disjoint
  std::span<const Move> moved;         // other memory for some steps
};

struct Changed {
  int32_t step = 0;
  ByteRange range;
};

// When a step ran, by the clock of whatever ran it.
struct Span {
  int64_t begin_ns = -1;  // -1: not known
  int64_t end_ns = -1;
};

struct Outcome {
  size_t ran = 0;  // steps of the order; fewer than all when one differed from what was expected
  std::vector<uint64_t> digests;  // stepwise, by step: of what its written ranges held after it,
                                  // ignored bytes left out
  std::vector<Bytes> kept;        // as Request::keep
  std::vector<Changed> changed;   // in the order of the run
  std::vector<Span> spans;        // unforced runs, by step; empty where there is no clock
};

// What learn() saved.
struct Saved {
  uint64_t bytes = 0;
  uint64_t digest = 0;
  int32_t contents = 0;  // under how many contents written() was observed; 0: it is declared
  std::vector<ByteRange> unseen = {};  // of what was to be watched: an observed run cannot tell
};

// What an implementation took for itself in the process it runs in, at most, in bytes.
struct OwnMemory {
  uint64_t device = 0;
  uint64_t host = 0;  // pinned
};

// A way to run the work, for its time.
struct Variant {
  std::vector<std::pair<int32_t, int32_t>> more;  // steps: the second waits for the first
  std::vector<int32_t> serial;  // not empty: all steps one after the other, in this order
  std::vector<Move> moved;      // other memory for some steps
  bool operator==(const Variant&) const = default;
};

struct Timings {
  std::vector<double> ns;       // of one run; round by round, in each for every variant
  std::vector<double> step_ns;  // by step: how long it runs; empty: not known
  bool virtual_time = false;    // of a simulated device
};

class Replayer {
 public:
  virtual ~Replayer() = default;
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  virtual const Program& program() const = 0;
  virtual std::span<const Step> steps() const = 0;  // in issue order

  virtual Result<Saved> learn() = 0;
  // What a step may write, apart from atomic updates, whose intermediate values depend on the order
  // of others that commute with them. Sorted, disjoint; the same in every order.
  virtual std::span<const ByteRange> written(int32_t step) const = 0;

  virtual Result<Outcome> run(const Request& request) = 0;
  // As the program runs by itself, in no order of ours; `seed` chooses among its timings where the
  // implementation can. Refused (`no-own-run`) where there is no such thing.
  virtual Result<Outcome> run_unforced(uint64_t seed) = 0;
  // As the program would run by itself if it had what the variant adds. Refused as run_unforced().
  virtual Result<Outcome> run_variant(const Variant& variant);
  // Every variant once a round, as many rounds as are asked for or fewer where that would take
  // long. Refused (`no-timing`) where there is no clock, or a variant cannot be made to run.
  virtual Result<Timings> time(std::span<const Variant> variants, int32_t rounds);
  virtual Status restore() = 0;
  virtual Status pause() { return restore(); }
  virtual Status resume() { return Nothing{}; }
  virtual Status release() = 0;

  // Of memory as it is now: after a run, what that run left.
  virtual Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) = 0;
  virtual Result<Bytes> fetch(ByteRange range) = 0;
  virtual OwnMemory own_memory() const { return {}; }

 protected:
  Replayer() = default;
};

}  // namespace bohr::replay

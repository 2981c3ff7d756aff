// SPDX-License-Identifier: Apache-2.0
// One request a run; the comparison knows nothing of how it was run.
#include "explore/runner.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/hash.h"
#include "explore/addresses.h"

namespace bohr::explore {

namespace {

constexpr uint64_t kMostFilled = uint64_t{1} << 30;  // bytes of a range; contents pass through here

}  // namespace

bool ends_search(const Error& error) {
  constexpr std::array<std::string_view, 7> kEnds = {
      "budget",      "process-lost",   "watchdog",      "remote-lost",
      "interrupted", "foreign-writer", "memory-changed"};
  return std::find(kEnds.begin(), kEnds.end(), error.code) != kEnds.end();
}

uint64_t digest_of(const Run& run) {
  uint64_t digest = run.steps.size();
  for (const uint64_t step : run.steps) digest = combine(digest, step);
  for (const uint64_t output : run.outputs) digest = combine(digest, output);
  return digest;
}

Runner::Runner(replay::Replayer& replayer, int64_t budget, bool run_on,
               std::vector<Ignored> ignored, std::vector<LostOrder> lost)
    : replayer_(replayer),
      budget_(budget),
      run_on_(run_on && lost.size() < kMostRunOnLosses),
      lost_(std::move(lost)),
      ignored_(std::move(ignored)) {
  for (const Ignored& one : ignored_) ignored_ranges_.push_back(one.range);
  ignored_ranges_ = merged(std::move(ignored_ranges_));
  for (const OutputPiece& output : outputs_of(replayer.program())) {
    ignored_output_bytes_ += output.range.size();
    for (const ByteRange& range : without({&output.range, 1}, ignored_ranges_)) {
      ignored_output_bytes_ -= range.size();
      outputs_.push_back({output.lifetime, range});
      output_ranges_.push_back(range);
    }
  }
  masked_.assign(outputs_.size(), 0);
}

Status Runner::take_one() {
  if (left() <= 0) {
    return Error{"budget", replayer_.program().source, "",
                 "the budget of " + std::to_string(budget_) + " replays is used up",
                 "give a larger --budget"};
  }
  ++replays_;
  return Nothing{};
}

replay::Request Runner::request(const Schedule& schedule) {
  last_ = schedule;
  replay::Request request;
  request.order = schedule;
  request.contents = contents_;
  request.pins = pins_;
  request.stepwise = true;
  request.ignored = ignored_ranges_;
  return request;
}

Result<Run> Runner::run(const Schedule& schedule, std::span<const int32_t> keep) {
  BOHR_TRY_STATUS(take_one());
  replay::Request request = this->request(schedule);
  request.keep = keep;
  BOHR_TRY(outcome, replayer_.run(request));
  BOHR_TRY(outputs, output_digests());
  return Run{std::move(outcome.digests), std::move(outputs), std::move(outcome.kept), true};
}

Result<std::vector<uint64_t>> Runner::run_whole(const Schedule& schedule) {
  BOHR_TRY_STATUS(take_one());
  replay::Request request = this->request(schedule);
  request.stepwise = false;
  const auto outcome = replayer_.run(request);
  if (!outcome.ok()) return outcome.error();
  return output_digests();
}

const LostOrder* Runner::find_lost(const Schedule& schedule) const {
  const LostOrder* found = nullptr;
  for (const LostOrder& one : lost_) {
    if (one.order != schedule || one.other_contents != !contents_.empty()) continue;
    if (found == nullptr || one.stopping) found = &one;
  }
  return found;
}

Result<Run> Runner::try_run(const Schedule& schedule, const Run& reference) {
  const LostOrder* lost = find_lost(schedule);
  if (lost != nullptr && lost->stopping) {
    Run run;
    run.steps = reference.steps;
    run.complete = false;
    run.lost = true;
    return run;
  }
  if (run_on_ && !careful_ && lost == nullptr) {
    Result<Run> run = this->run(schedule);
    if (run.ok() || ends_search(run.error())) return run;
  }
  BOHR_TRY_STATUS(take_one());
  replay::Request request = this->request(schedule);
  request.expected = reference.steps;
  BOHR_TRY(outcome, replayer_.run(request));
  Run run{std::move(outcome.digests), {}, {}, outcome.ran == schedule.size()};
  const bool last_differs = run.complete && run.steps != reference.steps;
  if (last_differs) run.complete = false;
  if (run.complete) {
    BOHR_TRY(outputs, output_digests());
    run.outputs = std::move(outputs);
  }
  return run;
}

Result<std::vector<replay::Changed>> Runner::watch(const Schedule& schedule) {
  BOHR_TRY_STATUS(take_one());
  replay::Request request = this->request(schedule);
  request.observe = true;
  BOHR_TRY(outcome, replayer_.run(request));
  return std::move(outcome.changed);
}

Difference Runner::difference(const Schedule& schedule, const Run& reference,
                              const Run& run) const {
  Difference difference;
  difference.lost = run.lost;
  for (const int32_t step : schedule) {
    const auto i = static_cast<size_t>(step);
    if (reference.steps[i] == run.steps[i]) continue;
    difference.step = step;
    break;
  }
  if (!run.complete) return difference;
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (!masked_[i] && reference.outputs[i] != run.outputs[i])
      difference.outputs.push_back(static_cast<int32_t>(i));
  return difference;
}

Status Runner::fill_otherwise(std::span<const ByteRange> ranges, uint8_t instead) {
  BOHR_TRY_STATUS(replayer_.restore());
  const std::vector<ByteRange> memory = memory_of(replayer_.program());
  std::vector<Filled> filled;
  for (const ByteRange& range : ranges) {
    if (range.size() > kMostFilled) continue;
    BOHR_TRY(bytes, replayer_.fetch(range));
    if (replayer_.program().recorded && holds_addresses(memory, bytes)) continue;
    const bool holds_something =
        std::any_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte != 0; });
    if (holds_something || instead != 0)
      filled.push_back({range, holds_something ? uint8_t{0} : instead});
  }
  return fill(filled);
}

Status Runner::fill(std::span<const Filled> filled) {
  filled_.assign(filled.begin(), filled.end());
  contents_.clear();
  for (const Filled& one : filled) {
    BOHR_TRY(bytes, replayer_.fetch(one.range));
    contents_.push_back({one.range, replay::Bytes(bytes.size(), one.byte)});
  }
  return Nothing{};
}

void Runner::pin(int32_t step, replay::Bytes bytes) { pins_.push_back({step, std::move(bytes)}); }

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
#include "sim/support.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/sim/mix.h"
#include "replay/sim/replayer.h"

namespace bohr::gpu::sim {

Options small_machine(const Timing& timing) {
  Options options;
  options.timing = timing;
  options.memory = {uint64_t{32} << 20, 1 << 16, 1 << 16};
  return options;
}

std::unique_ptr<replay::Replayer> replayer_of(const Ran& ran, const Options& options) {
  auto replayer =
      replay::sim_replayer(ran.program, ran.sim->tape(), options.timing, options.memory);
  BOHR_CHECK(replayer.ok());
  return std::move(replayer).value();
}

namespace {

uint64_t digest_of(std::span<const int32_t> order) {
  uint64_t digest = order.size();
  for (const int32_t step : order) digest = mix(digest, {static_cast<uint64_t>(step)});
  return digest;
}

std::string plain(const std::string& label) { return label.substr(0, label.find_first_of("#@")); }

}  // namespace

std::vector<int32_t> schedule_of(std::span<const Step> steps, const std::vector<Step>& order) {
  std::vector<std::pair<Step, int32_t>> index;
  for (size_t i = 0; i < steps.size(); ++i) index.emplace_back(steps[i], static_cast<int32_t>(i));
  std::sort(index.begin(), index.end());
  std::vector<int32_t> schedule;
  for (const Step& step : order)
    schedule.push_back(std::lower_bound(index.begin(), index.end(), std::pair(step, 0))->second);
  return schedule;
}

Result<replay::Outcome> Account::run(const replay::Request& request) {
  orders_.push_back(digest_of(request.order));
  return ForwardingReplayer::run(request);
}

int64_t Account::replays_to(const std::vector<Step>& order) const {
  const uint64_t wanted = digest_of(schedule_of(steps(), order));
  const auto found = std::find(orders_.begin(), orders_.end(), wanted);
  return found == orders_.end() ? 0 : found - orders_.begin() + 1;
}

Found find(const Ran& ran, const Options& machine, const Verdict& told,
           const explore::Options& options) {
  Found found;
  Account account(replayer_of(ran, machine));
  auto exploration = explore::explore(account, told, options);
  EXPECT_TRUE(exploration.ok()) << to_string(exploration.error());
  found.exploration = std::move(exploration).value();
  for (const Witness& witness : found.exploration.witnesses) {
    const int64_t replays = account.replays_to(witness.wrong);
    if (found.replays_to_witness == 0 || replays < found.replays_to_witness)
      found.replays_to_witness = replays;
  }
  return found;
}

Explored explored(const ProgramText& text, const Options& machine,
                  const explore::Options& options) {
  Explored result;
  result.ran = run_program(text, machine);
  result.verdict = verdict_of(result.ran);
  static_cast<Found&>(result) = find(result.ran, machine, result.verdict, options);
  return result;
}

std::vector<std::string> pairs_of(const Exploration& exploration) {
  std::vector<std::string> lines;
  for (const Witness& witness : exploration.witnesses) {
    const bool forward = witness.first.step < witness.second.step;
    const auto& [first, second] =
        forward ? std::tie(witness.first, witness.second) : std::tie(witness.second, witness.first);
    lines.push_back(plain(first.label) + " " + plain(second.label));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
#include "app/demo_record.h"

#include <memory>

#include "app/demo_arms.h"
#include "app/temporary_folder.h"
#include "fix/fix.h"
#include "replay/sim/replayer.h"
#include "trace/import.h"
#include "trace/open.h"

namespace bohr::app::demo {

namespace {

constexpr int32_t kSteps = 2;  // a step and one that builds on it
// The memory of the simulated GPU starts as zeros, as memory that was never used does. What earlier
// work of another kind would have left there has to be put in.
constexpr uint8_t kStale = 0xa5;

explore::Options options_with(uint64_t seed) {
  explore::Options options;
  options.seed = seed;
  options.fill = kStale;
  options.all_orders = true;
  return options;
}

}  // namespace

Result<Recorded> record(Arm arm, const Learned& learned) {
  BOHR_TRY(folder, TemporaryFolder::make());
  const std::string log = folder->file("demo.bohr");
  BOHR_TRY(ran, run_arm(arm, kSteps, learned, log));
  BOHR_TRY(input, trace::read_input(log));
  BOHR_TRY(program, trace::to_program(input));
  BOHR_TRY(checked, check_program(std::move(program), to_string(arm), {}));
  return Recorded{std::move(checked), std::move(ran)};
}

Result<Explored> explore_recorded(const Recorded& recorded, uint64_t seed) {
  const Ran& ran = recorded.ran;
  BOHR_TRY(replayer, replay::sim_replayer(recorded.checked.program, ran.tape, timing(), memory()));
  return explore_on(*replayer, recorded.checked, {}, options_with(seed));
}

Result<Fixed> fix_recorded(const Recorded& recorded, Explored explored, uint64_t seed) {
  const Ran& ran = recorded.ran;
  fix::Options options;
  options.explore = options_with(seed);
  options.replayer = [&](const Program& repaired) {
    return replay::repaired_sim_replayer(recorded.checked.program, repaired, ran.tape, timing(),
                                         memory());
  };
  const Checked& checked = explored.checked;
  BOHR_TRY(repairs, fix::fix(checked.program, checked.verdict, options));
  return Fixed{std::move(explored), std::move(repairs), std::nullopt};
}

}  // namespace bohr::app::demo

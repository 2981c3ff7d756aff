// SPDX-License-Identifier: Apache-2.0
// By itself first, so that no recorder moves the timing that is counted; then each way once more
// under the recorder, the two with a graph of two streams held and explored in the program itself.
#include "app/demo_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/files.h"
#include "app/guest.h"
#include "app/install.h"
#include "app/temporary_folder.h"

namespace bohr::app::demo {

namespace {

constexpr int64_t kRecordedSteps = 48;
constexpr int kNoGpu = 3;  // the program's exit status

const char* argument_of(Arm arm) {
  constexpr std::array<const char*, 4> kWords = {"eager", "one-stream", "race", "clean"};
  return kWords[static_cast<size_t>(arm)];
}

Error program_failed(const std::string& program, const std::string& why) {
  return {"demo-program", program, "", why, "build it again where nvcc and a GPU are"};
}

Status run_by_itself(const std::vector<std::string>& command) {
  BOHR_TRY(guest, Guest::start(command, {}));
  std::optional<GuestEnd> end;
  while (!end) end = guest->wait(100);
  if (end->signal == 0 && end->code == kNoGpu) {
    return Error{"demo-no-gpu", "bohr demo --cuda", "", "no GPU that CUDA can use",
                 "leave out --cuda: the same story on a simulated GPU"};
  }
  if (shell_code(*end) != 0)
    return program_failed(command.front(), fmt::format("it ended with {}", shell_code(*end)));
  return Nothing{};
}

// Two streams in a graph have something to prove, or to show that nothing is left.
bool is_explored(Arm arm) { return arm == Arm::two_streams || arm == Arm::repaired; }

Result<Fixed> run_recorded(const std::string& program, Arm arm, const TemporaryFolder& folder,
                           const Say& say) {
  RunOptions run;
  const std::string name = argument_of(arm);
  run.command = {program, name, std::to_string(kRecordedSteps), folder.file(name + ".recorded")};
  run.recording.dir = folder.file(name);
  if (is_explored(arm)) run.explore = HoldOptions();
  run.fix = arm == Arm::two_streams;
  BOHR_TRY(outcome, app::run(run, say));
  if (outcome.processes.empty()) return program_failed(program, "nothing of it was recorded");
  Fixed fixed = std::move(outcome.processes.front());
  fixed.explored.checked.name = to_string(arm);
  return fixed;
}

}  // namespace

Result<ArmCount> read_count(Arm arm, const std::string& text, std::string* device,
                            std::string* right_answer) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const size_t space = line.find(' '); space != std::string::npos)
      values[line.substr(0, space)] = line.substr(space + 1);
  const auto number = [&](const char* name) {
    return std::strtoll(values[name].c_str(), nullptr, 10);
  };
  ArmCount count;
  count.arm = arm;
  count.steps = number("steps"), count.wrong = number("wrong");
  count.runs = number("runs"), count.wrong_runs = number("wrong_runs");
  count.step_us = std::strtod(values["step_us"].c_str(), nullptr);
  if (count.steps <= 0 || count.wrong < 0 || count.wrong > count.steps || count.runs <= 0)
    return program_failed("bohr_demo_layer", "its counts cannot be read");
  count.share = stats::share_of(count.wrong, count.steps);
  count.wrong_answer = values["wrong_answer"];
  *device = values["device"];
  if (values.count("question") == 0) return count;
  count.wrong_sequence = static_cast<int32_t>(number("question")) - 1;
  *right_answer = values["right"];
  return count;
}

Result<Measured> measure_on_gpu(const Options& options, const Say& say) {
  BOHR_TRY(program, find_demo_program());
  BOHR_TRY(folder, TemporaryFolder::make());
  Measured measured;
  measured.options = options;
  for (const Arm arm : kArms) {
    const std::string counts = folder->file(std::string(argument_of(arm)) + ".counts");
    BOHR_TRY_STATUS(
        run_by_itself({program, argument_of(arm), std::to_string(options.steps), counts}));
    BOHR_TRY(text, read_text(counts));
    std::string right;
    BOHR_TRY(count, read_count(arm, text, &measured.device, &right));
    if (arm == Arm::two_streams) measured.right_answer = right;
    measured.ways.push_back({count, {}});
  }
  for (const Arm arm : kArms) {
    say(fmt::format("the layer under the recorder: {}", to_string(arm)));
    BOHR_TRY(fixed, run_recorded(program, arm, *folder, say));
    measured.ways[static_cast<size_t>(arm)].checked = fixed.explored.checked;
    if (arm == Arm::repaired)
      measured.repaired = std::move(fixed.explored);
    else if (arm == Arm::two_streams)
      measured.race = std::move(fixed);
  }
  BOHR_TRY(traces, check_traces(options.traces));
  measured.traces = std::move(traces);
  return measured;
}

}  // namespace bohr::app::demo

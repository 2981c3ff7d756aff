// SPDX-License-Identifier: Apache-2.0
// Symbolic memory, with what check tells.
#include "explore_texts.h"

#include "check/check.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr::test {

Program program_of(const std::string& case_text) {
  auto program = trace::read_case("case 1\n" + case_text, "test");
  BOHR_CHECK(program.ok());
  return std::move(program).value();
}

std::unique_ptr<replay::Replayer> symbolic_of(Program program) {
  auto replayer = replay::symbolic_replayer(std::move(program));
  BOHR_CHECK(replayer.ok());
  return std::move(replayer).value();
}

Exploration exploration_of(const std::string& case_text, const explore::Options& options) {
  const Program program = program_of(case_text);
  const auto verdict = check::check(program, {});
  BOHR_CHECK(verdict.ok());
  auto exploration = explore::explore(*symbolic_of(program), verdict.value(), options);
  BOHR_CHECK(exploration.ok());
  return std::move(exploration).value();
}

std::vector<std::string> witnesses_of(const Exploration& exploration) {
  std::vector<std::string> lines;
  for (const Witness& witness : exploration.witnesses) {
    std::string line =
        witness.first.label + " | " + witness.second.label + " on " + witness.range.name + " ->";
    for (const NamedRange& output : witness.outputs) line += " " + output.name;
    lines.push_back(line);
  }
  return lines;
}

std::string labels_of(const Program& program, const std::vector<Step>& schedule) {
  std::string text;
  for (const Step& step : schedule)
    text += (text.empty() ? "" : " ") + std::string(label_of(program, work_of(program, step)));
  return text;
}

}  // namespace bohr::test

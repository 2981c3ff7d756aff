// SPDX-License-Identifier: Apache-2.0
// bohr replay: repeats a witness. 0 when it gives the two recorded results every time, 1 when not.
#include <fmt/format.h>

#include <memory>

#include "app/explore_file.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct ReplayArguments {
  std::string witness;
  std::string program;
};

int run_replay(const ReplayArguments& arguments) {
  const auto repeated = [&] {
    const Progress progress("replaying " + arguments.witness);
    return app::repeat_witness(arguments.witness, arguments.program);
  }();
  if (!repeated.ok()) return say_error(repeated.error()), kUsage;
  const app::Repeated& result = repeated.value();
  const Witness& witness = result.file.witness;
  report::Page page(output_style());
  const bool same = result.identical == result.replays;
  page.paragraph(fmt::format("{}: {} | {} on {}", same ? "REPEATED" : "NOT REPEATED",
                             witness.first.label, witness.second.label, witness.range.name),
                 same ? report::Ink::green : report::Ink::red);
  page.field("Replays", fmt::format("{} of each schedule, in alternation; {} pairs gave the two "
                                    "recorded results",
                                    result.replays, result.identical));
  return print(page.take()) ? (same ? 0 : 1) : kUsage;
}

}  // namespace

void add_replay(CLI::App* app, int* status) {
  auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* command = app->add_subcommand("replay", "repeat a witness that explore has found");
  command->add_option("WITNESS", arguments->witness, "a .witness file")->required();
  command->add_option("FILE", arguments->program,
                      "the program it is of (default: where the witness says)");
  command->callback([arguments, status] { *status = run_replay(*arguments); });
}

}  // namespace bohr::cli

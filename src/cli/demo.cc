// SPDX-License-Identifier: Apache-2.0
// bohr demo: the story, without a GPU.
#include "app/demo.h"

#include <memory>

#include "app/install.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

int run_demo(app::demo::Options options) {
  options.traces = app::find_traces();
  const auto measured = [&] {
    const Progress progress("running the layer, and what follows");
    return app::demo::measure(options);
  }();
  if (!measured.ok()) return say_error(measured.error()), kUsage;
  if (!print(app::demo::story_text(measured.value(), output_style()))) return kUsage;
  return app::demo::unexpected(measured.value()).empty() ? 0 : 1;
}

}  // namespace

void add_demo(CLI::App* app, int* status) {
  CLI::App* command =
      app->add_subcommand("demo", "the story of one race, from a wrong answer to its repair");
  auto options = std::make_shared<app::demo::Options>();
  command
      ->add_option("--steps", options->steps, "how many are counted of each way to run the program")
      ->capture_default_str()
      ->check(CLI::Range(100, 1'000'000));
  command->add_option("--seed", options->seed, "of the timings and the random orders")
      ->capture_default_str();
  command->callback([options, status] { *status = run_demo(*options); });
}

}  // namespace bohr::cli

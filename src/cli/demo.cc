// SPDX-License-Identifier: Apache-2.0
// bohr demo: the story, without a GPU.
#include "app/demo.h"

#include <memory>

#include "app/install.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

constexpr int32_t kOwnRuns = 200;

int run_demo(int32_t own_runs) {
  const Result<app::Demo> demo = [&] {
    const Progress progress("checking the recorded traces");
    return app::demo(app::find_traces(), own_runs, output_style());
  }();
  if (!demo.ok()) return say_error(demo.error()), kUsage;
  if (!print(demo.value().text)) return kUsage;
  return demo.value().as_expected ? 0 : 1;
}

}  // namespace

void add_demo(CLI::App* app, int* status) {
  CLI::App* command = app->add_subcommand("demo", "what Bohr does, on small and recorded programs");
  auto own_runs = std::make_shared<int32_t>(kOwnRuns);
  command->add_option("--own-runs", *own_runs, "how often the simulated program runs by itself")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000));
  command->callback([own_runs, status] { *status = run_demo(*own_runs); });
}

}  // namespace bohr::cli

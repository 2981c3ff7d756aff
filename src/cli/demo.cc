// SPDX-License-Identifier: Apache-2.0
// bohr demo: the story, without a GPU.
#include "app/demo.h"

#include "app/install.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

int run_demo() {
  const Result<app::Demo> demo = [] {
    const Progress progress("checking the recorded traces");
    return app::demo(app::find_traces(), output_style());
  }();
  if (!demo.ok()) return say_error(demo.error()), kUsage;
  if (!print(demo.value().text)) return kUsage;
  return demo.value().as_expected ? 0 : 1;
}

}  // namespace

void add_demo(CLI::App* app, int* status) {
  CLI::App* command = app->add_subcommand("demo", "what Bohr does, on small and recorded programs");
  command->callback([status] { *status = run_demo(); });
}

}  // namespace bohr::cli

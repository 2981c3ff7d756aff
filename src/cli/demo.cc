// SPDX-License-Identifier: Apache-2.0
// bohr demo: the story, without a GPU.
#include "app/demo.h"

#include <memory>

#include "app/demo_cuda.h"
#include "app/files.h"
#include "app/install.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct DemoArguments {
  app::demo::Options options;
  std::string html;  // a file; empty: none
  std::string format = "text";
  bool cuda = false;
};

int run_demo(DemoArguments arguments) {
  app::demo::Options& options = arguments.options;
  options.traces = app::find_traces();
  const auto measured = [&] {
    // Guests have to be started before any thread is, so nothing but lines tells of progress then.
    if (arguments.cuda) return app::demo::measure_on_gpu(options, say);
    const Progress progress("running the layer, and what follows");
    return app::demo::measure(options);
  }();
  if (!measured.ok()) return say_error(measured.error()), kUsage;
  const std::string text = arguments.format == "json"
                               ? app::demo::story_json(measured.value())
                               : app::demo::story_text(measured.value(), output_style());
  if (!print(text)) return kUsage;
  if (!arguments.html.empty()) {
    const Status written = app::write_file(arguments.html, app::demo::story_page(measured.value()));
    if (!written.ok()) return say_error(written.error()), kUsage;
    say("the story as a page is in " + arguments.html);
  }
  return app::demo::unexpected(measured.value()).empty() ? 0 : 1;
}

}  // namespace

void add_demo(CLI::App* app, int* status) {
  CLI::App* command =
      app->add_subcommand("demo", "the story of one race, from a wrong answer to its repair");
  auto arguments = std::make_shared<DemoArguments>();
  app::demo::Options* options = &arguments->options;
  command
      ->add_option("--steps", options->steps, "how many are counted of each way to run the program")
      ->capture_default_str()
      ->check(CLI::Range(200, 1'000'000));
  command->add_option("--seed", options->seed, "of the timings and the random orders")
      ->capture_default_str();
  command->add_flag("--cuda", arguments->cuda, "on this machine's GPU instead of a simulated one");
  command->add_option("--html", arguments->html, "also write the story as one page, to this file");
  command->add_option("--format", arguments->format, "text or json")
      ->capture_default_str()
      ->check(CLI::IsMember({"text", "json"}));
  command->callback([arguments, status] { *status = run_demo(*arguments); });
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// bohr doctor: what works on this machine and what does not.
#include "app/doctor.h"

#include <cstdlib>
#include <memory>

#include "app/doctor_probe.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

struct DoctorArguments {
  app::DoctorOptions options;
  std::string format = "text";
  bool probe = false;
  std::string preload;
};

int probe(const DoctorArguments& arguments) {
  app::probe_driver(arguments.preload, [](const std::string& line) { print(line + "\n"); });
  return 0;
}

int examine(const DoctorArguments& arguments, const std::vector<std::string>& guest) {
  app::DoctorOptions options = arguments.options;
  options.command = guest;
  const char* lib = std::getenv("BOHR_LIB");
  options.lib = lib == nullptr ? "" : lib;
  const Result<std::vector<app::Topic>> topics = [&] {
    const Progress progress("asking the driver");
    return app::examine(options);
  }();
  if (!topics.ok()) return say_error(topics.error()), kUsage;
  const std::string text = arguments.format == "json"
                               ? app::doctor_json(topics.value())
                               : app::doctor_text(topics.value(), output_style());
  if (!print(text)) return kUsage;
  return static_cast<int>(app::would_record(topics.value()) ? app::ExitStatus::clean
                                                            : app::ExitStatus::incomplete);
}

}  // namespace

void add_doctor(CLI::App* app, const std::vector<std::string>* guest, int* status) {
  auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command = app->add_subcommand(
      "doctor", "what works on this machine and what does not: bohr doctor [-- CMD ...]");
  command->add_option("-o", arguments->options.dir, "folder for what would be recorded");
  command->add_option("--max-log", arguments->options.max_log, "as of bohr run")
      ->transform(CLI::AsSizeValue(false));
  add_via(command, &arguments->options.via);
  command->add_option("--format", arguments->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  // What `bohr doctor` starts itself as.
  command->add_flag("--probe", arguments->probe)->group("");
  command->add_option("--preload", arguments->preload)->group("");
  command->callback([arguments, guest, status] {
    *status = arguments->probe ? probe(*arguments) : examine(*arguments, *guest);
  });
}

}  // namespace bohr::cli

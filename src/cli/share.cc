// SPDX-License-Identifier: Apache-2.0
// bohr share: a scrubbed bundle, and the list of what is in it, before and after it is written.
#include "app/share.h"

#include <fmt/format.h>

#include <memory>

#include "app/files.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/words.h"

namespace bohr::cli {

namespace {

struct ShareArguments {
  std::string path;
  std::string output;
  bool only_list = false;
};

constexpr size_t kMostShown = 40;

// For the sender alone: the bundle says only by what things were replaced.
std::string replaced_text(const std::vector<app::Replacement>& replaced) {
  std::string text;
  for (size_t i = 0; i < std::min(replaced.size(), kMostShown); ++i)
    text += fmt::format("  {:<10} for  {}  ({})\n", replaced[i].by,
                        report::printable(report::shortened(replaced[i].what, 60)),
                        report::count(replaced[i].times, "place"));
  if (replaced.size() > kMostShown)
    text += fmt::format("  and {} more\n", replaced.size() - kMostShown);
  return replaced.empty() ? "" : "\nReplaced (this list is not in the bundle)\n" + text;
}

std::string plan(const app::Bundle& bundle) {
  const std::vector<uint8_t>& manifest = bundle.files.front().bytes;
  std::string text(manifest.begin(), manifest.end());
  text += replaced_text(bundle.replaced);
  if (!bundle.left_out.empty()) text += "\nLeft out of the folder\n";
  for (const std::string& name : bundle.left_out) text += "  " + report::printable(name) + "\n";
  return text + "\nA check says  " + bundle.verdict + "\n";
}

std::string contents(const app::Bundle& bundle, const std::string& output, uint64_t size) {
  std::string text =
      fmt::format("\nWritten to {} ({}), private to you:\n", output, report::bytes(size));
  for (const trace::TarFile& file : bundle.files)
    text += fmt::format("  {:<26} {:>10}\n", file.name, report::bytes(file.bytes.size()));
  return text + fmt::format("Look at it before you give it away: tar --zstd -xf {}\n",
                            app::shell_word(output));
}

int share(const ShareArguments& arguments) {
  const Result<app::Bundle> bundle = [&] {
    const Progress progress("reading " + arguments.path);
    return app::make_bundle(arguments.path);
  }();
  if (!bundle.ok()) return say_error(bundle.error()), kUsage;
  if (!print(plan(bundle.value()))) return kUsage;
  if (arguments.only_list) return 0;
  const std::string output =
      arguments.output.empty() ? app::default_bundle_name(arguments.path) : arguments.output;
  const Result<uint64_t> size = app::write_bundle(bundle.value(), output);
  if (!size.ok()) return say_error(size.error()), kUsage;
  return print(contents(bundle.value(), output, size.value())) ? 0 : kUsage;
}

}  // namespace

void add_share(CLI::App* app, int* status) {
  auto arguments = std::make_shared<ShareArguments>();
  CLI::App* command = app->add_subcommand(
      "share", "a run or trace without names, arguments and contents, to be given away");
  command->add_option("PATH", arguments->path, "the folder of a run, a log or a trace")->required();
  command->add_option("-o", arguments->output, "the bundle (default: NAME.share.tar.zst here)");
  command->add_flag("--list", arguments->only_list, "only say what would be in it");
  command->callback([arguments, status] { *status = share(*arguments); });
}

}  // namespace bohr::cli

// SPDX-License-Identifier: Apache-2.0
// bohr: finds the subcommand, runs it, exits with its status.
#include <CLI/CLI.hpp>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace bohr::cli {

namespace {

constexpr const char* kAbout =
    "Finds the orders that a GPU program relies on but never asked for: reuse, lifetime and data\n"
    "races between streams, inside CUDA graphs and around them.";
constexpr const char* kFooter =
    "\nExit status: 0 clean, 1 races found, 2 wrong usage or unreadable input, 3 not everything\n"
    "could be checked, 4 the program under test failed by itself.";

// `bohr help [COMMAND]` is `bohr [COMMAND] --help`.
void turn_help_around(std::vector<std::string>* words) {
  if (words->empty() || words->front() != "help") return;
  words->erase(words->begin());
  words->resize(std::min<size_t>(words->size(), 1));
  words->push_back("--help");
}

// What follows `--` is the command of the program under test, whatever it looks like.
std::vector<std::string> split_guest(std::vector<std::string>* words) {
  std::vector<std::string> guest;
  const bool takes_guest =
      !words->empty() && (words->front() == "run" || words->front() == "doctor");
  if (!takes_guest) return guest;
  const auto mark = std::find(words->begin(), words->end(), "--");
  if (mark == words->end()) return guest;
  guest.assign(mark + 1, words->end());
  words->erase(mark, words->end());
  return guest;
}

int run_main(std::vector<std::string> words) {
  turn_help_around(&words);
  const std::vector<std::string> guest = split_guest(&words);
  int status = 0;
  CLI::App app(kAbout, "bohr");
  app.footer(kFooter);
  app.set_version_flag("--version", "bohr " BOHR_VERSION);
  app.require_subcommand(1);
  add_run(&app, &guest, &status);
  add_attach(&app, &status);
  add_env(&app, &status);
  add_check(&app, &status);
  add_explore(&app, &status);
  add_fix(&app, &status);
  add_replay(&app, &status);
  add_show(&app, &status);
  add_query(&app, &status);
  add_import(&app, &status);
  add_demo(&app, &status);
  add_share(&app, &status);
  add_doctor(&app, &guest, &status);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success) == 0 ? 0 : kUsage;
  } catch (const CLI::ParseError& error) {
    say(std::string("error: ") + error.what() + " (see bohr help)");
    return kUsage;
  }
  return status;
}

}  // namespace

}  // namespace bohr::cli

int main(int argc, char** argv) {
  try {
    return bohr::cli::run_main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    bohr::cli::say(std::string("internal error: ") + error.what());
    return bohr::cli::kUsage;
  }
}

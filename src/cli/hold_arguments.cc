// SPDX-License-Identifier: Apache-2.0
// Options of `bohr run` and `bohr attach` that say how launches are held and explored.
#include <chrono>

#include "app/held_launches.h"
#include "cli/commands.h"

namespace bohr::cli {

void add_hold_arguments(CLI::App* command, app::HoldOptions* hold) {
  command
      ->add_option("--graph", hold->graphs,
                   "explore this graph, whatever is suspicious in it (repeatable)")
      ->allow_extra_args(false);
  add_watch_argument(command, &hold->watch)->needs("--explore");
  command
      ->add_option_function<double>(
          "--max-pause",
          [hold](const double& seconds) {
            hold->max_pause = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
          },
          "seconds for which a program is held at a time; 0: as long as it takes")
      ->default_str("1")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--budget", hold->explore.budget, "replays at most for each graph")
      ->capture_default_str();
  command->add_flag("--may-lose-process", hold->explore.run_on,
                    "run wrong orders to their end, to see what they reach: a kernel that reads "
                    "garbage may end the program");
  command
      ->add_option_function<double>(
          "--watchdog",
          [hold](const double& seconds) {
            hold->watchdog = std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
          },
          "seconds after which an order that is not done counts as one that never will be")
      ->default_str("20")
      ->check(CLI::Range(0.1, 86400.0));
  command->add_option("--orders", hold->explore.random_orders, "random orders")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  command->add_option("--seed", hold->explore.seed, "of the random orders")->capture_default_str();
}

}  // namespace bohr::cli

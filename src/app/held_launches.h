// SPDX-License-Identifier: Apache-2.0
// Exploring a guest while it runs: its agent offers a launch, we look at what was recorded so far,
// and where something in that graph is suspicious the launch is held and its orders are run there.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/explore_file.h"
#include "replay/hold.h"

namespace bohr::app {

struct HoldOptions {
  explore::Options explore;
  uint64_t launch = 10;             // of each instantiated graph: the first that is offered
  std::vector<std::string> graphs;  // names; empty: every graph with something to decide
  std::chrono::milliseconds max_pause{1000};
  bool may_lose_process = false;  // then orders run on after a step differed, to their outputs
};

class HeldLaunches {
 public:
  // Listens in the folder of the run. Error `explore-socket`.
  static Result<std::unique_ptr<HeldLaunches>> listen(const std::string& dir,
                                                      const HoldOptions& options,
                                                      const CheckOptions& check,
                                                      std::function<void(const std::string&)> say);
  ~HeldLaunches();
  HeldLaunches(const HeldLaunches&) = delete;
  HeldLaunches& operator=(const HeldLaunches&) = delete;

  // For the environment of the guest.
  std::map<std::string, std::string> variables() const;
  // Takes the offers that wait. `stop`: asked before each replay; the launch is let go when it says
  // so.
  void turn(const std::function<bool()>& stop);
  // What was found, put beside the checks of the ended run.
  Result<std::vector<Explored>> attach(std::vector<Checked> checked) const;

 private:
  struct Graph;  // what became of one graph of one process

  HeldLaunches(std::string path, int socket, const HoldOptions& options, const CheckOptions& check,
               std::function<void(const std::string&)> say);
  void take(int socket, const std::function<bool()>& stop);
  // A connection to the paused search of this offer's exec, when its guest had a rest of `rest`.
  Result<int> wait_for(const replay::Offer& paused, std::chrono::milliseconds rest,
                       const std::function<bool()>& stop);
  Status explore(int socket, const replay::Offer& offer, const std::function<bool()>& stop);
  Result<Explored> attach_to(Checked checked) const;

  std::string path_;
  int socket_;
  HoldOptions options_;
  CheckOptions check_;
  std::function<void(const std::string&)> say_;
  std::vector<Graph> graphs_;
};

}  // namespace bohr::app

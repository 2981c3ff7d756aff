// SPDX-License-Identifier: Apache-2.0
// Exploring a guest while it runs: its agent offers a launch, we look at what was recorded so far,
// and where something in that graph is suspicious the launch is held and its orders are run there.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/explore_file.h"
#include "app/journal.h"
#include "app/lost_orders.h"
#include "app/offers.h"
#include "app/watch.h"

namespace bohr::app {

struct HoldOptions {
  // An order that runs on after a step differed may end the process.
  explore::Options explore = {.whole_too = true, .run_on = false};
  uint64_t launch = 10;             // of each instantiated graph: the first that is offered
  std::vector<std::string> graphs;  // names; empty: every graph with something to decide
  std::vector<std::string> watch;   // canaries (app/watch.h); then every graph is held
  std::chrono::milliseconds max_pause{1000};
  std::chrono::milliseconds watchdog{20000};  // what may run at one go, or else hangs
  bool fix = false;                           // try repairs of what was proved, while it is held
  int64_t restarts = 0;                       // of the program at most, after orders that ended it
};

// A graph with something to decide.
struct ToExplore {
  uint32_t recorded = 0;  // the recorder's number
  std::string name;
};
// Those of one process, so far.
std::vector<ToExplore> to_explore(const Checked& checked, const HoldOptions& options);

class HeldLaunches {
 public:
  using Say = std::function<void(const std::string&)>;
  // Asked before each replay; the launch is let go once it says so.
  using Stop = std::function<bool()>;

  // Listens in the folder of the run.
  static Result<std::unique_ptr<HeldLaunches>> listen(const std::string& dir,
                                                      const HoldOptions& options,
                                                      const CheckOptions& check, Say say);

  // For the environment of the guest.
  std::map<std::string, std::string> variables() const;
  const std::string& socket() const { return offers_->path(); }
  // The graph of that log was explored, or refused.
  bool has_taken(const std::string& log, uint32_t graph) const;
  // Takes the offers that wait, one after the other.
  void turn(const Stop& stop);
  // The process that an order ended in this start of the program, or 0.
  pid_t lost() const { return lost_; }
  // The program starts again: its graphs are explored anew, without what ended it before.
  void start_again();
  // What was found, put beside the checks of the ended run.
  Result<std::vector<Explored>> attach(std::vector<Checked> checked) const;

 private:
  // What became of one graph of one process.
  struct Graph {
    std::string log;
    uint32_t recorded = 0;  // the recorder's number of the graph
    Verdict verdict;        // that the exploration refers to
    Exploration exploration;
    std::optional<TriedRepairs> tried;
  };
  // A launch that could not be explored, and why.
  struct Refused {
    std::string log;
    uint32_t graph = 0;
    Error error;
  };
  // A launch as the log tells it.
  struct Found {
    Checked checked;
    OpId launch;
    std::string name;   // of its graph
    int64_t pairs = 0;  // to decide in it
    std::vector<Watch> watched;
  };

  HeldLaunches(HoldSocket socket, Journal journal, const HoldOptions& options,
               const CheckOptions& check, Say say);
  Status take(Offered offered, const Stop& stop);
  // Nothing where the launch is to go on, which its agent has then been told.
  Result<std::optional<Found>> find(const Connection& connection, const replay::Offer& offer);
  Status explore(Connection connection, const replay::Offer& offer, Found found, const Stop& stop);
  // Tries repairs of what was proved, where that is wanted.
  Result<std::optional<TriedRepairs>> repair(replay::Replayer& replayer, const Explored& explored,
                                             OpId launch, const std::string& name) const;
  // Remembers the order that ended `process` when there is one.
  void note_loss(uint64_t work, const std::vector<std::string>& reasons, pid_t process);
  // A connection to the paused search of an offer's exec, when its guest had a rest.
  Result<int> wait_for(const replay::Offer& paused, pid_t guest, std::chrono::milliseconds rest,
                       const Stop& stop) const;
  Result<Explored> attach_to(Checked checked) const;
  // Tells what was to be watched and never was. False: there is something.
  bool told_all_watched() const;

  std::unique_ptr<Offers> offers_;
  Journal journal_;
  HoldOptions options_;
  CheckOptions check_;
  Say say_;
  std::vector<Graph> graphs_;
  std::vector<Refused> refused_;
  LostOrders lost_orders_;
  pid_t lost_ = 0;
  int64_t restarts_ = 0;
  WatchList watch_;
};

}  // namespace bohr::app

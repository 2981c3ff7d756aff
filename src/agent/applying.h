// SPDX-License-Identifier: Apache-2.0
// Putting a repair into the program's own graphs: when a capture ends, or before a graph that was
// built by hand is instantiated, the edges of the fix file that BOHR_APPLY names are added where
// patch::match() says that this graph needs them. Nothing of ours runs at later launches, for an
// edge is the graph's own from then on.
//
// What became of each graph is counted: in <pid>.apply where there is a folder for it, else in a
// line on the standard error stream at the first launch of a graph. A graph that has the mistake
// and cannot be repaired, or a first launch before any graph of the fix was made, ends the process
// (status 2) unless BOHR_UNRESOLVED is "warn": a program that was to run repaired must not run
// unrepaired in silence.
#pragma once

#include <cuda.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "patch/counts.h"
#include "patch/match.h"
#include "trace/writer/records.h"

namespace bohr::agent {

struct Recorder;

struct Applying {
  patch::FixFile file;
  std::string path;        // of the fix file
  std::string count_path;  // <pid>.apply; empty: nothing is recorded beside
  bool refuse = true;      // what is not resolved; else it is told
  std::mutex mutex;        // guards what follows
  patch::Counts counts;
  std::atomic<bool> launched{false};  // read without the mutex: launches are many
};

// From the environment; null when nothing is to be applied. A file that cannot be used ends the
// process, whatever BOHR_UNRESOLVED says.
std::unique_ptr<Applying> make_applying(const std::string& count_path);

// A graph as it was just read. Adds what it needs, to the driver's graph and to `edges`. `inside`:
// it lies in a node of another graph, which is counted for both where this one needs nothing.
void apply_to(Recorder& r, CUgraph graph, bool inside, const std::vector<CUgraphNode>& handles,
              const patch::ChildGraph& read, trace::Edges* edges);

// A graph is about to be launched.
void note_launch(Recorder& r);

// Nothing can be repaired in this process.
void not_applied(Recorder& r, const std::string& why);

}  // namespace bohr::agent

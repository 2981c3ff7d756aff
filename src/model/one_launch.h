// SPDX-License-Identifier: Apache-2.0
// A program cut down to one launch of one graph, which is what can be run again in a process that
// goes on, or to a few, where it is too long to be looked at whole. Ops, graphs and lifetimes keep
// their numbers, so what a check said of the whole program names the same things here.
#pragma once

#include <vector>

#include "model/program.h"

namespace bohr {

// All other ops become records on no stream, which are no steps and order nothing. Outputs are the
// blocks that the graph touches and that outlive the launch: a block that is freed inside the graph
// is scratch, one that is freed later is not.
Program one_launch(Program program, OpId launch);

// The same for a launch of each of several graphs, in the order of the program.
Program some_launches(Program program, const std::vector<OpId>& launches);

// The last launch of an exec by the recorder's number, or an invalid id.
OpId last_launch(const Program& program, uint32_t recorded_exec);

}  // namespace bohr

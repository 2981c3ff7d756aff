// SPDX-License-Identifier: Apache-2.0
// A program cut down to one launch of one graph, which is what can be run again in a process that
// goes on. Ops, graphs and lifetimes keep their numbers, so what a check said of the whole program
// names the same things here.
#pragma once

#include "model/program.h"

namespace bohr {

// All other ops become records on no stream, which are no steps and order nothing. Outputs are the
// blocks that the graph touches and that outlive the launch: a block that is freed inside the graph
// is scratch, one that is freed later is not.
Program one_launch(Program program, OpId launch);

// The last launch of an exec by the recorder's number, or an invalid id.
OpId last_launch(const Program& program, uint32_t recorded_exec);

}  // namespace bohr

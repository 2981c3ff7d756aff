// SPDX-License-Identifier: Apache-2.0
// What copies, nodes and launches mean for the pinned memory that is watched.
#pragma once

#include <span>
#include <vector>

#include "agent/copies.h"
#include "agent/pinned.h"

namespace bohr::agent {

// The copies of one call outside captures, at its entry.
void pinned_copies(Recorder& r, DriverCall& call, std::span<const CopyShape> shapes, bool async);

// A copy that a graph was found to hold: its source is put into `use`, its target no longer
// watched.
void pinned_copy_node(Recorder& r, const CopyShape& shape, PinnedUse* use);

// A launch of a graph, at its entry.
void pinned_launch(Recorder& r, DriverCall& call, const PinnedUse& use);

}  // namespace bohr::agent

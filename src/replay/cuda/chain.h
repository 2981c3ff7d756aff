// SPDX-License-Identifier: Apache-2.0
// An order of nodes as a CUDA graph of its own: a chain built from descriptors, launched once and
// destroyed at once. What step mode shows is so confirmed by a plain graph, without the host
// between its nodes.
#pragma once

#include <span>

#include "base/result.h"
#include "replay/cuda/device.h"
#include "replay/cuda/node.h"

namespace bohr::replay::cuda {

// Runs the works one behind the other, and waits. Errors are those of Device::check().
Status run_chained(Device* device, std::span<const NodeWork* const> works);

}  // namespace bohr::replay::cuda

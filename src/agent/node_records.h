// SPDX-License-Identifier: Apache-2.0
// Parameters of graph nodes as the fields of their records.
#pragma once

#include <cuda.h>

#include "agent/recorder.h"
#include "trace/writer/records.h"

namespace bohr::agent {

// All but the attributes, which are the node's.
void fill_kernel(Recorder& r, const CUDA_KERNEL_NODE_PARAMS& params, trace::Node* out);
void fill_set(Recorder& r, const CUDA_MEMSET_NODE_PARAMS& set, trace::Node* out);

}  // namespace bohr::agent

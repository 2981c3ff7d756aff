// SPDX-License-Identifier: Apache-2.0
#include "agent/node_records.h"

namespace bohr::agent {

void fill_kernel(Recorder& r, const CUDA_KERNEL_NODE_PARAMS& params, trace::Node* out) {
  const CUfunction function = params.func ? params.func : reinterpret_cast<CUfunction>(params.kern);
  const auto info = function_info(r, function, nullptr);
  PackedParams packed = pack_params(*info, params.kernelParams, params.extra);
  pinned_named(r, packed);
  out->type = CU_GRAPH_NODE_TYPE_KERNEL;
  out->function = info->number;
  out->grid_x = params.gridDimX, out->grid_y = params.gridDimY, out->grid_z = params.gridDimZ;
  out->block_x = params.blockDimX, out->block_y = params.blockDimY;
  out->block_z = params.blockDimZ;
  out->form = packed.form;
  out->params = std::move(packed.bytes);
}

void fill_set(Recorder& r, const CUDA_MEMSET_NODE_PARAMS& set, trace::Node* out) {
  out->type = CU_GRAPH_NODE_TYPE_MEMSET;
  out->dst = set.dst;
  out->width = set.width * set.elementSize;
  out->height = set.height;
  out->dst_pitch = set.height > 1 ? set.pitch : 0;
  out->dst_memory = trace::Memory::device;
  const uint64_t rows = set.height > 1 ? (set.height - 1) * set.pitch : 0;
  pinned_unwatched(r, {out->dst, out->dst + rows + out->width});
}

}  // namespace bohr::agent

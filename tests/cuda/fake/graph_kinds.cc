// SPDX-License-Identifier: Apache-2.0
// What the stand-in driver knows of newer kinds of graph nodes, of tensor maps and of code that a
// program loads. A conditional node runs each of its bodies once; values are waited for by nobody,
// since work is done in the order in which it is submitted.
#include <cstring>

#include "fake.h"

namespace {

// Opaque to everybody, as the real ones are: no word of it is the address.
CUtensorMap encode(uint64_t address, cuuint32_t rank, const cuuint64_t* dims) {
  CUtensorMap map;
  uint64_t word = address * 0x9e3779b97f4a7c15;
  for (cuuint32_t i = 0; i < rank; ++i) word = (word ^ dims[i]) * 0xbf58476d1ce4e5b9;
  for (cuuint64_t& opaque : map.opaque) opaque = word = word * 6364136223846793005 + 1;
  return map;
}
// What was encoded, so that it can be moved: one at a time is enough.
cuuint64_t last_dims[5];
cuuint32_t last_rank = 0;

std::unique_ptr<CUgraphNode_st> made_of(CUgraphNodeParams* params) {
  if (params->type == CU_GRAPH_NODE_TYPE_KERNEL)
    return fake_kernel_node(params->kernel.func, params->kernel.kernelParams);
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = params->type;
  if (params->type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP)
    node->batch.assign(params->memOp.paramArray, params->memOp.paramArray + params->memOp.count);
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    for (unsigned i = 0; i < params->conditional.size; ++i) {
      node->bodies.push_back(std::make_shared<CUgraph_st>());
      node->listed_bodies.push_back(node->bodies.back().get());
    }
    params->conditional.phGraph_out = node->listed_bodies.data();
  }
  return node;
}

}  // namespace

extern "C" {

CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                           const CUgraphEdgeData* data, size_t count, CUgraphNodeParams* params) {
  const auto body = [&] {
    auto made = made_of(params);
    for (size_t i = 0; i < count; ++i) {
      graph->edges.push_back({before[i], made.get()});
      if (data && data[i].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)
        graph->programmatic.insert(graph->edges.back());
    }
    *node = made.get();
    graph->nodes.push_back(std::move(made));
    fake_announce_node(graph, *node);
  };
  return CALL(cuGraphAddNode_v2, body, node, graph, before, data, count, params);
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS* params) {
  *params = {};
  params->count = static_cast<unsigned>(node->batch.size());
  params->paramArray = node->batch.data();
  return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* dims, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const auto body = [&] {
    *map = encode(reinterpret_cast<uint64_t>(address), rank, dims);
    std::memcpy(last_dims, dims, rank * sizeof *dims);
    last_rank = rank;
  };
  return CALL(cuTensorMapEncodeTiled, body, map, type, rank, address, dims, strides, box, steps,
              interleave, swizzle, promotion, fill);
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  const auto body = [&] {
    *map = encode(reinterpret_cast<uint64_t>(address), last_rank, last_dims);
  };
  return CALL(cuTensorMapReplaceAddress, body, map, address);
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jit, void** values,
                           unsigned jit_count, CUlibraryOption* options, void** option_values,
                           unsigned option_count) {
  const auto body = [&] { *library = reinterpret_cast<CUlibrary>(0x3000); };
  return CALL(cuLibraryLoadData, body, library, code, jit, values, jit_count, options,
              option_values, option_count);
}
}

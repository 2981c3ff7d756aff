// SPDX-License-Identifier: Apache-2.0
#include "cuda/replay/fixture.h"

#include <dlfcn.h>

#include <algorithm>

#include "replay/cuda/node.h"
#include "trace/case_reader.h"

namespace bohr::test {

extern const unsigned char test_kernels[];

namespace {

// What only the tests call.
#define BOHR_TEST_FUNCTIONS(X)   \
  X(cuInit)                      \
  X(cuDeviceGet)                 \
  X(cuDevicePrimaryCtxRetain)    \
  X(cuCtxSetCurrent)             \
  X(cuMemsetD8_v2)               \
  X(cuGraphCreate)               \
  X(cuGraphAddKernelNode_v2)     \
  X(cuGraphInstantiateWithFlags) \
  X(cuGraphExecDestroy)          \
  X(cuGraphDestroy)

struct Calls {
#define X(name) decltype(&::name) name = nullptr;
  BOHR_TEST_FUNCTIONS(X)
#undef X
};

Calls calls;

Gpu* open_gpu() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
#define X(name) calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(library, #name));
  BOHR_TEST_FUNCTIONS(X)
#undef X
  auto* gpu = new Gpu;  // lives as long as the process, as its context does
  std::string missing;
  CUdevice device = 0;
  BOHR_CHECK(replay::cuda::load(library, &gpu->driver, &missing));
  if (calls.cuInit(0) != CUDA_SUCCESS || calls.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
    return nullptr;
  BOHR_CHECK(calls.cuDevicePrimaryCtxRetain(&gpu->context, device) == CUDA_SUCCESS);
  BOHR_CHECK(calls.cuCtxSetCurrent(gpu->context) == CUDA_SUCCESS);
  BOHR_CHECK(gpu->driver.cuModuleLoadData(&gpu->module, test_kernels) == CUDA_SUCCESS);
  return gpu;
}

}  // namespace

const Gpu* gpu() {
  static const Gpu* const only = open_gpu();
  return only;
}

CUfunction Gpu::function(const char* name) const {
  CUfunction function = nullptr;
  BOHR_CHECK(driver.cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
  return function;
}

GraphProgram::GraphProgram(const std::string& case_text) {
  auto program = trace::read_case(case_text, "test");
  BOHR_CHECK(program.ok());
  program_ = std::move(program).value();
  for (Lifetime& lifetime : program_.lifetimes) {
    CUdeviceptr address = 0;
    BOHR_CHECK(gpu()->driver.cuMemAlloc_v2(&address, lifetime.bytes) == CUDA_SUCCESS);
    BOHR_CHECK(calls.cuMemsetD8_v2(address, 0, lifetime.bytes) == CUDA_SUCCESS);
    addresses_[lifetime.name] = address;
    const uint64_t shift = address - lifetime.pieces.front().range.begin;
    lifetime.pieces.front().range = {address, address + lifetime.bytes};
    for (Access& access : program_.accesses)
      if (program_.lifetimes[access.lifetime.index()].name == lifetime.name)
        access.range = {access.range.begin + shift, access.range.end + shift};
  }
  BOHR_CHECK(calls.cuGraphCreate(&graph_, 0) == CUDA_SUCCESS);
  BOHR_CHECK(gpu()->driver.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
}

GraphProgram::~GraphProgram() {
  if (exec_) calls.cuGraphExecDestroy(exec_);
  calls.cuGraphDestroy(graph_);
  gpu()->driver.cuStreamDestroy_v2(stream_);
  if (copied_) gpu()->driver.cuMemFree_v2(copied_);
  for (const auto& [name, address] : addresses_) gpu()->driver.cuMemFree_v2(address);
}

void GraphProgram::fill(const std::string& buffer, uint8_t byte) {
  for (const Lifetime& lifetime : program_.lifetimes)
    if (lifetime.name == buffer)
      BOHR_CHECK(calls.cuMemsetD8_v2(address(buffer), byte, lifetime.bytes) == CUDA_SUCCESS);
}

void GraphProgram::add(const std::string& function, std::vector<uint64_t> arguments,
                       uint32_t threads, const std::vector<int>& after) {
  std::vector<void*> pointers;
  pointers.reserve(arguments.size());
  for (uint64_t& argument : arguments) pointers.push_back(&argument);
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = gpu()->function(function.c_str());
  params.gridDimX = (threads + 255) / 256;
  params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
  params.blockDimX = threads < 256 ? threads : 256;
  params.kernelParams = pointers.data();
  std::vector<CUgraphNode> dependencies;
  dependencies.reserve(after.size());
  for (const int place : after) dependencies.push_back(nodes_[static_cast<size_t>(place)]);
  nodes_.emplace_back();
  BOHR_CHECK(calls.cuGraphAddKernelNode_v2(&nodes_.back(), graph_, dependencies.data(),
                                           dependencies.size(), &params) == CUDA_SUCCESS);
}

void GraphProgram::launch() {
  const replay::cuda::Driver& driver = gpu()->driver;
  BOHR_CHECK(driver.cuGraphLaunch(exec_, stream_) == CUDA_SUCCESS);
  BOHR_CHECK(driver.cuStreamSynchronize(stream_) == CUDA_SUCCESS);
}

void GraphProgram::copy(const std::string& buffer, uint64_t bytes) {
  const replay::cuda::Driver& driver = gpu()->driver;
  if (copied_ == 0) BOHR_CHECK(driver.cuMemAlloc_v2(&copied_, bytes) == CUDA_SUCCESS);
  BOHR_CHECK(driver.cuMemcpyAsync(copied_, address(buffer), bytes, stream_) == CUDA_SUCCESS);
  BOHR_CHECK(driver.cuStreamSynchronize(stream_) == CUDA_SUCCESS);
}

std::unique_ptr<replay::Replayer> GraphProgram::replayer() {
  BOHR_CHECK(calls.cuGraphInstantiateWithFlags(&exec_, graph_, 0) == CUDA_SUCCESS);
  replay::cuda::Launch launch{
      program_, replay::plan_of(program_, steps_of(program_)), nullptr, {}, exec_};
  std::vector<CUgraphNode> listed(nodes_.size());
  size_t count = listed.size();
  BOHR_CHECK(gpu()->driver.cuGraphGetNodes(graph_, listed.data(), &count) == CUDA_SUCCESS);
  for (const CUgraphNode node : nodes_) {
    const auto place = std::find(listed.begin(), listed.end(), node) - listed.begin();
    launch.nodes.push_back(static_cast<int32_t>(place));
  }
  launch.work = std::make_shared<const replay::cuda::GraphWork>(
      replay::cuda::read_graph(gpu()->driver, graph_));
  auto replayer = replay::cuda::cuda_replayer(gpu()->driver, std::move(launch));
  BOHR_CHECK(replayer.ok());
  return std::move(replayer).value();
}

}  // namespace bohr::test

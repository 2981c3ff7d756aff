// SPDX-License-Identifier: Apache-2.0
// Kernel launches and host functions outside captures; inside, they are nodes of the graph. And
// what kernels come from and are given: code, and tensor maps.
#include "agent/calls.h"

namespace bohr::agent {
namespace {

struct Shape {
  unsigned grid[3];
  unsigned block[3];
};

void add_kernel(Recorder& r, DriverCall& call, CUfunction function, const Shape& shape,
                uint32_t attributes, void** params, void** extra) {
  if (call.capture) return;
  const auto info = function_info(r, function, call.symbol);
  PackedParams packed = pack_params(*info, params, extra);
  pinned_named(r, packed);
  trace::Kernel record;
  record.call = call_of(r, call);
  record.stream = stream_of(r, call);
  record.function = info->number;
  record.grid_x = shape.grid[0], record.grid_y = shape.grid[1], record.grid_z = shape.grid[2];
  record.block_x = shape.block[0], record.block_y = shape.block[1];
  record.block_z = shape.block[2];
  record.attributes = attributes;
  record.form = packed.form;
  record.params = std::move(packed.bytes);
  log_work(r, record);
}

template <class Params>
Shape shape_of(const Params& p) {
  return {{p.gridDimX, p.gridDimY, p.gridDimZ}, {p.blockDimX, p.blockDimY, p.blockDimZ}};
}

void launch(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuLaunchKernel_params>(call);
  add_kernel(r, call, p.f, shape_of(p), 0, p.kernelParams, p.extra);
}

void launch_cooperative(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuLaunchCooperativeKernel_params>(call);
  add_kernel(r, call, p.f, shape_of(p), trace::kAttributeCooperative, p.kernelParams, nullptr);
}

// Attributes that change when a kernel may start, or whom it may talk to.
uint32_t attributes_of(const CUlaunchConfig& config) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        if (attribute.value.cooperative) bits |= trace::kAttributeCooperative;
        break;
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        bits |= trace::kAttributeCluster;
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        if (attribute.value.programmaticStreamSerializationAllowed) {
          bits |= trace::kAttributeProgrammatic;
        }
        break;
      case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
        bits |= trace::kAttributeOther;
        break;
      default:
        break;
    }
  }
  return bits;
}

// Events that the launch itself records: at a moment that is not the kernel's completion.
void note_launch_events(Recorder& r, const CUlaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT) {
      event_recorded_unseen(r, attribute.value.programmaticEvent.event);
    } else if (attribute.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT) {
      event_recorded_unseen(r, attribute.value.launchCompletionEvent.event);
    }
  }
}

void launch_ex(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuLaunchKernelEx_params>(call);
  note_launch_events(r, *p.config);
  add_kernel(r, call, p.f, shape_of(*p.config), attributes_of(*p.config), p.kernelParams, p.extra);
}

CUstream stream_of_ex(const void* params) {
  return static_cast<const cuLaunchKernelEx_params*>(params)->config->hStream;
}

void calling_host(Recorder& r, DriverCall& call) {
  if (!call.capture) host_function_issued(r, call);
}

void host_function(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  log_work(r, trace::HostFunc{call_of(r, call), stream_of(r, call)});
}

template <class Params>
void map_encoded(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  tensor_map_encoded(r, *p.tensorMap,
                     {reinterpret_cast<uint64_t>(p.globalAddress), p.tensorDataType, p.tensorRank,
                      p.globalDim, p.globalStrides, p.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE});
}
void map_moving(Recorder& r, DriverCall& call) {
  tensor_map_moving(r, *params_of<cuTensorMapReplaceAddress_params>(call).tensorMap);
}
void map_moved(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuTensorMapReplaceAddress_params>(call);
  tensor_map_moved(r, *p.tensorMap, reinterpret_cast<uint64_t>(p.globalAddress));
}

void module_data(Recorder& r, DriverCall& call) {
  code_loaded(r, params_of<cuModuleLoadData_params>(call).image);
}
void module_data_with_options(Recorder& r, DriverCall& call) {
  code_loaded(r, params_of<cuModuleLoadDataEx_params>(call).image);
}
void module_fat_binary(Recorder& r, DriverCall& call) {
  code_loaded(r, params_of<cuModuleLoadFatBinary_params>(call).fatCubin);
}
void library_data(Recorder& r, DriverCall& call) {
  code_loaded(r, params_of<cuLibraryLoadData_params>(call).code);
}

constexpr Api kKernelApis[] = {
    BOHR_STREAM_API(cuLaunchKernel, nullptr, launch),
    BOHR_STREAM_API(cuLaunchCooperativeKernel, nullptr, launch_cooperative),
    {BOHR_FUNCTION(cuLaunchKernelEx, cuLaunchKernelEx), false, false, stream_of_ex, nullptr,
     launch_ex},
    {BOHR_FUNCTION(cuLaunchKernelEx_ptsz, cuLaunchKernelEx), true, false, stream_of_ex, nullptr,
     launch_ex},
    BOHR_STREAM_API(cuLaunchHostFunc, calling_host, host_function),
    BOHR_STREAM_API(cuStreamAddCallback, calling_host, host_function),
    BOHR_PLAIN_API(cuTensorMapEncodeTiled, nullptr, map_encoded<cuTensorMapEncodeTiled_params>),
    BOHR_PLAIN_API(cuTensorMapEncodeIm2col, nullptr, map_encoded<cuTensorMapEncodeIm2col_params>),
#if CUDA_VERSION >= 13000
    BOHR_PLAIN_API(cuTensorMapEncodeIm2colWide, nullptr,
                   map_encoded<cuTensorMapEncodeIm2colWide_params>),
#endif
    BOHR_PLAIN_API(cuTensorMapReplaceAddress, map_moving, map_moved),
    BOHR_PLAIN_API(cuModuleLoadData, nullptr, module_data),
    BOHR_PLAIN_API(cuModuleLoadDataEx, nullptr, module_data_with_options),
    BOHR_PLAIN_API(cuModuleLoadFatBinary, nullptr, module_fat_binary),
    BOHR_PLAIN_API(cuLibraryLoadData, nullptr, library_data),
};

}  // namespace

std::span<const Api> kernel_apis() { return kKernelApis; }

}  // namespace bohr::agent

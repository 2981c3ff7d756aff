// SPDX-License-Identifier: Apache-2.0
// Memory that the driver handed out and took back. In a capture, allocations are nodes of the graph
// and are read with it.
#include <vector>

#include "agent/calls.h"

namespace bohr::agent {
namespace {

void add_alloc(Recorder& r, DriverCall& call, trace::Layer layer, trace::Memory memory,
               uint64_t address, uint64_t bytes, uint64_t pool = 0) {
  if (call.capture) return;
  memory_added(r, address, bytes, memory, layer);
  trace::MemAlloc record;
  record.call = call_of(r, call);
  record.layer = layer;
  record.memory = memory;
  record.address = address;
  record.bytes = bytes;
  record.pool = pool;
  if (call.stream) record.stream = stream_of(r, call);
  CUdevice device = 0;
  if (r.driver.cuCtxGetDevice(&device) == CUDA_SUCCESS) {
    record.device = static_cast<uint32_t>(device);
  }
  if (layer == trace::Layer::stream_ordered)
    pooled_allocated(r, record);
  else
    r.log->append(record);
}

void add_free(Recorder& r, DriverCall& call, uint64_t address) {
  if (call.capture || !address) return;
  trace::MemFree record;
  record.call = call_of(r, call);
  record.layer = call.layer;
  record.address = address;
  if (call.stream) record.stream = stream_of(r, call);
  if (record.layer == trace::Layer::stream_ordered)
    pooled_freed(r, record);
  else
    r.log->append(record);
}

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

void alloc(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemAlloc_v2_params>(call);
  add_alloc(r, call, trace::Layer::driver, trace::Memory::device, *p.dptr, p.bytesize);
}
void alloc_pitch(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemAllocPitch_v2_params>(call);
  add_alloc(r, call, trace::Layer::driver, trace::Memory::device, *p.dptr, *p.pPitch * p.Height);
}
void alloc_managed(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemAllocManaged_params>(call);
  add_alloc(r, call, trace::Layer::managed, trace::Memory::managed, *p.dptr, p.bytesize);
}
void alloc_async(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemAllocAsync_params>(call);
  add_alloc(r, call, trace::Layer::stream_ordered, trace::Memory::device, *p.dptr, p.bytesize);
}
void alloc_from_pool(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemAllocFromPoolAsync_params>(call);
  add_alloc(r, call, trace::Layer::stream_ordered, trace::Memory::device, *p.dptr, p.bytesize,
            reinterpret_cast<uint64_t>(p.pool));
}
void add_host(Recorder& r, DriverCall& call, const void* pointer, uint64_t bytes) {
  add_alloc(r, call, trace::Layer::host, trace::Memory::pinned, address_of(pointer), bytes);
}
void alloc_host(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemAllocHost_v2_params>(call);
  add_host(r, call, *p.pp, p.bytesize);
  pinned_added(r, address_of(*p.pp), p.bytesize, false);
}
// Write-combined memory is not watched: the CPU reads it a thousand times slower than other.
template <class Params>
void host_alloc(Recorder& r, DriverCall& call) {
  const auto& p = params_of<Params>(call);
  add_host(r, call, *p.pp, p.bytesize);
  if (p.Flags & CU_MEMHOSTALLOC_WRITECOMBINED) return;
  pinned_added(r, address_of(*p.pp), p.bytesize, false);
}
// Registers of a device are not watched: to read them may have an effect.
void host_registered(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemHostRegister_v2_params>(call);
  add_alloc(r, call, trace::Layer::host_register, trace::Memory::pinned, address_of(p.p),
            p.bytesize);
  if (p.Flags & CU_MEMHOSTREGISTER_IOMEMORY) return;
  pinned_added(r, address_of(p.p), p.bytesize, true);
}
void physical_created(Recorder& r, DriverCall& call) {
  physical_added(r, *params_of<cuMemCreate_params>(call).handle, false);
}
void physical_imported(Recorder& r, DriverCall& call) {
  physical_added(r, *params_of<cuMemImportFromShareableHandle_params>(call).handle, true);
}
void handle_retained(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemRetainAllocationHandle_params>(call);
  physical_retained(r, *p.handle, address_of(p.addr));
}
void mapped(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemMap_params>(call);
  const Physical physical = physical_of(r, p.handle);
  add_alloc(r, call, physical.imported ? trace::Layer::ipc : trace::Layer::mapped,
            trace::Memory::device, p.ptr, p.size, p.handle);
  physical_mapped(r, p.ptr, physical.number);
  r.log->append(trace::Mapping{call.seq, p.ptr, p.size, physical.number, p.offset});
}
// Its size is the exporter's secret until asked; the driver's answer is the whole allocation.
void ipc_opened(Recorder& r, DriverCall& call) {
  const CUdeviceptr address = *params_of<cuIpcOpenMemHandle_v2_params>(call).pdptr;
  size_t bytes = 0;
  r.driver.cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
  add_alloc(r, call, trace::Layer::ipc, trace::Memory::device, address, bytes);
}
void external_mapped(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuExternalMemoryGetMappedBuffer_params>(call);
  add_alloc(r, call, trace::Layer::ipc, trace::Memory::device, *p.devPtr, p.bufferDesc->size);
}

void pool_pointer_imported(Recorder& r, DriverCall& call) {
  const CUdeviceptr address = *params_of<cuMemPoolImportPointer_params>(call).ptr_out;
  size_t bytes = 0;
  r.driver.cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address);
  add_alloc(r, call, trace::Layer::ipc, trace::Memory::device, address, bytes);
}

// At entry, since the address may be handed out again before the call returns.
void removing(Recorder& r, DriverCall& call, uint64_t address, trace::Layer fallback) {
  call.layer = memory_removed(r, address, fallback);
}
void freeing(Recorder& r, DriverCall& call) {
  removing(r, call, params_of<cuMemFree_v2_params>(call).dptr, trace::Layer::driver);
}
void freed(Recorder& r, DriverCall& call) {
  add_free(r, call, params_of<cuMemFree_v2_params>(call).dptr);
}
void freeing_async(Recorder& r, DriverCall& call) {
  if (call.capture) return;
  removing(r, call, params_of<cuMemFreeAsync_params>(call).dptr, trace::Layer::stream_ordered);
}
void freed_async(Recorder& r, DriverCall& call) {
  add_free(r, call, params_of<cuMemFreeAsync_params>(call).dptr);
}
void removing_host(Recorder& r, DriverCall& call, const void* pointer, trace::Layer fallback) {
  pinned_removed(r, address_of(pointer));
  removing(r, call, address_of(pointer), fallback);
}
void freeing_host(Recorder& r, DriverCall& call) {
  removing_host(r, call, params_of<cuMemFreeHost_params>(call).p, trace::Layer::host);
}
void freed_host(Recorder& r, DriverCall& call) {
  add_free(r, call, address_of(params_of<cuMemFreeHost_params>(call).p));
}
void unregistering(Recorder& r, DriverCall& call) {
  removing_host(r, call, params_of<cuMemHostUnregister_params>(call).p,
                trace::Layer::host_register);
}
void unregistered(Recorder& r, DriverCall& call) {
  add_free(r, call, address_of(params_of<cuMemHostUnregister_params>(call).p));
}
void ipc_closing(Recorder& r, DriverCall& call) {
  removing(r, call, params_of<cuIpcCloseMemHandle_params>(call).dptr, trace::Layer::ipc);
}
void ipc_closed(Recorder& r, DriverCall& call) {
  add_free(r, call, params_of<cuIpcCloseMemHandle_params>(call).dptr);
}

// One call may unmap several mappings.
void unmapping(Recorder& r, DriverCall& call) {
  const auto& p = params_of<cuMemUnmap_params>(call);
  const std::vector<uint64_t> addresses = mappings_removed(r, p.ptr, p.ptr + p.size);
  call.layer = trace::Layer::mapped;
  call.exit = call.seq;
  for (uint64_t address : addresses) add_free(r, call, address);
}

void ipc_exported(Recorder& r, DriverCall& call) {
  memory_exported(r, params_of<cuIpcGetMemHandle_params>(call).dptr);
}
void pool_pointer_exported(Recorder& r, DriverCall& call) {
  memory_exported(r, params_of<cuMemPoolExportPointer_params>(call).ptr);
}
void handle_exported(Recorder& r, DriverCall&) { mappings_exported(r); }

void unloading(Recorder& r, DriverCall&) { forget_functions(r); }

constexpr Api kMemoryApis[] = {
    BOHR_PLAIN_API(cuMemAlloc_v2, nullptr, alloc),
    BOHR_PLAIN_API(cuMemAllocPitch_v2, nullptr, alloc_pitch),
    BOHR_PLAIN_API(cuMemAllocManaged, nullptr, alloc_managed),
    BOHR_STREAM_API(cuMemAllocAsync, nullptr, alloc_async),
    BOHR_STREAM_API(cuMemAllocFromPoolAsync, nullptr, alloc_from_pool),
    BOHR_PLAIN_API(cuMemHostAlloc, nullptr, host_alloc<cuMemHostAlloc_params>),
    BOHR_PLAIN_API(cuMemHostAlloc_v2, nullptr, host_alloc<cuMemHostAlloc_params>),
    BOHR_PLAIN_API(cuMemAllocHost_v2, nullptr, alloc_host),
    BOHR_PLAIN_API(cuMemHostRegister_v2, nullptr, host_registered),
    BOHR_PLAIN_API(cuMemCreate, nullptr, physical_created),
    BOHR_PLAIN_API(cuMemImportFromShareableHandle, nullptr, physical_imported),
    BOHR_PLAIN_API(cuMemRetainAllocationHandle, nullptr, handle_retained),
    BOHR_PLAIN_API(cuMemMap, nullptr, mapped),
    BOHR_PLAIN_API(cuIpcOpenMemHandle_v2, nullptr, ipc_opened),
    BOHR_PLAIN_API(cuExternalMemoryGetMappedBuffer, nullptr, external_mapped),
    BOHR_PLAIN_API(cuMemFree_v2, freeing, freed),
    BOHR_STREAM_API(cuMemFreeAsync, freeing_async, freed_async),
    BOHR_PLAIN_API(cuMemFreeHost, freeing_host, freed_host),
    BOHR_PLAIN_API(cuMemHostUnregister, unregistering, unregistered),
    BOHR_PLAIN_API(cuMemUnmap, unmapping, nullptr),
    BOHR_PLAIN_API(cuIpcCloseMemHandle, ipc_closing, ipc_closed),
    BOHR_PLAIN_API(cuIpcGetMemHandle, nullptr, ipc_exported),
    BOHR_PLAIN_API(cuMemPoolImportPointer, nullptr, pool_pointer_imported),
    BOHR_PLAIN_API(cuMemPoolExportPointer, nullptr, pool_pointer_exported),
    BOHR_PLAIN_API(cuMemExportToShareableHandle, nullptr, handle_exported),
    BOHR_PLAIN_API(cuModuleUnload, unloading, nullptr),
    BOHR_PLAIN_API(cuLibraryUnload, unloading, nullptr),
};

}  // namespace

std::span<const Api> memory_apis() { return kMemoryApis; }

}  // namespace bohr::agent

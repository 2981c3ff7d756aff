// SPDX-License-Identifier: Apache-2.0
// The stand-in driver's memory, copies, sets and host functions. Memory of both sides comes from
// mmap and goes back there, so that who touches it too late crashes. Host functions do nothing.
// FAKE_NO_MEMORY=1 leaves none for the agent, FAKE_LITTLE_MEMORY=1 host memory alone, of which
// FAKE_MOST_PINNED=BYTES are to be had at one go;
// FAKE_OTHER_DEVICE=1 says that all of it belongs to another device; FAKE_MEMORY_AT=0xADDR has
// allocations lie one behind the other from there, each on pages of its own.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>

#include "fake.h"

namespace {

std::map<uintptr_t, size_t> mappings;
std::atomic<bool> hangs = false;

// Where the next allocation is to lie; null: anywhere.
void* next_place(size_t bytes) {
  static const char* const at = std::getenv("FAKE_MEMORY_AT");
  static uintptr_t next = at ? std::strtoull(at, nullptr, 16) : 0;
  void* const place = reinterpret_cast<void*>(next);
  if (at) next += (bytes + 4095) / 4096 * 4096;
  return place;
}

void* map_memory(size_t bytes) {
  void* memory =
      mmap(next_place(bytes), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mappings[reinterpret_cast<uintptr_t>(memory)] = bytes;
  return memory;
}
void unmap_memory(void* memory) {
  const auto found = mappings.find(reinterpret_cast<uintptr_t>(memory));
  if (found == mappings.end()) std::abort();
  munmap(memory, found->second);
  mappings.erase(found);
}

void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUDA_MEMCPY3D line_to_device(CUdeviceptr dst, const void* src, size_t bytes) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = src;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = dst;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

CUDA_MEMCPY3D line_to_host(void* dst, CUdeviceptr src, size_t bytes) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = src;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = dst;
  copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

}  // namespace

void fake_hang() { hangs = true; }
bool fake_hangs() { return hangs; }
void fake_wait() {
  while (hangs) pause();
}

void fake_copy(const CUDA_MEMCPY3D& copy) {
  const bool from_host = copy.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool to_host = copy.dstMemoryType == CU_MEMORYTYPE_HOST;
  std::memcpy(to_host ? copy.dstHost : pointer_to(copy.dstDevice),
              from_host ? copy.srcHost : pointer_to(copy.srcDevice), copy.WidthInBytes);
}

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  const auto body = [&] { *pointer = reinterpret_cast<CUdeviceptr>(map_memory(bytes)); };
  return CALL(cuMemAlloc_v2, body, pointer, bytes);
}
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  const auto body = [&] { fake_wait(), unmap_memory(pointer_to(pointer)); };
  return CALL(cuMemFree_v2, body, pointer);
}
CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  const char* most = std::getenv("FAKE_MOST_PINNED");
  const bool too_much = most && bytes > std::strtoull(most, nullptr, 10);
  if (too_much || std::getenv("FAKE_NO_MEMORY")) return CUDA_ERROR_OUT_OF_MEMORY;
  return *pointer = map_memory(bytes), CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  const bool little = std::getenv("FAKE_NO_MEMORY") || std::getenv("FAKE_LITTLE_MEMORY");
  *free = little ? 0 : size_t{8} << 30;
  return *total = size_t{16} << 30, CUDA_SUCCESS;
}
// The allocation that an address lies in: its begin and its size, asked for in this order.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address) {
  auto found = mappings.upper_bound(address);
  if (found == mappings.begin()) return CUDA_ERROR_INVALID_VALUE;
  --found;
  if (address >= found->first + found->second) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(values[i]) = found->first;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<size_t*>(values[i]) = found->second;
        break;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(values[i]) = CU_MEMORYTYPE_DEVICE;
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(values[i]) = std::getenv("FAKE_OTHER_DEVICE") ? 1 : 0;
        break;
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
  const auto body = [&] { std::memset(pointer_to(dst), value, count); };
  return CALL(cuMemsetD8Async, body, dst, value, count, stream);
}
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream) {
  return std::memcpy(pointer_to(dst), pointer_to(src), bytes), CUDA_SUCCESS;
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream) {
  return fake_copy(*copy), CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  const auto body = [&] { *pointer = map_memory(bytes); };
  return CALL(cuMemHostAlloc, body, pointer, bytes, flags);
}
CUresult cuMemFreeHost(void* pointer) {
  const auto body = [&] { fake_wait(), unmap_memory(pointer); };
  return CALL(cuMemFreeHost, body, pointer);
}
CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  return CALL(
      cuMemHostRegister_v2, [] {}, pointer, bytes, flags);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t bytes, CUstream stream) {
  const auto body = [&] {
    fake_wait();  // for memory of the host that is not pinned
    const CUDA_MEMCPY3D copy = line_to_device(dst, src, bytes);
    if (!fake_capture(stream, &copy)) fake_copy(copy);
  };
  return CALL(cuMemcpyHtoDAsync_v2, body, dst, src, bytes, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  const auto body = [&] {
    if (!mappings.contains(reinterpret_cast<uintptr_t>(dst))) fake_wait();
    const CUDA_MEMCPY3D copy = line_to_host(dst, src, bytes);
    if (!fake_capture(stream, &copy)) fake_copy(copy);
  };
  return CALL(cuMemcpyDtoHAsync_v2, body, dst, src, bytes, stream);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  const auto body = [&] { fake_capture(stream, nullptr); };
  return CALL(cuLaunchHostFunc, body, stream, function, data);
}
}

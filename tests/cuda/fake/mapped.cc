// SPDX-License-Identifier: Apache-2.0
// The stand-in driver's physical memory, which shows wherever it is mapped, and its stream-ordered
// pool: one that hands out what was freed last, at the same address.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "fake.h"

namespace {

void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

struct Pooled {
  CUdeviceptr address = 0;
  size_t bytes = 0;
};
std::map<CUdeviceptr, size_t> pooled;  // handed out
Pooled given_back;

}  // namespace

extern "C" {

// Neither of these is announced: the recorder does not ask for it.
CUresult cuMemAddressReserve(CUdeviceptr* pointer, size_t bytes, size_t, CUdeviceptr address,
                             unsigned long long) {
  *pointer = reinterpret_cast<CUdeviceptr>(
      mmap(pointer_to(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  return CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return close(static_cast<int>(handle)), CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  const auto body = [&] {
    const int file = memfd_create("fake", 0);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) std::abort();
    *handle = static_cast<CUmemGenericAllocationHandle>(file);
  };
  return CALL(cuMemCreate, body, handle, bytes, properties, flags);
}
CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  const auto body = [&] {
    void* const memory =
        mmap(pointer_to(pointer), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             static_cast<int>(handle), static_cast<off_t>(offset));
    if (memory == MAP_FAILED) std::abort();
  };
  return CALL(cuMemMap, body, pointer, bytes, offset, handle, flags);
}
CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes) {
  const auto body = [&] {
    mmap(pointer_to(pointer), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  };
  return CALL(cuMemUnmap, body, pointer, bytes);
}

CUresult cuMemAllocAsync(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  const auto body = [&] {
    if (given_back.bytes >= bytes) {
      *pointer = given_back.address;
      given_back = {};
    } else {
      *pointer = reinterpret_cast<CUdeviceptr>(
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    }
    pooled[*pointer] = bytes;
  };
  return CALL(cuMemAllocAsync, body, pointer, bytes, stream);
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  const auto body = [&] {
    const auto found = pooled.find(pointer);
    if (found == pooled.end()) std::abort();
    given_back = {pointer, found->second};
    pooled.erase(found);
  };
  return CALL(cuMemFreeAsync, body, pointer, stream);
}
}

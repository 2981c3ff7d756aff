// SPDX-License-Identifier: Apache-2.0
// The stand-in driver's host memory, copies and host functions. Host memory comes from mmap and
// goes back there, so that who touches it too late crashes. A copy to the host changes its first
// byte at once; copies from it and host functions do nothing.
#include <sys/mman.h>

#include <map>

#include "fake.h"

namespace {

std::map<void*, size_t> mappings;

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

}  // namespace

extern "C" {

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  const auto body = [&] {
    *pointer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mappings[*pointer] = bytes;
  };
  return CALL(cuMemHostAlloc, body, pointer, bytes, flags);
}
CUresult cuMemFreeHost(void* pointer) {
  const auto body = [&] { munmap(pointer, mappings[pointer]); };
  return CALL(cuMemFreeHost, body, pointer);
}
CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  return CALL(
      cuMemHostRegister_v2, [] {}, pointer, bytes, flags);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t bytes, CUstream stream) {
  const auto body = [&] {
    const CUDA_MEMCPY3D copy = line_to_device(dst, src, bytes);
    fake_capture(stream, &copy);
  };
  return CALL(cuMemcpyHtoDAsync_v2, body, dst, src, bytes, stream);
}
CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t bytes, CUstream stream) {
  const auto body = [&] { ++*static_cast<unsigned char*>(dst); };
  return CALL(cuMemcpyDtoHAsync_v2, body, dst, src, bytes, stream);
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  const auto body = [&] { fake_capture(stream, nullptr); };
  return CALL(cuLaunchHostFunc, body, stream, function, data);
}
}

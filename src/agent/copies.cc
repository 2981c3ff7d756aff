// SPDX-License-Identifier: Apache-2.0
#include "agent/copies.h"

namespace bohr::agent {
namespace {

bool on_host(trace::Memory memory) {
  return memory == trace::Memory::pageable || memory == trace::Memory::pinned;
}

// Moves a side to the first byte that the copy touches.
void offset_side(CopySide* side, uint64_t x, uint64_t y, uint64_t z) {
  if (side->address) side->address += x + y * side->pitch + z * side->slice;
}

CopySide side_of(Recorder& r, CUmemorytype type, const void* host, CUdeviceptr device) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return host_side(r, host);
    case CU_MEMORYTYPE_DEVICE:
      return device_side(r, device);
    case CU_MEMORYTYPE_UNIFIED:
      return unified_side(r, device);
    default:
      return array_side();
  }
}

// CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER differ in fields that do not concern us.
template <class Copy>
CopyShape shape_of_3d(Recorder& r, const Copy& copy) {
  CopyShape shape;
  shape.width = copy.WidthInBytes;
  shape.height = copy.Height;
  shape.depth = copy.Depth;
  shape.dst = side_of(r, copy.dstMemoryType, copy.dstHost, copy.dstDevice);
  shape.dst.pitch = copy.dstPitch;
  shape.dst.slice = copy.dstPitch * copy.dstHeight;
  shape.src = side_of(r, copy.srcMemoryType, copy.srcHost, copy.srcDevice);
  shape.src.pitch = copy.srcPitch;
  shape.src.slice = copy.srcPitch * copy.srcHeight;
  offset_side(&shape.dst, copy.dstXInBytes, copy.dstY, copy.dstZ);
  offset_side(&shape.src, copy.srcXInBytes, copy.srcY, copy.srcZ);
  return shape;
}

}  // namespace

CopySide host_side(Recorder& r, const void* pointer) {
  return {reinterpret_cast<uint64_t>(pointer), 0, 0, memory_kind(r, pointer, true), true};
}

CopySide device_side(Recorder& r, CUdeviceptr pointer) {
  trace::Memory memory = memory_kind(r, reinterpret_cast<const void*>(pointer), false);
  // Memory that no seen call made, named as device memory: it is what the program says.
  if (memory == trace::Memory::unknown) memory = trace::Memory::device;
  return {pointer, 0, 0, memory, on_host(memory)};
}

CopySide unified_side(Recorder& r, CUdeviceptr pointer) {
  const trace::Memory memory = memory_kind(r, reinterpret_cast<const void*>(pointer), true);
  return {pointer, 0, 0, memory, on_host(memory)};
}

CopySide array_side() { return {0, 0, 0, trace::Memory::array, false}; }

CopyShape shape_of(Recorder& r, const CUDA_MEMCPY2D& copy) {
  CopyShape shape;
  shape.width = copy.WidthInBytes;
  shape.height = copy.Height;
  shape.dst = side_of(r, copy.dstMemoryType, copy.dstHost, copy.dstDevice);
  shape.dst.pitch = copy.dstPitch;
  shape.src = side_of(r, copy.srcMemoryType, copy.srcHost, copy.srcDevice);
  shape.src.pitch = copy.srcPitch;
  offset_side(&shape.dst, copy.dstXInBytes, copy.dstY, 0);
  offset_side(&shape.src, copy.srcXInBytes, copy.srcY, 0);
  return shape;
}

CopyShape shape_of(Recorder& r, const CUDA_MEMCPY3D& copy) { return shape_of_3d(r, copy); }

CopyShape shape_of(Recorder& r, const CUDA_MEMCPY3D_PEER& copy) { return shape_of_3d(r, copy); }

// Pageable sources are staged before the call returns, pageable destinations are complete by then;
// a synchronous copy between two device ranges returns at once, like an asynchronous one.
trace::Return return_of(const CopyShape& shape, bool async) {
  const bool from_pageable = shape.src.memory == trace::Memory::pageable;
  const bool to_pageable = shape.dst.memory == trace::Memory::pageable;
  if (to_pageable || (shape.src.host && shape.dst.host)) return trace::Return::after_completion;
  if (from_pageable) return trace::Return::after_source_read;
  if (!async && (shape.src.host || shape.dst.host)) return trace::Return::after_completion;
  return trace::Return::at_once;
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// The driver's descriptions of copies, as the log's fields.
#pragma once

#include <cuda.h>

#include "agent/recorder.h"
#include "trace/writer/records.h"

namespace bohr::agent {

// One side of a copy: the address of its first byte, or 0 for an array.
struct CopySide {
  uint64_t address = 0;
  uint64_t pitch = 0;
  uint64_t slice = 0;
  trace::Memory memory = trace::Memory::unknown;
  bool host = false;  // passed as, or known to be, host memory
};

struct CopyShape {
  CopySide dst;
  CopySide src;
  uint64_t width = 0, height = 1, depth = 1;
};

CopySide host_side(Recorder& r, const void* pointer);
CopySide device_side(Recorder& r, CUdeviceptr pointer);
CopySide unified_side(Recorder& r, CUdeviceptr pointer);
CopySide array_side();

CopyShape shape_of(Recorder& r, const CUDA_MEMCPY2D& copy);
CopyShape shape_of(Recorder& r, const CUDA_MEMCPY3D& copy);
CopyShape shape_of(Recorder& r, const CUDA_MEMCPY3D_PEER& copy);

// When the call returns to its thread, by the documented rules and nothing beyond them.
trace::Return return_of(const CopyShape& shape, bool async);

// Copy and Node share these fields.
template <class Record>
void fill_copy(const CopyShape& shape, Record* record) {
  record->dst = shape.dst.address;
  record->src = shape.src.address;
  record->width = shape.width;
  record->height = shape.height;
  record->depth = shape.depth;
  record->dst_pitch = shape.dst.pitch;
  record->dst_slice = shape.dst.slice;
  record->src_pitch = shape.src.pitch;
  record->src_slice = shape.src.slice;
  record->dst_memory = shape.dst.memory;
  record->src_memory = shape.src.memory;
}

}  // namespace bohr::agent

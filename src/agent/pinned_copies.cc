// SPDX-License-Identifier: Apache-2.0
#include "agent/pinned_copies.h"

#include "agent/calls.h"

namespace bohr::agent {
namespace {

// From the first to the last byte of one side.
PinnedSpan span_of(const CopyShape& shape, const CopySide& side) {
  const uint64_t rows = shape.height > 1 ? (shape.height - 1) * side.pitch : 0;
  const uint64_t slices = shape.depth > 1 ? (shape.depth - 1) * side.slice : 0;
  return {side.address, side.address + slices + rows + shape.width};
}

// Rows that adjoin, so that every byte of the span is copied.
bool without_gaps(const CopyShape& shape) {
  return (shape.height == 1 || shape.src.pitch == shape.width) &&
         (shape.depth == 1 || shape.src.slice == shape.width * shape.height);
}

bool reads_pinned(const CopyShape& shape, bool async) {
  return shape.src.memory == trace::Memory::pinned && without_gaps(shape) &&
         return_of(shape, async) == trace::Return::at_once;
}

bool writes_pinned(const CopyShape& shape) { return shape.dst.memory == trace::Memory::pinned; }

}  // namespace

void pinned_copies(Recorder& r, DriverCall& call, std::span<const CopyShape> shapes, bool async) {
  std::vector<PinnedSpan> sources;
  for (const CopyShape& shape : shapes) {
    if (reads_pinned(shape, async)) sources.push_back(span_of(shape, shape.src));
    if (writes_pinned(shape)) pinned_written(r, call, span_of(shape, shape.dst));
  }
  if (!sources.empty()) pinned_read(r, call, sources);
}

void pinned_copy_node(Recorder& r, const CopyShape& shape, PinnedUse* use) {
  if (shape.src.memory == trace::Memory::pinned && without_gaps(shape)) {
    use->sources.push_back(span_of(shape, shape.src));
  }
  if (writes_pinned(shape)) pinned_unwatched(r, span_of(shape, shape.dst));
}

void pinned_launch(Recorder& r, DriverCall& call, const PinnedUse& use) {
  if (use.calls_host) {
    host_function_issued(r, call);
  } else if (!use.sources.empty()) {
    pinned_read(r, call, use.sources);
  }
}

}  // namespace bohr::agent

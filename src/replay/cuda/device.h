// SPDX-License-Identifier: Apache-2.0
// Our own stream, memory and kernels in the context that is current: all that replaying puts onto
// the device, and takes off again.
#pragma once

#include <cuda.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "replay/cuda/device_types.h"
#include "replay/cuda/driver.h"
#include "replay/replayer.h"

namespace bohr::replay::cuda {

// Memory of ours: the device's, or pinned host memory that the device can read where it is short.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Empty when neither has so much; `host_too`: pinned host memory will do.
  static Buffer of(const Driver& driver, uint64_t bytes, bool host_too);
  static Buffer pinned(const Driver& driver, uint64_t bytes);

  CUdeviceptr address() const { return address_; }
  // Of all buffers of this process, the most that they were.
  static OwnMemory most();

  void* host() const { return host_; }  // null: device memory
  uint64_t bytes() const { return bytes_; }
  explicit operator bool() const { return address_ != 0; }
  void reset();

 private:
  const Driver* driver_ = nullptr;
  CUdeviceptr address_ = 0;
  void* host_ = nullptr;
  uint64_t bytes_ = 0;
};

// Pieces of memory as our kernels take them; lives on the device.
struct SpanList {
  std::vector<Span> spans;
  Buffer buffer;
  uint64_t bytes = 0;
  uint64_t pages = 0;
};

// A part of a list whose offsets begin at zero.
struct SpanSlice {
  uint64_t first = 0;
  uint64_t count = 0;
  uint64_t widest = 0;  // bytes of the largest
};

class Device {
 public:
  // Error `explore-device` when the driver refuses our code or stream. `longest`: what may run at
  // one go before the process counts as lost.
  static Result<std::unique_ptr<Device>> create(const Driver& driver,
                                                std::chrono::milliseconds longest);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Driver& driver() const { return driver_; }
  CUstream stream() const { return stream_; }

  // Errors: `process-lost` where a kernel did what ends its context, else `explore-device`.
  Status check(CUresult result, const std::string& what);
  // Until all that was issued is done. Error `watchdog` when it takes longer than the limit: what
  // runs cannot be stopped, so the process is as good as lost.
  Status wait();
  bool lost() const { return lost_; }

  Result<SpanList> upload(std::vector<Span> spans);
  // Adds the digest of these spans to *out, which lies on the device.
  Status digest(const SpanList& list, const SpanSlice& slice, CUdeviceptr out);
  // One digest for each slice. Waits.
  Result<std::vector<uint64_t>> digests_of(const SpanList& list, std::span<const SpanSlice> slices);
  // What of a slice differs from `shadow`, which is brought up to date; spans and pages are counted
  // from the slice's first, whose offset is zero. Waits.
  Result<std::vector<ChangedPage>> compare(const SpanList& list, const SpanSlice& slice,
                                           const Buffer& shadow);

  // Between the list's spans and a buffer in which they lie at their offsets.
  Status copy_out(const SpanList& list, const Buffer& to);
  Status copy_back(const SpanList& list, const Buffer& from);

  // A digest for each page of the list; both buffers hold that many numbers.
  Status page_digests(const SpanList& list, const Buffer& out);
  // The places at which two such lists differ, in order. Waits. Error `explore-memory` when there
  // are more than a million.
  Result<std::vector<uint64_t>> differences(const Buffer& a, const Buffer& b);

  // Nothing else for so long.
  Status delay(std::chrono::nanoseconds time);
  Status clear(CUdeviceptr at, uint64_t bytes);
  Status copy(CUdeviceptr to, CUdeviceptr from, uint64_t bytes);
  // Both wait, before they copy too: a copy from or to pageable memory would itself wait for what
  // runs, and for ever.
  Status copy_from_host(CUdeviceptr to, const void* from, uint64_t bytes);
  Status copy_to_host(void* to, CUdeviceptr from, uint64_t bytes);

 private:
  Device(const Driver& driver, std::chrono::milliseconds longest)
      : driver_(driver), longest_(longest) {}
  Status copy_pages(const SpanList& list, const Buffer& buffer, bool back);
  Status launch(CUfunction function, const unsigned (&grid)[2], void** parameters);

  const Driver& driver_;
  std::chrono::milliseconds longest_;
  CUmodule module_ = nullptr;
  CUfunction digest_ = nullptr;
  CUfunction compare_ = nullptr;
  CUfunction copy_ = nullptr;
  CUfunction page_digests_ = nullptr;
  CUfunction differences_ = nullptr;
  CUfunction delay_ = nullptr;
  CUstream stream_ = nullptr;
  Buffer changed_;
  Buffer found_;
  Buffer sums_;    // digests on their way to the host
  Buffer staged_;  // what is on its way to the host
  bool lost_ = false;
};

// One behind the other, as `ranges` are given, each at a multiple of `align`.
std::vector<Span> laid_out(std::span<const ByteRange> ranges, uint64_t align = 1);
SpanSlice whole(const SpanList& list);

}  // namespace bohr::replay::cuda

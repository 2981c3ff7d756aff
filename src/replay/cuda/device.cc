// SPDX-License-Identifier: Apache-2.0
// Waiting polls, for a stream cannot be waited for with a limit.
#include "replay/cuda/device.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "replay/cuda/device_code.h"

namespace bohr::replay::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostBlocks = 2048;
constexpr unsigned kMostRows = 1024;
constexpr uint64_t kBytesPerThread = 64;
constexpr unsigned kMostDifferences = 1 << 20;
constexpr unsigned kMostChanged = 1 << 15;  // pages of one look; further ones take another

// Errors after which the context can do nothing more.
bool ends_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

Error no_table_memory() {
  return {"explore-memory", "", "", "no memory for our own tables", "leave more memory free"};
}

// Blocks for so many threads; kernels go round where these are not enough.
constexpr uint64_t kStaged = uint64_t{64} << 10;  // bytes that are read without a pageable copy

uint64_t pages_of(uint64_t bytes) { return (bytes + kPage - 1) / kPage; }

unsigned blocks_for(uint64_t threads) {
  return static_cast<unsigned>(
      std::clamp<uint64_t>((threads + kThreads - 1) / kThreads, 1, 4 * kMostBlocks));
}

}  // namespace

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  reset();
  driver_ = other.driver_, address_ = std::exchange(other.address_, 0);
  host_ = std::exchange(other.host_, nullptr), bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

namespace {

// Of memory that buffers hold: now, and at most. Several searches may run, of several contexts.
struct Tally {
  std::atomic<uint64_t> now{0}, most{0};
  void add(uint64_t bytes) {
    const uint64_t total = now.fetch_add(bytes) + bytes;
    for (uint64_t old = most; old < total && !most.compare_exchange_weak(old, total);) {
    }
  }
};
Tally on_device, on_host;

}  // namespace

OwnMemory Buffer::most() { return {on_device.most, on_host.most}; }

Buffer Buffer::of(const Driver& driver, uint64_t bytes, bool host_too) {
  // Programs need memory to go on: a sixteenth of what is free, and 64 MiB, are left to them.
  size_t free = 0, total = 0;
  if (driver.cuMemGetInfo_v2(&free, &total) != CUDA_SUCCESS) return {};
  const uint64_t left = free / 16 + (uint64_t{64} << 20);
  Buffer buffer;
  buffer.driver_ = &driver;
  if (bytes + left <= free &&
      driver.cuMemAlloc_v2(&buffer.address_, std::max<uint64_t>(bytes, 16)) == CUDA_SUCCESS) {
    buffer.bytes_ = bytes;
    on_device.add(bytes);
    return buffer;
  }
  buffer.address_ = 0;
  return host_too ? pinned(driver, bytes) : std::move(buffer);
}

Buffer Buffer::pinned(const Driver& driver, uint64_t bytes) {
  Buffer buffer;
  buffer.driver_ = &driver;
  if (driver.cuMemAllocHost_v2(&buffer.host_, std::max<uint64_t>(bytes, 16)) != CUDA_SUCCESS) {
    buffer.host_ = nullptr;
    return buffer;
  }
  // With unified addressing the device knows it by the same address.
  buffer.address_ = reinterpret_cast<CUdeviceptr>(buffer.host_);
  buffer.bytes_ = bytes;
  on_host.add(bytes);
  return buffer;
}

void Buffer::reset() {
  if (host_) {
    driver_->cuMemFreeHost(host_);
    on_host.now -= bytes_;
  } else if (address_) {
    driver_->cuMemFree_v2(address_);
    on_device.now -= bytes_;
  }
  host_ = nullptr, address_ = 0, bytes_ = 0;
}

std::vector<Span> laid_out(std::span<const ByteRange> ranges, uint64_t align) {
  std::vector<Span> spans;
  uint64_t offset = 0, page = 0;
  for (const ByteRange& range : ranges) {
    spans.push_back({range.begin, range.size(), offset, page});
    offset = (offset + range.size() + align - 1) / align * align;
    page += pages_of(range.size());
  }
  return spans;
}

SpanSlice whole(const SpanList& list) {
  SpanSlice slice{0, list.spans.size(), 0};
  for (const Span& span : list.spans) slice.widest = std::max(slice.widest, span.size);
  return slice;
}

Result<std::unique_ptr<Device>> Device::create(const Driver& driver,
                                               std::chrono::milliseconds longest) {
  auto device = std::unique_ptr<Device>(new Device(driver, longest));
  Device& d = *device;
  if (device_code[0] == '0') {
    return Error{"explore-device", "loading our kernels", "",
                 "this build has none: it was made without nvcc", "build where nvcc is"};
  }
  d.staged_ = Buffer::pinned(driver, kStaged);
  if (!d.staged_) return no_table_memory();
  BOHR_TRY_STATUS(d.check(driver.cuModuleLoadData(&d.module_, device_code), "loading our kernels"));
  const std::pair<const char*, CUfunction*> functions[] = {{"bohr_digest", &d.digest_},
                                                           {"bohr_compare", &d.compare_},
                                                           {"bohr_copy", &d.copy_},
                                                           {"bohr_page_digests", &d.page_digests_},
                                                           {"bohr_differences", &d.differences_},
                                                           {"bohr_delay", &d.delay_}};
  for (const auto& [name, function] : functions)
    BOHR_TRY_STATUS(d.check(driver.cuModuleGetFunction(function, d.module_, name), name));
  BOHR_TRY_STATUS(
      d.check(driver.cuStreamCreate(&d.stream_, CU_STREAM_NON_BLOCKING), "making a stream"));
  return device;
}

Device::~Device() {
  if (stream_) driver_.cuStreamDestroy_v2(stream_);
  if (module_) driver_.cuModuleUnload(module_);
}

Status Device::check(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return Nothing{};
  if (ends_context(result)) {
    lost_ = true;
    return Error{"process-lost", what, "",
                 "the device ended the program's context: " + name_of(driver_, result),
                 "start the program again; the order that did it is reported"};
  }
  return Error{"explore-device", what, "", "the driver said " + name_of(driver_, result),
               "nothing was changed; `bohr doctor` says what this machine can do"};
}

Status Device::wait() {
  const auto until = std::chrono::steady_clock::now() + longest_;
  for (int turn = 0;; ++turn) {
    const CUresult result = driver_.cuStreamQuery(stream_);
    if (result != CUDA_ERROR_NOT_READY) return check(result, "waiting for a replay");
    if (turn < 1000) continue;
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() < until) continue;
    lost_ = true;
    return Error{"watchdog", "a replay", "",
                 "the device was not done after " + std::to_string(longest_.count()) +
                     " ms: a kernel waits for something that this order puts after it",
                 "the program relies on an order that no edge shows; start it again"};
  }
}

Result<SpanList> Device::upload(std::vector<Span> spans) {
  SpanList list;
  list.buffer = Buffer::of(driver_, spans.size() * sizeof(Span), true);
  if (!list.buffer) return no_table_memory();
  BOHR_TRY_STATUS(copy_from_host(list.buffer.address(), spans.data(), spans.size() * sizeof(Span)));
  for (const Span& span : spans) {
    list.bytes += span.size;
    list.pages += pages_of(span.size);
  }
  list.spans = std::move(spans);
  return list;
}

Status Device::launch(CUfunction function, const unsigned (&grid)[2], void** parameters) {
  return check(driver_.cuLaunchKernel(function, grid[0], grid[1], 1, kThreads, 1, 1, 0, stream_,
                                      parameters, nullptr),
               "starting a kernel of ours");
}

Status Device::digest(const SpanList& list, const SpanSlice& slice, CUdeviceptr out) {
  if (slice.count == 0) return Nothing{};
  const uint64_t per_block = kThreads * kBytesPerThread;
  const uint64_t columns = (slice.widest + per_block - 1) / per_block;
  CUdeviceptr spans = list.buffer.address() + slice.first * sizeof(Span);
  uint64_t count = slice.count;
  void* parameters[] = {&spans, &count, &out};
  return launch(digest_,
                {static_cast<unsigned>(std::clamp<uint64_t>(columns, 1, kMostBlocks)),
                 static_cast<unsigned>(std::min<uint64_t>(slice.count, kMostRows))},
                parameters);
}

Result<std::vector<uint64_t>> Device::digests_of(const SpanList& list,
                                                 std::span<const SpanSlice> slices) {
  std::vector<uint64_t> digests(slices.size(), 0);
  const uint64_t bytes = digests.size() * sizeof(uint64_t);
  if (bytes == 0) return digests;
  if (sums_.bytes() < bytes) sums_ = Buffer::of(driver_, bytes, true);
  if (!sums_) return no_table_memory();
  BOHR_TRY_STATUS(clear(sums_.address(), bytes));
  for (size_t i = 0; i < slices.size(); ++i)
    BOHR_TRY_STATUS(digest(list, slices[i], sums_.address() + i * sizeof(uint64_t)));
  BOHR_TRY_STATUS(copy_to_host(digests.data(), sums_.address(), bytes));
  return digests;
}

Result<std::vector<ChangedPage>> Device::compare(const SpanList& list, const SpanSlice& slice,
                                                 const Buffer& shadow) {
  if (!changed_) {
    changed_ = Buffer::of(driver_, kMostChanged * sizeof(ChangedPage), true);
    found_ = Buffer::pinned(driver_, sizeof(unsigned));
    if (!changed_ || !found_) return no_table_memory();
  }
  std::vector<ChangedPage> changed;
  auto* found = static_cast<volatile unsigned*>(found_.host());
  uint64_t total = 0;
  for (uint64_t i = slice.first; i < slice.first + slice.count; ++i)
    total += pages_of(list.spans[i].size);
  do {
    *found = 0;
    CUdeviceptr spans = list.buffer.address() + slice.first * sizeof(Span);
    CUdeviceptr before = shadow.address();
    CUdeviceptr pages = changed_.address(), counter = found_.address();
    uint64_t count = slice.count;
    unsigned limit = kMostChanged;
    void* parameters[] = {&spans, &count, &total, &before, &pages, &limit, &counter};
    BOHR_TRY_STATUS(launch(compare_, {blocks_for(total * 32), 1}, parameters));
    BOHR_TRY_STATUS(wait());
    const size_t old = changed.size();
    const unsigned many = *found;
    changed.resize(old + std::min(many, limit));
    if (changed.size() > old)
      BOHR_TRY_STATUS(copy_to_host(changed.data() + old, changed_.address(),
                                   (changed.size() - old) * sizeof(ChangedPage)));
  } while (*found > kMostChanged);
  return changed;
}

Status Device::copy_out(const SpanList& list, const Buffer& to) {
  return copy_pages(list, to, false);
}
Status Device::copy_back(const SpanList& list, const Buffer& from) {
  return copy_pages(list, from, true);
}

Status Device::copy_pages(const SpanList& list, const Buffer& buffer, bool back) {
  if (list.spans.empty()) return Nothing{};
  CUdeviceptr spans = list.buffer.address(), copy = buffer.address();
  uint64_t count = list.spans.size(), pages = list.pages;
  unsigned direction = back;
  void* parameters[] = {&spans, &count, &pages, &copy, &direction};
  return launch(copy_, {blocks_for(pages * 32), 1}, parameters);
}

Status Device::page_digests(const SpanList& list, const Buffer& out) {
  CUdeviceptr spans = list.buffer.address(), digests = out.address();
  uint64_t count = list.spans.size(), pages = list.pages;
  void* parameters[] = {&spans, &count, &pages, &digests};
  return launch(page_digests_, {blocks_for(pages * 32), 1}, parameters);
}

Result<std::vector<uint64_t>> Device::differences(const Buffer& a, const Buffer& b) {
  unsigned limit = kMostDifferences;
  const Buffer places = Buffer::pinned(driver_, limit * sizeof(uint64_t));
  const Buffer found = Buffer::pinned(driver_, sizeof(unsigned));
  if (!places || !found) return no_table_memory();
  auto* many = static_cast<volatile unsigned*>(found.host());
  *many = 0;
  CUdeviceptr first = a.address(), second = b.address();
  CUdeviceptr list = places.address(), counter = found.address();
  uint64_t count = a.bytes() / sizeof(uint64_t);
  void* parameters[] = {&first, &second, &count, &list, &limit, &counter};
  BOHR_TRY_STATUS(launch(differences_, {blocks_for(count), 1}, parameters));
  BOHR_TRY_STATUS(wait());
  if (*many > limit)
    return Error{"explore-memory", "", "", "more than a million pages of large blocks change",
                 "leave enough memory free to save them whole"};
  const auto* host = static_cast<const uint64_t*>(places.host());
  std::vector<uint64_t> result(host, host + *many);
  std::sort(result.begin(), result.end());
  return result;
}

Status Device::delay(std::chrono::nanoseconds time) {
  auto ns = static_cast<uint64_t>(time.count());
  void* parameters[] = {&ns};
  return check(driver_.cuLaunchKernel(delay_, 1, 1, 1, 1, 1, 1, 0, stream_, parameters, nullptr),
               "starting a kernel of ours");
}

Status Device::clear(CUdeviceptr at, uint64_t bytes) {
  return check(driver_.cuMemsetD8Async(at, 0, bytes, stream_), "clearing memory of ours");
}

Status Device::copy(CUdeviceptr to, CUdeviceptr from, uint64_t bytes) {
  return check(driver_.cuMemcpyAsync(to, from, bytes, stream_), "copying memory");
}

Status Device::copy_from_host(CUdeviceptr to, const void* from, uint64_t bytes) {
  BOHR_TRY_STATUS(wait());
  return check(driver_.cuMemcpyHtoDAsync_v2(to, from, bytes, stream_), "copying to the device");
}

Status Device::copy_to_host(void* to, CUdeviceptr from, uint64_t bytes) {
  if (bytes > staged_.bytes()) {
    BOHR_TRY_STATUS(wait());
    BOHR_TRY_STATUS(
        check(driver_.cuMemcpyDtoHAsync_v2(to, from, bytes, stream_), "copying from the device"));
    return wait();
  }
  BOHR_TRY_STATUS(check(driver_.cuMemcpyDtoHAsync_v2(staged_.host(), from, bytes, stream_),
                        "copying from the device"));
  BOHR_TRY_STATUS(wait());
  std::memcpy(to, staged_.host(), bytes);
  return Nothing{};
}

}  // namespace bohr::replay::cuda

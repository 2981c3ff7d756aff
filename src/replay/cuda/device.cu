// SPDX-License-Identifier: Apache-2.0
// Our own kernels: digests of memory, and which words changed since the last look.
//
// A digest is the sum over all 8-byte words of a hash of the word and its place, modulo 2^64: the
// terms can be added in any order, so blocks need not agree on one, and two memories that differ
// in one word differ in one term. Both kernels are bound by memory, not by arithmetic.
#include "replay/cuda/device_types.h"

namespace {

using bohr::replay::cuda::ChangedPage;
using bohr::replay::cuda::kPage;
using bohr::replay::cuda::Span;

constexpr unsigned kWarp = 32;
constexpr unsigned kLaneBytes = kPage / kWarp;  // of a page, by lane: one word of the bit set

__device__ uint64_t term(uint64_t word, uint64_t place) {
  uint64_t hash = (word ^ (place * 0x9e3779b97f4a7c15ull)) * 0xd6e8feb86659fd93ull;
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93ull;
  return hash ^ (hash >> 32);
}

// The word of the `count` bytes at `at`, fewer than eight being padded with zeros.
__device__ uint64_t word_at(const uint8_t* at, uint64_t count) {
  uint64_t word = 0;
  for (uint64_t i = 0; i < count; ++i) word |= static_cast<uint64_t>(at[i]) << (8 * i);
  return word;
}

__device__ uint64_t sum_of(const Span& span, uint64_t thread, uint64_t threads) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(span.begin);
  const uint64_t words = span.size / 8;
  uint64_t sum = 0;
  if (span.begin % 16 == 0) {
    const auto* pairs = reinterpret_cast<const ulonglong2*>(bytes);
    for (uint64_t i = thread; i < words / 2; i += threads) {
      const ulonglong2 pair = pairs[i];
      sum += term(pair.x, span.offset + 16 * i) + term(pair.y, span.offset + 16 * i + 8);
    }
    if (thread == 0 && words % 2 == 1)
      sum += term(word_at(bytes + 8 * (words - 1), 8), span.offset + 8 * (words - 1));
  } else {
    for (uint64_t i = thread; i < words; i += threads)
      sum += term(word_at(bytes + 8 * i, 8), span.offset + 8 * i);
  }
  if (thread == 0 && span.size % 8 != 0)
    sum += term(word_at(bytes + 8 * words, span.size % 8), span.offset + 8 * words);
  return sum;
}

// The span that holds a page of the list.
__device__ uint64_t span_of(const Span* spans, uint64_t count, uint64_t page) {
  uint64_t low = 0;
  for (uint64_t high = count; high - low > 1;) {
    const uint64_t middle = (low + high) / 2;
    (spans[middle].first_page <= page ? low : high) = middle;
  }
  return low;
}

// A bit for each word of 4 bytes.
__device__ uint32_t changed_words(const uint8_t* now, const uint8_t* before, uint64_t count) {
  uint32_t bits = 0;
  for (unsigned i = 0; i < count; ++i)
    if (now[i] != before[i]) bits |= 1u << (i / 4);
  return bits;
}

__device__ bool equal(const uint8_t* now, const uint8_t* before, uint64_t count) {
  if (count != kLaneBytes) {
    for (uint64_t i = 0; i < count; ++i)
      if (now[i] != before[i]) return false;
    return true;
  }
  const auto* a = reinterpret_cast<const uint4*>(now);
  const auto* b = reinterpret_cast<const uint4*>(before);
  bool same = true;
  for (unsigned i = 0; i < kLaneBytes / 16; ++i) {
    const uint4 x = a[i], y = b[i];
    same = same && x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w;
  }
  return same;
}

__device__ void copy_page(uint8_t* to, const uint8_t* from, uint64_t bytes, unsigned lane) {
  const bool wide = (reinterpret_cast<uint64_t>(to) | reinterpret_cast<uint64_t>(from)) % 16 == 0;
  const uint64_t words = wide ? bytes / 16 : 0;
  for (uint64_t i = lane; i < words; i += kWarp)
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  for (uint64_t i = words * 16 + lane; i < bytes; i += kWarp) to[i] = from[i];
}

}  // namespace

// Adds the digest of `count` spans to *out. Blocks of one y work on the spans of that y.
extern "C" __global__ void bohr_digest(const Span* spans, uint64_t count, unsigned long long* out) {
  const uint64_t thread = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const uint64_t threads = uint64_t{gridDim.x} * blockDim.x;
  uint64_t sum = 0;
  for (uint64_t i = blockIdx.y; i < count; i += gridDim.y) sum += sum_of(spans[i], thread, threads);
  for (unsigned step = kWarp / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % kWarp == 0 && sum != 0) atomicAdd(out, static_cast<unsigned long long>(sum));
}

// The digest of each page by itself. One warp a page.
extern "C" __global__ void bohr_page_digests(const Span* spans, uint64_t count, uint64_t pages,
                                             unsigned long long* out) {
  const unsigned lane = threadIdx.x % kWarp;
  const uint64_t warps = uint64_t{gridDim.x} * blockDim.x / kWarp;
  for (uint64_t page = (uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp; page < pages;
       page += warps) {
    const Span& span = spans[span_of(spans, count, page)];
    const uint64_t from = (page - span.first_page) * kPage;
    const uint64_t left = span.size - from;
    const Span part{span.begin + from, left < kPage ? left : kPage, 0, 0};
    uint64_t sum = sum_of(part, lane, kWarp);
    for (unsigned step = kWarp / 2; step > 0; step /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) out[page] = sum;
  }
}

// Where two lists of numbers differ; *found counts on beyond `limit`.
extern "C" __global__ void bohr_differences(const uint64_t* a, const uint64_t* b, uint64_t count,
                                            uint64_t* places, unsigned limit, unsigned* found) {
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += uint64_t{gridDim.x} * blockDim.x) {
    if (a[i] == b[i]) continue;
    const unsigned slot = atomicAdd(found, 1u);
    if (slot < limit) places[slot] = i;
  }
}

// Copies `pages` pages of the spans to `copy`, where they lie at their offsets, or from there.
// Spans and offsets are both multiples of 16, or neither is. One warp a page.
extern "C" __global__ void bohr_copy(const Span* spans, uint64_t count, uint64_t pages,
                                     uint8_t* copy, unsigned back) {
  const unsigned lane = threadIdx.x % kWarp;
  const uint64_t warps = uint64_t{gridDim.x} * blockDim.x / kWarp;
  for (uint64_t page = (uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp; page < pages;
       page += warps) {
    const Span& span = spans[span_of(spans, count, page)];
    const uint64_t from = (page - span.first_page) * kPage;
    const uint64_t left = span.size - from;
    const uint64_t bytes = left < kPage ? left : kPage;
    auto* there = reinterpret_cast<uint8_t*>(span.begin + from);
    uint8_t* here = copy + span.offset + from;
    copy_page(back ? there : here, back ? here : there, bytes, lane);
  }
}

// Compares `pages` pages of the spans with `shadow`, where the spans lie one behind the other by
// their offsets, which are multiples of 16 as their begins are. Each changed page is put into
// `changed`, if it still fits (*found counts on), and its shadow is brought up to date. One warp a
// page.
extern "C" __global__ void bohr_compare(const Span* spans, uint64_t count, uint64_t pages,
                                        uint8_t* shadow, ChangedPage* changed, unsigned limit,
                                        unsigned* found) {
  const unsigned lane = threadIdx.x % kWarp;
  const uint64_t warps = uint64_t{gridDim.x} * blockDim.x / kWarp;
  for (uint64_t page = (uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp; page < pages;
       page += warps) {
    const uint64_t index = span_of(spans, count, page);
    const Span& span = spans[index];
    const uint64_t inside = page - span.first_page;
    const uint64_t from = inside * kPage + lane * kLaneBytes;
    const uint64_t left = from < span.size ? span.size - from : 0;
    const uint64_t bytes = left < kLaneBytes ? left : kLaneBytes;
    const auto* now = reinterpret_cast<const uint8_t*>(span.begin + from);
    uint8_t* before = shadow + span.offset + from;
    const bool same = equal(now, before, bytes);
    if (__all_sync(0xffffffffu, same)) continue;
    unsigned slot = 0;
    if (lane == 0) slot = atomicAdd(found, 1u);
    slot = __shfl_sync(0xffffffffu, slot, 0);
    if (slot >= limit) continue;
    changed[slot].words[lane] = changed_words(now, before, bytes);
    for (uint64_t i = 0; i < bytes; ++i) before[i] = now[i];
    if (lane == 0) changed[slot].span = index, changed[slot].page = inside;
  }
}

// Takes so long and does nothing, so that what is issued meanwhile follows without a gap.
extern "C" __global__ void bohr_delay(uint64_t ns) {
  const auto now = [] {
    uint64_t time = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  for (const uint64_t begin = now(); now() - begin < ns;) {
  }
}

// SPDX-License-Identifier: Apache-2.0
// Our own kernels (src/replay/cuda/device.cu) as host functions of the same parameters, written
// word by word. Digests need not be the device's: they are only compared with one another.
#include <algorithm>
#include <cstring>
#include <map>

#include "fake.h"
#include "replay/cuda/device_types.h"

namespace {

using bohr::replay::cuda::ChangedPage;
using bohr::replay::cuda::kPage;
using bohr::replay::cuda::Span;

template <class Value>
Value get(void** params, size_t index) {
  return *static_cast<Value*>(params[index]);
}

uint64_t digest(uint64_t begin, uint64_t size, uint64_t place) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(begin);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min<uint64_t>(8, size - i));
    uint64_t hash = (word + 0x9e3779b97f4a7c15) * (2 * (place + i) + 1);
    hash ^= hash >> 29;
    sum += hash * 0xbf58476d1ce4e5b9;
  }
  return sum;
}

// Calls visit(span's index, page within the span, begin, bytes).
template <class Visit>
void for_each_page(const Span* spans, uint64_t count, Visit&& visit) {
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t from = 0; from < spans[i].size; from += kPage)
      visit(i, from / kPage, spans[i].begin + from,
            std::min<uint64_t>(kPage, spans[i].size - from));
}

void bohr_digest(void** params) {
  const auto* spans = get<const Span*>(params, 0);
  auto* out = get<uint64_t*>(params, 2);
  for (uint64_t i = 0; i < get<uint64_t>(params, 1); ++i)
    *out += digest(spans[i].begin, spans[i].size, spans[i].offset);
}

void bohr_page_digests(void** params) {
  const auto* spans = get<const Span*>(params, 0);
  auto* out = get<uint64_t*>(params, 3);
  for_each_page(spans, get<uint64_t>(params, 1),
                [&](uint64_t span, uint64_t page, uint64_t begin, uint64_t bytes) {
                  out[spans[span].first_page + page] = digest(begin, bytes, 0);
                });
}

void bohr_differences(void** params) {
  const auto *a = get<const uint64_t*>(params, 0), *b = get<const uint64_t*>(params, 1);
  auto* places = get<uint64_t*>(params, 3);
  auto* found = get<unsigned*>(params, 5);
  for (uint64_t i = 0; i < get<uint64_t>(params, 2); ++i) {
    if (a[i] == b[i]) continue;
    if (*found < get<unsigned>(params, 4)) places[*found] = i;
    ++*found;
  }
}

// A page that does not fit keeps its shadow, so that the next look tells it.
void bohr_compare(void** params) {
  const auto* spans = get<const Span*>(params, 0);
  auto* shadow = get<unsigned char*>(params, 3);
  auto* changed = get<ChangedPage*>(params, 4);
  auto* found = get<unsigned*>(params, 6);
  for_each_page(spans, get<uint64_t>(params, 1),
                [&](uint64_t span, uint64_t page, uint64_t begin, uint64_t bytes) {
                  const auto* now = reinterpret_cast<const unsigned char*>(begin);
                  unsigned char* before = shadow + spans[span].offset + page * kPage;
                  if (std::memcmp(now, before, bytes) == 0) return;
                  const unsigned slot = (*found)++;
                  if (slot >= get<unsigned>(params, 5)) return;
                  ChangedPage& told = changed[slot];
                  told = {span, page, {}};
                  for (uint64_t i = 0; i < bytes; ++i)
                    if (now[i] != before[i]) told.words[i / 128] |= 1u << (i / 4 % 32);
                  std::memcpy(before, now, bytes);
                });
}

void bohr_copy(void** params) {
  const auto* spans = get<const Span*>(params, 0);
  auto* copy = get<unsigned char*>(params, 3);
  for (uint64_t i = 0; i < get<uint64_t>(params, 1); ++i) {
    auto* there = reinterpret_cast<unsigned char*>(spans[i].begin);
    unsigned char* here = copy + spans[i].offset;
    if (get<unsigned>(params, 4))
      std::memcpy(there, here, spans[i].size);
    else
      std::memcpy(here, there, spans[i].size);
  }
}

// What is issued is done at once, so there is nothing to wait for.
void bohr_delay(void**) {}

const std::map<std::string, FakeKernel> kKernels = {{"bohr_digest", bohr_digest},
                                                    {"bohr_compare", bohr_compare},
                                                    {"bohr_copy", bohr_copy},
                                                    {"bohr_page_digests", bohr_page_digests},
                                                    {"bohr_differences", bohr_differences},
                                                    {"bohr_delay", bohr_delay}};

}  // namespace

FakeKernel fake_own_kernel(const std::string& name) {
  const auto found = kKernels.find(name);
  return found == kKernels.end() ? nullptr : found->second;
}

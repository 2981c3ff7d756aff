// SPDX-License-Identifier: Apache-2.0
// An allocator of programs under test: as a framework's, best fit; tells the agent of each block,
// and of its history so many entries at a time.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <vector>

class Allocator {
 public:
  explicit Allocator(size_t bytes, size_t at_a_time = 1) : at_a_time_(at_a_time) {
    const char* path = std::getenv("BOHR_AGENT");
    if (void* agent = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr) {
      allocated_ = reinterpret_cast<void (*)(uint64_t)>(dlsym(agent, "bohr_allocated"));
      freed_ = reinterpret_cast<void (*)(uint64_t)>(dlsym(agent, "bohr_freed"));
      history_ =
          reinterpret_cast<void (*)(const uint64_t*, uint64_t)>(dlsym(agent, "bohr_history"));
    }
    CUdeviceptr segment = 0;
    cuMemAlloc_v2(&segment, bytes);
    free_[segment] = bytes;
  }
  CUdeviceptr get(size_t bytes, CUstream stream) {
    auto best = free_.end();
    for (auto one = free_.begin(); one != free_.end(); ++one)
      if (one->second >= bytes && (best == free_.end() || one->second < best->second)) best = one;
    const auto [address, length] = *best;
    free_.erase(best);
    if (length > bytes) free_[address + bytes] = length - bytes;
    used_[address] = bytes;
    if (history_) allocated_(address), note(0, address, stream);
    return address;
  }
  void drop(CUdeviceptr address, CUstream stream) {
    if (history_) freed_(address), note(1, address, stream), note(2, address, stream);
    free_[address] = used_[address];
    used_.erase(address);
    for (auto one = free_.begin(); std::next(one) != free_.end();) {
      const auto next = std::next(one);
      if (one->first + one->second != next->first) {
        one = next;
        continue;
      }
      one->second += next->second;
      free_.erase(next);
    }
  }
  // The rest of the history.
  void tell() {
    if (history_ && !untold_.empty()) history_(untold_.data(), untold_.size() / kNumbers);
    untold_.clear();
  }

 private:
  void note(uint64_t action, CUdeviceptr address, CUstream stream) {
    for (const uint64_t number :
         {index_++, uint64_t{0}, action, uint64_t{address}, uint64_t{used_[address]},
          reinterpret_cast<uint64_t>(stream), uint64_t{0}, uint64_t{1}})
      untold_.push_back(number);
    if (untold_.size() >= at_a_time_ * kNumbers) tell();
  }
  static constexpr size_t kNumbers = 8;  // an entry
  std::map<CUdeviceptr, size_t> free_, used_;
  size_t at_a_time_;
  std::vector<uint64_t> untold_;
  uint64_t index_ = 0;
  void (*allocated_)(uint64_t) = nullptr;
  void (*freed_)(uint64_t) = nullptr;
  void (*history_)(const uint64_t*, uint64_t) = nullptr;
};

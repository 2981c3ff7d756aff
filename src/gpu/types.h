// SPDX-License-Identifier: Apache-2.0
// What GPU programs name: streams, events, graphs and execs by ids that a runtime gives out, byte
// ranges that work declares to touch, and the parameters of a kernel as they are packed.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/ids.h"

namespace bohr::gpu {

using Stream = Id<struct GpuStreamTag>;
using Event = Id<struct GpuEventTag>;
using Graph = Id<struct GpuGraphTag>;
using Exec = Id<struct GpuExecTag>;
using Thread = Id<struct GpuThreadTag>;
using Pool = Id<struct GpuPoolTag>;  // of memory for captures; an invalid one is no pool

enum class StreamKind : uint8_t { nonblocking, blocking, legacy, per_thread };
enum class HostMemory : uint8_t { pinned, pageable };

// `update` reads and writes; `atomic` adds in a way that commutes.
enum class Mode : uint8_t { read, write, update, atomic };

// Bytes that a piece of work touches. `early`: before the grid-dependency wait of a programmatic
// launch.
struct Access {
  uint64_t address = 0;
  uint64_t bytes = 0;
  Mode mode = Mode::read;
  bool early = false;
};

// Kernel parameters, packed as the driver packs them: each at its natural alignment.
class Params {
 public:
  template <class T>
  Params& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const size_t offset = (image_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    image_.resize(offset + sizeof(T));
    std::memcpy(image_.data() + offset, &value, sizeof(T));
    offsets_.push_back(offset);
    sizes_.push_back(sizeof(T));
    return *this;
  }

  // Other contents of one parameter, or of a part of it: 8 bytes from `offset` on.
  void set_word(size_t offset, uint64_t value) {
    std::memcpy(image_.data() + offset, &value, sizeof value);
  }

  const std::vector<uint8_t>& image() const { return image_; }
  const std::vector<uint64_t>& offsets() const { return offsets_; }
  const std::vector<uint64_t>& sizes() const { return sizes_; }

 private:
  std::vector<uint8_t> image_;
  std::vector<uint64_t> offsets_;
  std::vector<uint64_t> sizes_;
};

template <class... T>
Params pack(const T&... values) {
  Params params;
  (params.add(values), ...);
  return params;
}

class Block;
class Accessor;

// A kernel: what each block of its grid does. A programmatically launched one does `early` before
// its grid-dependency wait and `body` behind it; otherwise one follows the other.
struct Kernel {
  std::string name;  // mangled or plain
  void (*body)(Block&) = nullptr;
  void (*early)(Block&) = nullptr;
};

// One launch of a kernel. `accesses` is all that its blocks may touch.
struct KernelLaunch {
  Kernel kernel;
  uint32_t blocks = 1;
  Params params;
  std::vector<Access> accesses;
  bool programmatic = false;
};

}  // namespace bohr::gpu

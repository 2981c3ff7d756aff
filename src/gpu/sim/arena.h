// SPDX-License-Identifier: Apache-2.0
// The memory of the simulated machine: one address space with a region for the device, one for
// pinned and one for pageable host memory, zero at the beginning.
//
// Pages that may have been written are listed, so that going back to an earlier state costs what
// was written and not what there is. Whoever writes marks the range first.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/range.h"

namespace bohr::gpu::sim {

enum class Region : uint8_t { none, device, pinned, pageable };

struct ArenaSizes {
  uint64_t device = uint64_t{1} << 30;
  uint64_t pinned = uint64_t{256} << 20;
  uint64_t pageable = uint64_t{256} << 20;
};

class Arena {
 public:
  static constexpr uint64_t kOrigin = 0x700000000000;  // no number that programs compute with
  static constexpr uint64_t kPage = 4096;

  explicit Arena(const ArenaSizes& sizes);

  ByteRange range(Region region) const;
  // The region that holds all of the range; none if there is no such.
  Region region_of(ByteRange range) const;

  uint8_t* base() { return bytes_.get(); }
  uint8_t* at(uint64_t address) { return bytes_.get() + (address - kOrigin); }
  const uint8_t* at(uint64_t address) const { return bytes_.get() + (address - kOrigin); }
  void mark_written(ByteRange range);

  // The contents of all pages that are not zero, by page.
  using Image = std::map<uint64_t, std::vector<uint8_t>>;
  Image save() const;
  void restore(const Image& image);

 private:
  struct Free {
    void operator()(uint8_t* bytes) const;
  };
  uint8_t* page(uint64_t i) { return bytes_.get() + i * kPage; }
  const uint8_t* page(uint64_t i) const { return bytes_.get() + i * kPage; }

  ArenaSizes sizes_;
  std::unique_ptr<uint8_t[], Free> bytes_;
  std::vector<bool> is_written_;   // by page
  std::vector<uint64_t> written_;  // those pages
};

}  // namespace bohr::gpu::sim

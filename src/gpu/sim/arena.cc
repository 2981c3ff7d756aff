// SPDX-License-Identifier: Apache-2.0
// The storage comes from calloc, which gives pages of the machine only to what is touched.
#include "gpu/sim/arena.h"

#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace bohr::gpu::sim {

namespace {

uint64_t pages(uint64_t bytes) { return (bytes + Arena::kPage - 1) / Arena::kPage; }

}  // namespace

void Arena::Free::operator()(uint8_t* bytes) const { std::free(bytes); }

Arena::Arena(const ArenaSizes& sizes)
    : sizes_{pages(sizes.device) * kPage, pages(sizes.pinned) * kPage,
             pages(sizes.pageable) * kPage} {
  const uint64_t bytes = sizes_.device + sizes_.pinned + sizes_.pageable;
  bytes_.reset(static_cast<uint8_t*>(std::calloc(bytes, 1)));
  BOHR_CHECK(bytes_ != nullptr);
  is_written_.resize(bytes / kPage);
}

ByteRange Arena::range(Region region) const {
  const uint64_t pinned = kOrigin + sizes_.device;
  const uint64_t pageable = pinned + sizes_.pinned;
  switch (region) {
    case Region::device:
      return {kOrigin, pinned};
    case Region::pinned:
      return {pinned, pageable};
    case Region::pageable:
      return {pageable, pageable + sizes_.pageable};
    case Region::none:
      break;
  }
  return {};
}

Region Arena::region_of(ByteRange wanted) const {
  for (const Region region : {Region::device, Region::pinned, Region::pageable})
    if (range(region).contains(wanted)) return region;
  return Region::none;
}

void Arena::mark_written(ByteRange range) {
  if (range.empty()) return;
  const uint64_t last = (range.end - 1 - kOrigin) / kPage;
  for (uint64_t i = (range.begin - kOrigin) / kPage; i <= last; ++i) {
    if (is_written_[i]) continue;
    is_written_[i] = true;
    written_.push_back(i);
  }
}

Arena::Image Arena::save() const {
  Image image;
  for (const uint64_t i : written_) image[i] = {page(i), page(i) + kPage};
  return image;
}

void Arena::restore(const Image& image) {
  for (const uint64_t i : written_) {
    if (image.count(i)) continue;
    std::memset(page(i), 0, kPage);
    is_written_[i] = false;
  }
  written_.clear();
  for (const auto& [i, bytes] : image) {
    std::memcpy(page(i), bytes.data(), kPage);
    is_written_[i] = true;
    written_.push_back(i);
  }
}

}  // namespace bohr::gpu::sim

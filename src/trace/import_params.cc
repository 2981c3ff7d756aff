// SPDX-License-Identifier: Apache-2.0
// Doubts: a slot of a large by-value structure may be left over from another use of that structure;
// a value that equals the end of a block that is named as well may be that block's end pointer
// rather than the begin of its neighbour.
#include "trace/import_params.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "trace/import_kernel_name.h"

namespace bohr::trace {

namespace {

constexpr uint64_t kLargeParameter = 128;  // bytes; by-value structures above it are doubtful
constexpr uint64_t kLargestImage = 65536;  // CUDA allows half of it
constexpr uint64_t kPointer = sizeof(uint64_t);

// Weaker doubts first.
int strength(Doubt doubt) { return doubt == Doubt::none ? 0 : 1; }

}  // namespace

ParamLayout param_layout(const Function& function, std::string_view mangled_name) {
  ParamLayout layout;
  const size_t count = function.offsets.size();
  if (!function.layout_known || function.sizes.size() != count || count > kLargestImage)
    return layout;
  const std::vector<bool> read_only = read_only_parameters(mangled_name, function.sizes);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t offset = function.offsets[i];
    const uint64_t size = function.sizes[i];
    if (offset > kLargestImage || size > kLargestImage || layout.slots.size() > kLargestImage)
      return ParamLayout();
    layout.bytes = std::max(layout.bytes, static_cast<uint32_t>(offset + size));
    for (uint64_t at = 0; at + kPointer <= size; at += kPointer)
      layout.slots.push_back({static_cast<uint32_t>(offset + at),
                              !read_only.empty() && read_only[i], size > kLargeParameter});
  }
  layout.known = true;
  return layout;
}

void ParamScanner::look_up(const Bytes& image, const ParamLayout::Slot& slot,
                           const MemoryMap& memory, int64_t* stale) {
  uint64_t value = 0;
  std::memcpy(&value, image.data() + slot.offset, sizeof value);
  if (value < memory.lowest()) return;
  const Owner owner = memory.owner(value);
  *stale += owner.stale;
  if (!owner.lifetime.valid()) return;
  const Doubt doubt = owner.doubt != Doubt::none ? owner.doubt
                      : slot.large               ? Doubt::large_struct
                                                 : Doubt::none;
  hits_.push_back({owner.lifetime, value, owner.range, slot.read, doubt});
}

void ParamScanner::doubt_ends() {
  if (hits_.size() < 2) return;
  ends_.clear();
  for (const Hit& hit : hits_) ends_.push_back(hit.range.end);
  std::sort(ends_.begin(), ends_.end());
  for (Hit& hit : hits_)
    if (hit.doubt == Doubt::none && hit.address == hit.range.begin &&
        std::binary_search(ends_.begin(), ends_.end(), hit.address))
      hit.doubt = Doubt::end_of_block;
}

// Equal pointers into one block are one access: the surest of them, and a read only if all are.
void ParamScanner::append(std::vector<Access>* accesses) {
  std::sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
    return std::tuple(a.lifetime, a.address, strength(a.doubt), a.read) <
           std::tuple(b.lifetime, b.address, strength(b.doubt), b.read);
  });
  for (size_t i = 0; i < hits_.size();) {
    const Hit& hit = hits_[i];
    bool read = hit.read;
    for (; i < hits_.size() && hits_[i].lifetime == hit.lifetime && hits_[i].address == hit.address;
         ++i)
      read = read && hits_[i].read;
    Access access;
    access.range = hit.range;
    access.address = hit.address;
    access.lifetime = hit.lifetime;
    access.mode = read ? AccessMode::read : AccessMode::touch;
    access.certainty = Certainty::may;
    access.source = AccessSource::params;
    access.doubt = hit.doubt;
    accesses->push_back(access);
  }
}

bool ParamScanner::scan(const ParamLayout* layout, ParamForm form, const Bytes& image,
                        const MemoryMap& memory, std::vector<Access>* accesses, int64_t* stale) {
  if (form == ParamForm::unreadable) return false;
  const bool known = layout && layout->known;
  if (form == ParamForm::none || image.empty()) return known && layout->bytes == 0;
  hits_.clear();
  if (known) {
    for (const ParamLayout::Slot& slot : layout->slots)
      if (slot.offset + kPointer <= image.size()) look_up(image, slot, memory, stale);
  } else {
    const size_t end = std::min<size_t>(image.size(), kLargestImage);
    for (size_t at = 0; at + kPointer <= end; at += kPointer)
      look_up(image, {static_cast<uint32_t>(at), false, end > kLargeParameter}, memory, stale);
  }
  doubt_ends();
  append(accesses);
  return known && image.size() >= layout->bytes;
}

}  // namespace bohr::trace

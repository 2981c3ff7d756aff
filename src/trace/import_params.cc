// SPDX-License-Identifier: Apache-2.0
// Doubts: a slot of a large by-value structure may be left over from another use of that structure.
// A value that equals the end of a block that is named as well may be that block's end pointer
// rather than the begin of its neighbour, and allocators do put tensors of equal sizes next to each
// other. So it is doubted only where the two could be a pair (begin, end), and not where the same
// slot of the same kernel was given, in any launch of the log, a block to which nothing beside it
// was a begin: what is an end pointer once is one always.
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
constexpr size_t kHitsCompared = 64;
constexpr int kMostPieces = 64;     // that one tensor lies in
constexpr size_t kNeighbours = 16;  // mappings to each side of the one that is pointed into

// Weaker doubts first.
int strength(Doubt doubt) { return doubt == Doubt::none ? 0 : 1; }

}  // namespace

ParamLayout param_layout(const Function& function, std::string_view mangled_name) {
  ParamLayout layout;
  const size_t count = function.offsets.size();
  if (!function.layout_known || function.sizes.size() != count || count > kLargestImage)
    return layout;
  const std::vector<ParameterType> types = parameter_types(mangled_name, function.sizes);
  const int tensors = element_wise_array(mangled_name, function.sizes);
  layout.no_ends = takes_tensor_array(mangled_name);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t offset = function.offsets[i];
    const uint64_t size = function.sizes[i];
    if (offset > kLargestImage || size > kLargestImage || layout.slots.size() > kLargestImage)
      return ParamLayout();
    layout.bytes = std::max(layout.bytes, static_cast<uint32_t>(offset + size));
    ParamLayout::Slot slot;
    slot.read = !types.empty() && types[i].read_only;
    slot.large = size > kLargeParameter;
    if (size > kPointer)
      slot.group = static_cast<uint32_t>(i + 1);
    else if (!types.empty())
      slot.group = types[i].same_as + 1;
    for (uint64_t at = 0; at + kPointer <= size; at += kPointer) {
      slot.offset = static_cast<uint32_t>(offset + at);
      if (static_cast<int>(i) == tensors) slot.read = at > 0;
      layout.slots.push_back(slot);
    }
  }
  layout.known = true;
  return layout;
}

void ParamScanner::look_up(const Bytes& image, const ParamLayout::Slot& slot, uint32_t index,
                           const MemoryMap& memory, int64_t* stale) {
  uint64_t value = 0;
  std::memcpy(&value, image.data() + slot.offset, sizeof value);
  if (value < memory.lowest()) return;
  const Owner owner = memory.owner(value);
  *stale += owner.stale && !slot.large;
  if (!owner.lifetime.valid()) return;
  const Doubt doubt = owner.doubt != Doubt::none ? owner.doubt
                      : slot.large               ? Doubt::large_struct
                                                 : Doubt::none;
  hits_.push_back({owner, value, owner.range, slot.read, doubt, slot.group, index, false});
}

// A tensor may lie in several blocks: a cache that is one to its kernels need not be to its
// allocator.
void ParamScanner::add_described(ByteRange range, const MemoryMap& memory) {
  for (int pieces = 0; range.begin < range.end && pieces < kMostPieces; ++pieces) {
    const Owner owner = memory.owner(range.begin);
    if (!owner.lifetime.valid()) {
      range.begin = memory.next_owned(range.begin);
      continue;
    }
    const ByteRange part = owner.range.intersection(range);
    hits_.push_back({owner, part.begin, part, false, owner.doubt, 0, 0, true});
    range.begin = part.end;
  }
}

void ParamScanner::find_maps(const Bytes& image, const MemoryMap& memory) {
  map_at_.clear();
  if (maps_.maps.empty()) return;
  const size_t end = std::min<size_t>(image.size(), kLargestImage);
  for (size_t at = 0; at + kTensorMapBytes <= end;) {
    const TensorMap* map = tensor_map_at(maps_, image, at);
    if (map == nullptr) {
      at += kPointer;
      continue;
    }
    const uint64_t behind = map->bytes == 0 ? memory.owner(map->address).range.end
                                            : map->address + std::min(map->bytes, ~map->address);
    add_described({map->address, behind}, memory);
    map_at_.push_back(at);
    at += kTensorMapBytes;
  }
}

bool ParamScanner::in_map(uint32_t offset) const {
  const auto after = std::upper_bound(map_at_.begin(), map_at_.end(), size_t{offset});
  return after != map_at_.begin() && offset < *std::prev(after) + kTensorMapBytes;
}

void ParamScanner::doubt_ends(ParamLayout* layout) {
  if (hits_.size() > kHitsCompared) return;  // a structure so large that all of it is doubted
  for (Hit& hit : hits_) {
    if (hit.described) continue;
    bool end = false;
    bool alone = true;
    for (const Hit& other : hits_) {
      if (other.described || other.group != hit.group || &other == &hit) continue;
      end = end || other.owner.range.end == hit.address;
      alone = alone && other.owner.lifetime != hit.owner.lifetime;
    }
    if (!end && alone && layout) layout->slots[hit.slot].begins = true;
    const bool cleared = layout && (layout->no_ends || layout->slots[hit.slot].begins);
    if (end && !cleared && hit.doubt == Doubt::none) hit.doubt = Doubt::end_of_block;
  }
}

void ParamScanner::add_neighbours(const MemoryMap& memory) {
  all_neighbours_ = true;
  const size_t named = hits_.size();
  for (size_t i = 0; i < named; ++i) {
    if (hits_[i].described) continue;  // it says how far it reaches
    neighbours_.clear();
    all_neighbours_ =
        memory.neighbours(hits_[i].owner, kNeighbours, &neighbours_) && all_neighbours_;
    for (const Owner& neighbour : neighbours_) {
      Hit hit = hits_[i];
      hit.owner = neighbour;
      hit.range = neighbour.range;
      hit.address = neighbour.range.begin;
      hit.doubt = Doubt::unknown_extent;
      hits_.push_back(hit);
    }
  }
}

// Equal pointers into one block are one access: the surest of them, the one that reaches farthest,
// and a read only if all are.
void ParamScanner::append(const MemoryMap& memory, std::vector<Access>* accesses) {
  std::sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
    return std::tuple(a.owner.lifetime, a.address, strength(a.doubt), b.range.size(), a.read) <
           std::tuple(b.owner.lifetime, b.address, strength(b.doubt), a.range.size(), b.read);
  });
  for (size_t i = 0; i < hits_.size();) {
    const Hit& hit = hits_[i];
    bool read = hit.read;
    for (; i < hits_.size() && hits_[i].owner.lifetime == hit.owner.lifetime &&
           hits_[i].address == hit.address;
         ++i)
      read = read && hits_[i].read;
    Access access;
    access.range = hit.range;
    access.address = hit.address;
    access.lifetime = hit.owner.lifetime;
    access.mode = read ? AccessMode::read : AccessMode::touch;
    access.certainty = Certainty::may;
    access.source = AccessSource::params;
    access.doubt = hit.doubt;
    const size_t first = accesses->size();
    memory.append(access, hit.owner, accesses);
    if (hit.doubt == Doubt::end_of_block)
      for (size_t one = first; one < accesses->size(); ++one)
        doubted_.push_back({static_cast<uint32_t>(one), hit.slot});
  }
}

bool ParamScanner::scan(ParamLayout* layout, ParamForm form, const Bytes& image,
                        const MemoryMap& memory, std::vector<Access>* accesses, int64_t* stale) {
  hits_.clear();
  doubted_.clear();
  if (form == ParamForm::unreadable) return false;
  const bool known = layout && layout->known;
  if (form == ParamForm::none || image.empty()) return known && layout->bytes == 0;
  find_maps(image, memory);
  if (known) {
    for (uint32_t i = 0; i < layout->slots.size(); ++i)
      if (layout->slots[i].offset + kPointer <= image.size() && !in_map(layout->slots[i].offset))
        look_up(image, layout->slots[i], i, memory, stale);
  } else {
    const size_t end = std::min<size_t>(image.size(), kLargestImage);
    ParamLayout::Slot slot;
    slot.large = end > kLargeParameter;
    for (; slot.offset + kPointer <= end; slot.offset += kPointer)
      if (!in_map(slot.offset)) look_up(image, slot, 0, memory, stale);
  }
  doubt_ends(known ? layout : nullptr);
  add_neighbours(memory);
  append(memory, accesses);
  return known && image.size() >= layout->bytes;
}

}  // namespace bohr::trace

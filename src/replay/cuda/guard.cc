// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/guard.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace bohr::replay::cuda {

namespace {

constexpr uint64_t kAlign = 16;                      // what bohr_compare wants
constexpr uint64_t kSmall = uint64_t{64} << 20;      // saved whole in any case
constexpr uint64_t kMostPinned = uint64_t{1} << 30;  // of host memory, rather than page by page
constexpr std::chrono::milliseconds kQuiet{5};       // in which others' writes would show
constexpr uint64_t kMostLookedAt = uint64_t{256} << 20;

struct Backing {
  ByteRange range;  // empty: the driver does not know the address
};

Backing backing_of(const Driver& driver, uint64_t address) {
  CUdeviceptr begin = 0;
  size_t size = 0;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                      CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* values[] = {&begin, &size};
  if (driver.cuPointerGetAttributes(2, attributes, values, address) != CUDA_SUCCESS) return {};
  return {{begin, begin + size}};
}

// The allocations behind a range: one, or several where it spans neighbouring mappings. What a
// program names and the driver does not know was freed, or never was memory of the device.
void add_backing(const Driver& driver, const ByteRange& named, std::vector<ByteRange>* ranges) {
  for (uint64_t at = named.begin; at < named.end;) {
    const Backing backing = backing_of(driver, at);
    if (backing.range.empty() || backing.range.end <= at) return;
    ranges->push_back(backing.range);
    at = backing.range.end;
  }
}

Error too_little(const Driver& driver, uint64_t bytes) {
  size_t free = 0, total = 0;
  driver.cuMemGetInfo_v2(&free, &total);
  const uint64_t missing = bytes > free ? bytes - free : bytes;
  return {"explore-memory", "", "",
          "what a replay may write cannot be saved: " + std::to_string(bytes) +
              " bytes, of which " + std::to_string(missing) +
              " find no place, neither on the device nor in pinned host memory",
          "explore a smaller graph, or leave more memory free"};
}

// The parts of a changed page, shifted to addresses; runs of set bits.
void append_runs(const Span& span, const ChangedPage& page, std::vector<ByteRange>* runs) {
  const uint64_t base = span.begin + page.page * kPage;
  for (uint64_t word = 0; word < kPage / 4; ++word) {
    if (!(page.words[word / 32] >> (word % 32) & 1)) continue;
    const uint64_t at = base + word * 4;
    const uint64_t end = std::min(at + 4, span.begin + span.size);
    if (!runs->empty() && runs->back().end == at)
      runs->back().end = end;
    else
      runs->push_back({at, end});
  }
}

std::vector<ByteRange> runs_of(std::span<const Span> spans, std::vector<ChangedPage> pages) {
  std::sort(pages.begin(), pages.end(), [](const ChangedPage& a, const ChangedPage& b) {
    return std::pair(a.span, a.page) < std::pair(b.span, b.page);
  });
  std::vector<ByteRange> runs;
  for (const ChangedPage& page : pages) append_runs(spans[page.span], page, &runs);
  return runs;
}

}  // namespace

bool is_known(const Driver& driver, const ByteRange& range) {
  std::vector<ByteRange> backing;
  add_backing(driver, range, &backing);
  return !backing.empty() && backing.back().end >= range.end;
}

bool is_of_this_device(const Driver& driver, const ByteRange& range) {
  CUdevice device = 0;
  if (driver.cuCtxGetDevice(&device) != CUDA_SUCCESS) return false;
  std::vector<ByteRange> backing;
  add_backing(driver, range, &backing);
  return std::all_of(backing.begin(), backing.end(), [&](const ByteRange& one) {
    CUmemorytype type = CU_MEMORYTYPE_DEVICE;
    int ordinal = -1;
    CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void* values[] = {&type, &ordinal};
    if (driver.cuPointerGetAttributes(2, attributes, values, one.begin) != CUDA_SUCCESS)
      return false;
    return type == CU_MEMORYTYPE_HOST || ordinal == device;
  });
}

bool fits_twice(const Driver& driver, std::span<const ByteRange> ranges) {
  uint64_t bytes = 0;
  for (const ByteRange& range : ranges) bytes += range.size();
  size_t free = 0, total = 0;
  driver.cuMemGetInfo_v2(&free, &total);
  return 2 * bytes <= free / 16 * 15 || bytes <= kMostPinned;
}

Allocations allocations_of(const Driver& driver, std::span<const ByteRange> named) {
  std::vector<ByteRange> all;
  for (const ByteRange& range : merged({named.begin(), named.end()}))
    add_backing(driver, range, &all);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const bool fits = fits_twice(driver, all);
  Allocations allocations;
  for (const ByteRange& range : all)
    (fits || range.size() <= kSmall ? allocations.whole : allocations.large).push_back(range);
  return allocations;
}

Result<std::unique_ptr<Guard>> Guard::of(Device* device, std::vector<ByteRange> ranges) {
  auto guard = std::unique_ptr<Guard>(new Guard(device));
  guard->ranges_ = std::move(ranges);
  std::vector<Span> spans = laid_out(guard->ranges_, kAlign);
  if (!spans.empty()) guard->extent_ = spans.back().offset + spans.back().size;
  BOHR_TRY(list, device->upload(std::move(spans)));
  guard->list_ = std::move(list);
  guard->saved_ = Buffer::of(device->driver(), guard->extent_, true);
  if (!guard->saved_) return too_little(device->driver(), guard->extent_);
  return guard;
}

std::vector<ByteRange> Guard::pieces(const ByteRange& range) const {
  std::vector<ByteRange> pieces;
  auto guarded =
      std::upper_bound(ranges_.begin(), ranges_.end(), range.begin,
                       [](uint64_t begin, const ByteRange& other) { return begin < other.begin; });
  if (guarded != ranges_.begin()) --guarded;
  for (; guarded != ranges_.end() && guarded->begin < range.end; ++guarded)
    if (guarded->overlaps(range)) pieces.push_back(guarded->intersection(range));
  return pieces;
}

const Span& Guard::span_at(uint64_t address) const {
  return *std::prev(
      std::upper_bound(list_.spans.begin(), list_.spans.end(), address,
                       [](uint64_t at, const Span& other) { return at < other.begin; }));
}

uint64_t Guard::saved_offset(uint64_t address) const {
  const Span& span = span_at(address);
  return span.offset + address - span.begin;
}

bool Guard::contains(const ByteRange& range) const {
  uint64_t covered = 0;
  for (const ByteRange& piece : pieces(range)) covered += piece.size();
  return covered == range.size();
}

Status Guard::put(const ByteRange& range, const uint8_t* from) {
  for (const ByteRange& piece : pieces(range))
    BOHR_TRY_STATUS(
        device_->copy_from_host(piece.begin, from + (piece.begin - range.begin), piece.size()));
  return Nothing{};
}

Status Guard::get(const ByteRange& range, uint8_t* to) {
  for (const ByteRange& piece : pieces(range))
    BOHR_TRY_STATUS(
        device_->copy_to_host(to + (piece.begin - range.begin), piece.begin, piece.size()));
  return Nothing{};
}

Status Guard::clear(const ByteRange& range) {
  for (const ByteRange& piece : pieces(range))
    BOHR_TRY_STATUS(device_->clear(piece.begin, piece.size()));
  return Nothing{};
}

Result<bool> Guard::holds_addresses(const ByteRange& range) {
  for (const ByteRange& piece : pieces(range)) {
    if (piece.size() > kMostLookedAt) return true;
    std::vector<uint64_t> words(piece.size() / sizeof(uint64_t));
    if (words.empty()) continue;
    BOHR_TRY_STATUS(
        device_->copy_to_host(words.data(), piece.begin, words.size() * sizeof(uint64_t)));
    for (const uint64_t word : words)
      if (word != 0 && contains({word, word + 1})) return true;
  }
  return false;
}

Status Guard::save() {
  BOHR_TRY_STATUS(device_->copy_out(list_, saved_));
  return device_->wait();
}

Status Guard::restore_all() { return device_->copy_back(list_, saved_); }

Status Guard::restore() {
  return noted_.empty() ? restore_all() : device_->copy_back(written_, saved_);
}

Result<SpanList> Guard::list_of(std::span<const ByteRange> ranges) {
  std::vector<Span> spans;
  uint64_t pages = 0;
  for (const ByteRange& range : ranges) {
    const uint64_t offset = saved_offset(range.begin);
    spans.push_back({range.begin, range.size(), offset, pages});
    pages += (range.size() + kPage - 1) / kPage;
  }
  return device_->upload(std::move(spans));
}

Status Guard::note_written(std::span<const ByteRange> ranges) {
  for (const ByteRange& range : ranges) {
    for (const ByteRange& piece : pieces(range)) {
      const Span& span = span_at(piece.begin);
      const auto rounded = [&](uint64_t at) { return at / kPage * kPage; };
      const uint64_t begin = span.begin + rounded(piece.begin - span.begin);
      const uint64_t end = span.begin + rounded(piece.end - span.begin + kPage - 1);
      noted_.push_back({begin, std::min(end, span.begin + span.size)});
    }
  }
  noted_ = merged(std::move(noted_));
  std::vector<ByteRange> written;
  for (const ByteRange& range : noted_) {
    const std::vector<ByteRange> parts = pieces(range);
    written.insert(written.end(), parts.begin(), parts.end());
  }
  BOHR_TRY(list, list_of(written));
  written_ = std::move(list);
  BOHR_TRY(rest, list_of(without(ranges_, noted_)));
  rest_ = std::move(rest);
  BOHR_TRY(digest, digest_of(rest_));
  rest_digest_ = digest;
  return Nothing{};
}

bool Guard::is_noted(const ByteRange& range) const { return without({&range, 1}, noted_).empty(); }

Result<bool> Guard::rest_is_saved() {
  BOHR_TRY(digest, digest_of(rest_));
  return digest == rest_digest_;
}

Result<bool> Guard::changes_by_itself() {
  BOHR_TRY(before, digest());
  std::this_thread::sleep_for(kQuiet);
  BOHR_TRY(after, digest());
  return before != after;
}

Status Guard::keep_own() {
  if (!own_) own_ = Buffer::of(device_->driver(), extent_, true);
  if (!own_) return too_little(device_->driver(), extent_);
  BOHR_TRY_STATUS(device_->copy_out(list_, own_));
  return device_->wait();
}

Status Guard::put_back_own() { return device_->copy_back(list_, own_); }

bool Guard::still_there() const {
  return std::all_of(ranges_.begin(), ranges_.end(),
                     [&](const ByteRange& range) { return is_known(device_->driver(), range); });
}

Result<uint64_t> Guard::digest() { return digest_of(list_); }

Result<uint64_t> Guard::digest_of(const SpanList& list) {
  const SpanSlice all = whole(list);
  BOHR_TRY(digests, device_->digests_of(list, {&all, 1}));
  return digests.front();
}

Result<std::vector<uint64_t>> Guard::digests(std::span<const ByteRange> ranges) {
  std::vector<Span> spans;
  std::vector<SpanSlice> slices;
  for (const ByteRange& range : ranges) {
    slices.push_back({spans.size(), 1, range.size()});
    spans.push_back({range.begin, range.size(), 0, 0});
  }
  BOHR_TRY(list, device_->upload(std::move(spans)));
  return device_->digests_of(list, slices);
}

Status Guard::watch() {
  if (!shadow_) shadow_ = Buffer::of(device_->driver(), extent_, true);
  if (!shadow_) return too_little(device_->driver(), extent_);
  BOHR_TRY_STATUS(device_->copy_out(list_, shadow_));
  return device_->wait();
}

Result<std::vector<ByteRange>> Guard::changes() {
  BOHR_TRY(pages, device_->compare(list_, whole(list_), shadow_));
  return runs_of(list_.spans, std::move(pages));
}

Status Guard::put_back_watched(const ByteRange& range) {
  for (const ByteRange& piece : pieces(range)) {
    const auto span = std::prev(
        std::upper_bound(list_.spans.begin(), list_.spans.end(), piece.begin,
                         [](uint64_t begin, const Span& other) { return begin < other.begin; }));
    const uint64_t offset = span->offset + piece.begin - span->begin;
    BOHR_TRY_STATUS(device_->copy(piece.begin, shadow_.address() + offset, piece.size()));
  }
  return Nothing{};
}

std::vector<ByteRange> Guard::comparable(const std::vector<ByteRange>& ranges) {
  std::vector<ByteRange> result;
  for (const ByteRange& range : ranges) {
    const uint64_t begin = (range.begin + kAlign - 1) / kAlign * kAlign;
    if (begin < range.end) result.push_back({begin, range.end});
  }
  return result;
}

Result<Guard::ZeroLists> Guard::zero_lists(const std::vector<std::vector<ByteRange>>& ranges) {
  std::vector<Span> all;
  ZeroLists lists;
  uint64_t longest = 0;
  for (const std::vector<ByteRange>& list : ranges) {
    const std::vector<Span> spans = laid_out(list, kAlign);
    lists.slices.push_back({all.size(), spans.size(), 0});
    all.insert(all.end(), spans.begin(), spans.end());
    if (!spans.empty()) longest = std::max(longest, spans.back().offset + spans.back().size);
  }
  BOHR_TRY(uploaded, device_->upload(std::move(all)));
  lists.spans = std::move(uploaded);
  lists.zeros = Buffer::of(device_->driver(), longest, true);
  if (!lists.zeros) return too_little(device_->driver(), longest);
  BOHR_TRY_STATUS(device_->clear(lists.zeros.address(), longest));
  return lists;
}

Result<std::vector<ByteRange>> Guard::not_zero(const ZeroLists& lists, size_t list) {
  const SpanSlice& slice = lists.slices[list];
  BOHR_TRY(pages, device_->compare(lists.spans, slice, lists.zeros));
  const std::span spans(lists.spans.spans.data() + slice.first, slice.count);
  if (!pages.empty())
    BOHR_TRY_STATUS(device_->clear(lists.zeros.address(), spans.back().offset + spans.back().size));
  return runs_of(spans, std::move(pages));
}

}  // namespace bohr::replay::cuda

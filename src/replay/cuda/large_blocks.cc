// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/large_blocks.h"

#include <algorithm>

#include "replay/cuda/guard.h"

namespace bohr::replay::cuda {

ByteRange pages_around(const ByteRange& range, const ByteRange& block) {
  const uint64_t begin = (range.begin - block.begin) / kPage * kPage;
  const uint64_t end = (range.end - block.begin + kPage - 1) / kPage * kPage;
  return {block.begin + begin, std::min(block.begin + end, block.end)};
}

std::vector<ByteRange> cut_at_blocks(std::span<const ByteRange> pages,
                                     std::span<const ByteRange> blocks) {
  std::vector<ByteRange> cut;
  for (const ByteRange& page : pages)
    for (const ByteRange& block : blocks)
      if (page.overlaps(block)) cut.push_back(page.intersection(block));
  std::sort(cut.begin(), cut.end());
  return cut;
}

Result<LargeBlocks> LargeBlocks::of(Device* device, std::vector<ByteRange> blocks) {
  LargeBlocks large;
  large.device_ = device;
  large.blocks_ = std::move(blocks);
  if (large.empty()) return large;
  BOHR_TRY(list, device->upload(laid_out(large.blocks_)));
  large.list_ = std::move(list);
  const uint64_t bytes = large.list_.pages * sizeof(uint64_t);
  large.before_ = Buffer::of(device->driver(), bytes, true);
  large.now_ = Buffer::of(device->driver(), bytes, true);
  if (!large.before_ || !large.now_) {
    return Error{
        "explore-memory", "", "",
        "no memory for the digests of large blocks: " + std::to_string(2 * bytes) + " bytes",
        "leave more memory free"};
  }
  BOHR_TRY_STATUS(large.settle());
  return large;
}

bool LargeBlocks::still_there() const {
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [&](const ByteRange& block) { return is_known(device_->driver(), block); });
}

Status LargeBlocks::settle() {
  if (empty()) return Nothing{};
  BOHR_TRY_STATUS(device_->page_digests(list_, before_));
  return device_->wait();
}

Result<std::vector<ByteRange>> LargeBlocks::changed() {
  std::vector<ByteRange> ranges;
  if (empty()) return ranges;
  BOHR_TRY_STATUS(device_->page_digests(list_, now_));
  BOHR_TRY(pages, device_->differences(before_, now_));
  for (const uint64_t page : pages) {
    const auto after = std::upper_bound(
        list_.spans.begin(), list_.spans.end(), page,
        [](uint64_t wanted, const Span& span) { return wanted < span.first_page; });
    const Span& span = *std::prev(after);
    const uint64_t begin = span.begin + (page - span.first_page) * kPage;
    ranges.push_back({begin, std::min(begin + kPage, span.begin + span.size)});
  }
  return merged(std::move(ranges));
}

}  // namespace bohr::replay::cuda

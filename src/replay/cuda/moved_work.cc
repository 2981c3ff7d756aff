// SPDX-License-Identifier: Apache-2.0
// A pointer stands at a multiple of its size in a kernel's parameters, so each aligned word that is
// an address of the old place is taken for one.
#include "replay/cuda/moved_work.h"

#include <cstring>

namespace bohr::replay::cuda {

namespace {

constexpr uint64_t kAlignment = 512;  // as allocations of the driver have

struct Shift {
  ByteRange from;
  uint64_t to = 0;
  uint64_t of(uint64_t address) const {
    const bool inside = from.begin <= address && address < from.end;
    return inside ? to + (address - from.begin) : address;
  }
  void apply(CUdeviceptr* address) const { *address = of(*address); }
  template <class Pointee>
  void apply(Pointee** pointer) const {
    *pointer = reinterpret_cast<Pointee*>(of(reinterpret_cast<uint64_t>(*pointer)));
  }
};

void rewrite(const Shift& shift, std::vector<uint8_t>* image) {
  for (size_t at = 0; at + sizeof(uint64_t) <= image->size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, image->data() + at, sizeof word);
    word = shift.of(word);
    std::memcpy(image->data() + at, &word, sizeof word);
  }
}

Error refused(const ByteRange& block, std::string why) {
  return {"replay-moved", address_text(block), "", std::move(why),
          "give it other memory in the program itself"};
}

Status rewrite(const Shift& shift, NodeWork* work) {
  switch (work->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      rewrite(shift, &work->kernel.image);
      return Nothing{};
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      shift.apply(&work->copy.srcDevice);
      shift.apply(&work->copy.dstDevice);
      shift.apply(&work->copy.srcHost);
      shift.apply(&work->copy.dstHost);
      return Nothing{};
    case CU_GRAPH_NODE_TYPE_MEMSET:
      shift.apply(&work->set.dst);
      return Nothing{};
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return Nothing{};
    default:
      return refused(shift.from, "a node that is no kernel, copy or set uses it");
  }
}

}  // namespace

Result<std::unique_ptr<MovedWork>> MovedWork::of(Device* device, const GraphWork& work,
                                                 std::span<const int32_t> nodes,
                                                 std::span<const Move> moves) {
  auto moved = std::unique_ptr<MovedWork>(new MovedWork(device));
  moved->work_ = work;
  moved->moves_.assign(moves.begin(), moves.end());
  for (const Move& move : moves) {
    Buffer buffer = Buffer::of(device->driver(), move.from.size() + 2 * kAlignment, false);
    if (!buffer) return refused(move.from, "there is no other memory for it");
    const uint64_t aligned = (buffer.address() + kAlignment - 1) / kAlignment * kAlignment;
    const uint64_t begin = aligned + move.from.begin % kAlignment;
    const Shift shift{move.from, begin};
    for (const int32_t step : move.steps)
      BOHR_TRY_STATUS(rewrite(
          shift, &moved->work_.nodes[static_cast<size_t>(nodes[static_cast<size_t>(step)])]));
    moved->buffers_.push_back(std::move(buffer));
    moved->begins_.push_back(begin);
  }
  return moved;
}

Status MovedWork::fill() {
  for (size_t i = 0; i < moves_.size(); ++i)
    BOHR_TRY_STATUS(device_.copy(begins_[i], moves_[i].from.begin, moves_[i].from.size()));
  return Nothing{};
}

std::optional<ByteRange> MovedWork::real(const ByteRange& range) const {
  for (size_t i = 0; i < moves_.size(); ++i) {
    const ByteRange there{moves_[i].to, moves_[i].to + moves_[i].from.size()};
    if (!there.contains(range)) continue;
    const uint64_t begin = begins_[i] + (range.begin - there.begin);
    return ByteRange{begin, begin + range.size()};
  }
  return std::nullopt;
}

}  // namespace bohr::replay::cuda

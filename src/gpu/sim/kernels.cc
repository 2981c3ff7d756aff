// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/kernels.h"

#include <algorithm>

#include "gpu/access.h"
#include "gpu/sim/mix.h"

namespace bohr::gpu::sim {

namespace {

uint32_t hashed(uint64_t tag, uint64_t value) { return static_cast<uint32_t>(mix(tag, {value})); }

// The part of a buffer that a block takes.
struct Slice {
  Slice(const Block& block, uint64_t address, uint64_t count) {
    const uint64_t begin = std::min(uint64_t{block.index()} * kWordsPerBlock, count);
    first = address + begin * sizeof(uint32_t);
    words = std::min<uint64_t>(kWordsPerBlock, count - begin);
  }
  uint64_t first = 0;
  uint64_t words = 0;
};

ReadView<uint32_t> read(Block& block, uint64_t address, uint64_t count) {
  const Slice slice(block, address, count);
  return block.read<uint32_t>(slice.first, slice.words);
}
WriteView<uint32_t> write(Block& block, uint64_t address, uint64_t count) {
  const Slice slice(block, address, count);
  return block.write<uint32_t>(slice.first, slice.words);
}

KernelLaunch launch_of(const std::string& name, void (*body)(Block&), uint64_t words,
                       Params params) {
  KernelLaunch launch;
  launch.kernel = {name, body};
  launch.blocks =
      std::max<uint32_t>(1, static_cast<uint32_t>((words + kWordsPerBlock - 1) / kWordsPerBlock));
  launch.params = std::move(params);
  return launch;
}

Access reads(Words words) { return {words.address, words.bytes(), Mode::read}; }
Access writes(Words words) { return {words.address, words.bytes(), Mode::write}; }

// Parameters: tag, count, out, then the inputs.
template <size_t inputs>
void hash_body(Block& block) {
  const uint64_t count = block.param<uint64_t>(1);
  const auto out = write(block, block.param<uint64_t>(2), count);
  std::vector<ReadView<uint32_t>> in;
  for (size_t i = 0; i < inputs; ++i)
    in.push_back(read(block, block.param<uint64_t>(3 + i), count));
  for (uint64_t word = 0; word < out.size(); ++word) {
    uint32_t value = block.param<uint32_t>(0);
    for (const auto& view : in) value = hashed(value, view.get(word));
    out.put(word, value);
  }
}

constexpr void (*kHashBodies[])(Block&) = {hash_body<0>, hash_body<1>, hash_body<2>, hash_body<3>,
                                           hash_body<4>};

// Parameters: tag, count, out, in, early input. The early part keeps a digest of its block's words.
void overlapping_early(Block& block) {
  const auto in = read(block, block.param<uint64_t>(4), block.param<uint64_t>(1));
  uint64_t digest = 0;
  for (uint64_t word = 0; word < in.size(); ++word) digest = mix(digest, {in.get(word)});
  block.registers()[0] = digest;
}
void overlapping_rest(Block& block) {
  const uint64_t count = block.param<uint64_t>(1);
  const auto in = read(block, block.param<uint64_t>(3), count);
  const auto out = write(block, block.param<uint64_t>(2), count);
  for (uint64_t word = 0; word < out.size(); ++word)
    out.put(word, hashed(block.param<uint32_t>(0) + block.registers()[0], in.get(word)));
}

void add_body(Block& block) {
  const uint64_t count = block.param<uint64_t>(3);
  const auto a = read(block, block.param<uint64_t>(0), count);
  const auto b = read(block, block.param<uint64_t>(1), count);
  const auto out = write(block, block.param<uint64_t>(2), count);
  for (uint64_t word = 0; word < out.size(); ++word) out.put(word, a.get(word) + b.get(word));
}

void scale_body(Block& block) {
  const Slice slice(block, block.param<uint64_t>(0), block.param<uint64_t>(1));
  const auto data = block.update<uint32_t>(slice.first, slice.words);
  for (uint64_t word = 0; word < data.size(); ++word)
    data.put(word, data.get(word) * block.param<uint32_t>(2));
}

void gather_body(Block& block) {
  const uint64_t entries = block.param<uint64_t>(1);
  const uint64_t count = block.param<uint64_t>(4);
  const auto table = block.read<uint32_t>(block.param<uint64_t>(0), entries);
  const auto index = read(block, block.param<uint64_t>(2), count);
  const auto out = write(block, block.param<uint64_t>(3), count);
  for (uint64_t word = 0; word < out.size(); ++word)
    out.put(word, table.get(index.get(word) % entries));
}

void sum_body(Block& block) {
  const auto in = read(block, block.param<uint64_t>(0), block.param<uint64_t>(2));
  const auto sum = block.atomic<uint32_t>(block.param<uint64_t>(1));
  for (uint64_t word = 0; word < in.size(); ++word) sum.add(0, in.get(word));
}

void stamp_body(Block& block) {
  const uint64_t count = block.param<uint64_t>(2);
  const auto in = read(block, block.param<uint64_t>(0), count);
  const auto out = write(block, block.param<uint64_t>(1), count);
  for (uint64_t word = 0; word < out.size(); ++word)
    out.put(word, hashed(block.clock(), in.get(word)));
}

}  // namespace

KernelLaunch hash_words(const std::string& name, uint32_t tag, const std::vector<Words>& in,
                        Words out) {
  BOHR_CHECK(in.size() < std::size(kHashBodies));
  Params params = pack(tag, out.count, out.address);
  for (const Words& words : in) params.add(words.address);
  KernelLaunch launch = launch_of(name, kHashBodies[in.size()], out.count, params);
  for (const Words& words : in) {
    BOHR_CHECK(words.count >= out.count);
    launch.accesses.push_back(reads({words.address, out.count}));
  }
  launch.accesses.push_back(writes(out));
  return launch;
}

KernelLaunch hash_words_overlapping(const std::string& name, uint32_t tag, Words early_in, Words in,
                                    Words out) {
  BOHR_CHECK(early_in.count == out.count && in.count == out.count);
  KernelLaunch launch = launch_of(name, overlapping_rest, out.count,
                                  pack(tag, out.count, out.address, in.address, early_in.address));
  launch.kernel.early = overlapping_early;
  launch.programmatic = true;
  Access early = reads(early_in);
  early.early = true;
  launch.accesses = {early, reads(in), writes(out)};
  return launch;
}

KernelLaunch add_words(const std::string& name, Words a, Words b, Words out) {
  BOHR_CHECK(a.count == out.count && b.count == out.count);
  KernelLaunch launch =
      launch_of(name, add_body, out.count, pack(a.address, b.address, out.address, out.count));
  launch.accesses = {reads(a), reads(b), writes(out)};
  return launch;
}

KernelLaunch scale_words(const std::string& name, Words data, uint32_t factor) {
  KernelLaunch launch =
      launch_of(name, scale_body, data.count, pack(data.address, data.count, factor));
  launch.accesses = {{data.address, data.bytes(), Mode::update}};
  return launch;
}

KernelLaunch gather_words(const std::string& name, Words table, Words index, Words out) {
  BOHR_CHECK(index.count == out.count);
  KernelLaunch launch =
      launch_of(name, gather_body, out.count,
                pack(table.address, table.count, index.address, out.address, out.count));
  launch.accesses = {reads(table), reads(index), writes(out)};
  return launch;
}

KernelLaunch sum_words(const std::string& name, Words in, Words sum) {
  KernelLaunch launch =
      launch_of(name, sum_body, in.count, pack(in.address, sum.address, in.count));
  launch.accesses = {reads(in), {sum.address, sizeof(uint32_t), Mode::atomic}};
  return launch;
}

KernelLaunch stamp_words(const std::string& name, Words in, Words out) {
  BOHR_CHECK(in.count == out.count);
  KernelLaunch launch =
      launch_of(name, stamp_body, out.count, pack(in.address, out.address, out.count));
  launch.accesses = {reads(in), writes(out)};
  return launch;
}

}  // namespace bohr::gpu::sim

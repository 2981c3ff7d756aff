// SPDX-License-Identifier: Apache-2.0
// Random programs tie three things together that know nothing of one another: what the checker
// calls free of hazards ends with the same bytes whatever the timing, as it does in issue order.
// That also shows that virtual time keeps to the order that a program asked for.
#include <gtest/gtest.h>

#include <random>

#include "gpu/sim/serial.h"
#include "sim_fixture.h"

namespace bohr::gpu::sim {
namespace {

constexpr uint64_t kWords = 2 * kWordsPerBlock;

// Issues random work; buffers live throughout, and temporaries come and go with their stream.
class Author {
 public:
  Author(Runtime& gpu, uint64_t seed) : gpu_(gpu), random_(seed) {}

  Status write(std::vector<Words>* buffers) {
    const StreamKind kinds[] = {StreamKind::nonblocking, StreamKind::blocking, StreamKind::legacy};
    const bool mixed = below(3) == 0;
    for (int i = 0; i < 3; ++i)
      streams_.push_back(gpu_.make_stream({.kind = mixed ? kinds[i] : StreamKind::nonblocking}));
    for (int i = 0; i < 4; ++i) {
      BOHR_TRY(words, device_words(gpu_, streams_[0], kWords, "b" + std::to_string(i)));
      buffers_.push_back(words);
      events_.push_back(gpu_.make_event());
    }
    BOHR_TRY(sum, device_words(gpu_, streams_[0], 1, "sum"));
    sum_ = sum;
    *buffers = buffers_;
    buffers->push_back(sum);
    careful_ = below(3) != 0;
    const int length = 4 + below(12);
    for (int i = 0; i < length; ++i) BOHR_TRY_STATUS(act());
    return gpu_.sync_device();
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  Stream stream() { return streams_[static_cast<size_t>(below(3))]; }
  Words buffer() { return buffers_[static_cast<size_t>(below(4))]; }

  Status kernel(Stream on) {
    const std::string name = "k" + std::to_string(++kernels_);
    switch (below(6)) {
      case 0:
        return gpu_.launch(sum_words(name, buffer(), sum_), on);
      case 1:
        return gpu_.launch(scale_words(name, buffer(), 3), on);
      case 2:
        return gpu_.launch(hash_words_overlapping(name, 1, buffer(), buffer(), buffer()), on);
      default:
        return gpu_.launch(hash_words(name, 5, {buffer(), buffer()}, buffer()), on);
    }
  }

  // Orders `later` behind `earlier`.
  Status order(Stream earlier, Stream later) {
    const Event event = events_[static_cast<size_t>(below(4))];
    BOHR_TRY_STATUS(gpu_.record(event, earlier));
    return gpu_.wait(later, event);
  }

  // Each stream behind all others.
  Status order_all() {
    Stream previous = streams_[2];
    for (const Stream later : {streams_[0], streams_[1], streams_[2], streams_[0], streams_[1]}) {
      BOHR_TRY_STATUS(order(previous, later));
      previous = later;
    }
    return Nothing{};
  }

  // A temporary that another stream uses: named to the allocator, waited for, or neither.
  Status temporary() {
    const Stream own = stream();
    const Stream other = stream();
    BOHR_TRY(words, device_words(gpu_, own, kWords, "t"));
    BOHR_TRY_STATUS(gpu_.launch(hash_words("make", 7, {buffer()}, words), own));
    BOHR_TRY_STATUS(order(own, other));
    BOHR_TRY_STATUS(gpu_.launch(hash_words("take", 8, {words}, buffer()), other));
    const int way = below(3);
    if (way == 0) BOHR_TRY_STATUS(gpu_.use_on(words.address, other));
    if (way == 1) BOHR_TRY_STATUS(order(other, own));
    return gpu_.free(words.address);
  }

  Status capture() {
    const Stream main = streams_[1];
    const Stream side = streams_[0];
    if (below(2) == 0) BOHR_TRY_STATUS(gpu_.sync_device());
    BOHR_TRY_STATUS(gpu_.begin_capture(main, Pool(), "g" + std::to_string(++graphs_)));
    BOHR_TRY_STATUS(kernel(main));
    BOHR_TRY_STATUS(order(main, side));
    for (int i = below(4); i > 0; --i) BOHR_TRY_STATUS(kernel(below(2) == 0 ? main : side));
    if (below(3) == 0) BOHR_TRY_STATUS(order(main, side));
    BOHR_TRY_STATUS(kernel(side));
    BOHR_TRY_STATUS(order(side, main));
    BOHR_TRY_STATUS(kernel(main));
    BOHR_TRY(graph, gpu_.end_capture(main));
    BOHR_TRY(exec, gpu_.instantiate(graph));
    for (int i = 1 + below(2); i > 0; --i) BOHR_TRY_STATUS(gpu_.launch(exec, stream()));
    return Nothing{};
  }

  Status act() {
    if (careful_ && below(20) != 0) BOHR_TRY_STATUS(order_all());
    if (below(2) == 0) BOHR_TRY_STATUS(order(stream(), stream()));
    switch (below(12)) {
      case 0:
        return capture();
      case 1:
      case 2:
        return temporary();
      case 3:
        return gpu_.sync_stream(stream());
      default:
        return kernel(stream());
    }
  }

  Runtime& gpu_;
  std::mt19937_64 random_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<Words> buffers_;
  Words sum_;
  bool careful_ = false;
  int kernels_ = 0;
  int graphs_ = 0;
};

using Bytes = std::vector<std::vector<uint32_t>>;

Bytes all_words(const Ran& ran, const std::vector<Words>& buffers) {
  Bytes all;
  for (const Words& buffer : buffers) all.push_back(ran.words(buffer));
  return all;
}

// Kernels of very different lengths, so that whoever may be late often is.
Timing uneven(uint64_t seed) {
  std::mt19937_64 random(seed);
  Timing timing;
  timing.resident_blocks = 1 + static_cast<uint32_t>(random() % 8);
  timing.call_jitter = 0.9;
  for (int i = 1; i < 60; ++i)
    timing.kernels["k" + std::to_string(i)] = {static_cast<int64_t>(100 + random() % 30'000), 0.5};
  timing.kernels["make"] = timing.kernels["take"] = {static_cast<int64_t>(random() % 30'000), 0.5};
  return timing;
}

TEST(SimRandom, WhatIsFreeOfHazardsDoesNotDependOnTiming) {
  int clean = 0;
  int hazardous = 0;
  int lost = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    std::vector<Words> buffers;
    Options options;
    options.seed = seed;
    options.timing = uneven(seed);
    options.memory = {uint64_t{32} << 20, 4096, 4096};
    const Ran ran =
        run_program([&](Runtime& gpu) { return Author(gpu, seed).write(&buffers); }, options);
    const bool free_of_hazards = verdict_of(ran).findings.empty();
    const Bytes live = all_words(ran, buffers);
    const Tape& tape = ran.sim->tape();
    ASSERT_TRUE(run_serial(tape, items_of(tape), 1, &ran.sim->arena()).ok());
    const Bytes right = all_words(ran, buffers);
    bool differs = live != right;
    for (uint64_t other = 0; other < 6; ++other) {
      ASSERT_TRUE(run_concurrent(tape, uneven(seed + 1000 * other), other, &ran.sim->arena()).ok());
      differs = differs || all_words(ran, buffers) != right;
    }
    (free_of_hazards ? clean : hazardous) += 1;
    if (free_of_hazards)
      EXPECT_FALSE(differs) << "seed " << seed;
    else
      lost += differs;
  }
  EXPECT_GT(clean, 40);
  EXPECT_GT(hazardous, 40);
  EXPECT_GT(lost, hazardous / 4);
  RecordProperty("clean", clean);
  RecordProperty("hazardous", hazardous);
  RecordProperty("lost", lost);
}

}  // namespace
}  // namespace bohr::gpu::sim

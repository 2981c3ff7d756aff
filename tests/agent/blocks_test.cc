// SPDX-License-Identifier: Apache-2.0
// Blocks that graphs may need stay in the log with all that is told of them; of the others only the
// newest are there. What a reader makes of log and recent files together is compared.
#include "agent/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "agent/recorder.h"
#include "trace/open.h"
#include "unit/log_files.h"

namespace bohr::agent {
namespace {

using trace::HistoryAction;

constexpr uint64_t kBlock = 0x7f0000000000;

class BlocksTest : public testing::Test {
 protected:
  BlocksTest() { begin(1 << 20); }

  void begin(uint64_t recent) {
    std::string why;
    std::filesystem::remove(path_);
    r_.log = trace::LogWriter::create(path_, 1 << 20, &why);
    r_.log->append(trace::Provenance{trace::ProvenanceKind::variable,
                                     r_.log->text(trace::kRecentName), r_.log->text("so")});
    r_.recent = std::make_unique<trace::RecentLog>(
        path_, recent, r_.log->text(trace::kRecentReason), r_.log->text("only the newest"));
    r_.recording = true;
  }

  uint64_t alloc(uint64_t address) {
    seq_ += 2;
    block_allocated(r_, {{seq_, seq_ + 1, 1, 0}, address});
    told_.push_back({HistoryAction::alloc, address});
    return seq_;
  }
  void free(uint64_t address) {
    seq_ += 2;
    block_freed(r_, {{seq_, seq_ + 1, 1, 0}, address});
    told_.push_back({HistoryAction::free_requested, address});
    told_.push_back({HistoryAction::free_completed, address});
  }
  // The allocator's history up to now, as the shim hands it over.
  void drain() {
    tell(told_.size());
    history_read(r_, seq_ + 1);
  }
  // So many entries of it.
  void tell(size_t entries) {
    for (size_t i = 0; i < entries; ++i) {
      const auto& [action, address] = told_[i];
      trace::History entry;
      entry.index = index_++;
      entry.action = action, entry.address = address, entry.bytes = 512;
      block_told(r_, entry);
    }
    told_.erase(told_.begin(), told_.begin() + static_cast<ptrdiff_t>(entries));
  }
  // Work that fills the recent files once over.
  void work(int records) {
    trace::Kernel kernel;
    kernel.params.assign(1000, 1);
    for (int i = 0; i < records; ++i) {
      kernel.call.seq = ++seq_;
      log_work(r_, kernel);
    }
  }

  trace::Log close() {
    blocks_end(r_), r_.recent->close(), r_.log->close(seq_ + 1);
    return trace::to_log(trace::read_input(path_).value()).value();
  }
  // Of the hand-outs in a log, sorted, each once.
  static std::vector<uint64_t> allocs(const trace::Log& log) {
    std::vector<uint64_t> seqs;
    for (const trace::Record& record : log.records)
      if (const auto* one = std::get_if<trace::BlockAlloc>(&record)) seqs.push_back(one->call.seq);
    std::sort(seqs.begin(), seqs.end());
    seqs.erase(std::unique(seqs.begin(), seqs.end()), seqs.end());
    return seqs;
  }
  // The callbacks that entries tell of.
  static std::vector<uint64_t> said(const trace::Log& log) {
    std::vector<uint64_t> seqs;
    for (const trace::Record& record : log.records)
      if (const auto* one = std::get_if<trace::EntryCall>(&record)) seqs.push_back(one->seq);
    std::sort(seqs.begin(), seqs.end());
    seqs.erase(std::unique(seqs.begin(), seqs.end()), seqs.end());
    return seqs;
  }
  // Hand-outs whose place among the calls is open.
  static int64_t not_placed(const trace::Log& log) {
    return std::ranges::count_if(log.records, [](const trace::Record& record) {
      const auto* entry = std::get_if<trace::History>(&record);
      return entry != nullptr && entry->action == HistoryAction::other;
    });
  }
  // Of all in the log entries tell of these callbacks, and so many hand-outs are open.
  void expect(const std::vector<uint64_t>& callbacks, int64_t open) {
    const trace::Log log = close();
    EXPECT_EQ(said(log), callbacks);
    EXPECT_EQ(not_placed(log), open);
  }
  // Without the files of recent work.
  trace::Log kept() {
    close();
    for (const char* suffix : trace::kRecentSuffixes) std::filesystem::remove(path_ + suffix);
    return trace::to_log(trace::read_input(path_).value()).value();
  }
  using Seqs = std::vector<uint64_t>;

  trace::TempFolder folder_;
  std::string path_ = folder_.file("1.bohr");
  Recorder r_;
  uint64_t seq_ = 0, index_ = 0;
  std::vector<std::pair<HistoryAction, uint64_t>> told_;
};

TEST_F(BlocksTest, NoneIsKeptWhereNothingCaptures) {
  alloc(kBlock), alloc(kBlock + 512), free(kBlock), drain();
  const trace::Log log = kept();
  EXPECT_EQ(allocs(log), Seqs{});
  EXPECT_EQ(said(log), Seqs{});
}

TEST_F(BlocksTest, AllAreThereWhereThereIsRoom) {
  const uint64_t first = alloc(kBlock), second = alloc(kBlock + 512);
  free(kBlock), drain();
  const trace::Log log = close();
  EXPECT_EQ(allocs(log), (Seqs{first, second}));
  EXPECT_EQ(said(log), (Seqs{first, second, seq_}));
}

TEST_F(BlocksTest, WhatIsLiveWhenACaptureBeginsIsKeptWithWhatIsToldOfItLater) {
  const uint64_t told_before = alloc(kBlock);
  drain();
  const uint64_t told_after = alloc(kBlock + 512);
  const uint64_t gone = alloc(kBlock + 1024);
  free(kBlock + 1024);
  keep_live_blocks(r_);
  free(kBlock), free(kBlock + 512);
  drain();
  const trace::Log log = kept();
  EXPECT_EQ(allocs(log), (Seqs{told_before, told_after}));
  EXPECT_EQ(said(log), (Seqs{told_before, told_after, seq_ - 2, seq_}));
  EXPECT_LT(gone, seq_);
}

TEST_F(BlocksTest, WhatIsHandedOutWhileSomethingCapturesIsKept) {
  r_.captures_active = 1;
  const uint64_t inside = alloc(kBlock);
  r_.captures_active = 0;
  alloc(kBlock + 512), free(kBlock), drain();
  const trace::Log log = kept();
  EXPECT_EQ(allocs(log), Seqs{inside});
  EXPECT_EQ(said(log), (Seqs{inside, seq_}));
}

// The allocator frees a block behind its callback, in which its history may be read.
TEST_F(BlocksTest, WhatIsFreedWhileTheHistoryIsReadIsToldOfNextTime) {
  Seqs seqs = {alloc(kBlock)};
  seq_ += 2;
  block_freed(r_, {{seq_, seq_ + 1, 1, 0}, kBlock});
  seqs.push_back(seq_);
  drain();
  told_.push_back({HistoryAction::free_requested, kBlock});
  told_.push_back({HistoryAction::free_completed, kBlock});
  for (int i = 0; i < 3; ++i) seqs.push_back(alloc(kBlock)), free(kBlock), seqs.push_back(seq_);
  drain();
  expect(seqs, 0);
}

// Another thread goes on while Python looks at the entries.
TEST_F(BlocksTest, WhatCameWhileTheHistoryWasReadIsToldOfNextTime) {
  Seqs seqs = {alloc(kBlock)};
  const uint64_t since = seq_ + 1;
  free(kBlock), seqs.push_back(seq_);
  for (int i = 0; i < 2; ++i)
    seqs.push_back(alloc(kBlock + 512)), free(kBlock + 512), seqs.push_back(seq_);
  tell(1);
  history_read(r_, since);
  drain();
  expect(seqs, 0);
}

// Blocks that come and go without callbacks are open, and what is handed out there later is not.
TEST_F(BlocksTest, AnEntryIsNoLaterHandOutsOfTheAddress) {
  told_.push_back({HistoryAction::alloc, kBlock});
  told_.push_back({HistoryAction::free_requested, kBlock});
  told_.push_back({HistoryAction::free_completed, kBlock});
  drain();
  const Seqs seqs = {alloc(kBlock)};
  drain();
  expect(seqs, 1);
}

// And it hands one out before its callback, which may have to wait until the history was read.
TEST_F(BlocksTest, WhatIsHandedOutWhileTheHistoryIsReadIsKnownWhenItsCallbackComes) {
  told_.push_back({HistoryAction::alloc, kBlock});
  drain();
  seq_ += 2;
  block_allocated(r_, {{seq_, seq_ + 1, 1, 0}, kBlock});
  Seqs seqs = {seq_};
  free(kBlock), seqs.push_back(seq_);
  seqs.push_back(alloc(kBlock));
  drain();
  expect(seqs, 0);
}

// A hand-out without a callback is said to be open, once: read twice more, freed, or at the end.
TEST_F(BlocksTest, AHandOutWithoutACallbackIsOpen) {
  for (int block = 0; block < 3; ++block)
    told_.push_back({HistoryAction::alloc, kBlock + 512 * block});
  drain();
  free(kBlock);
  told_.push_back({HistoryAction::alloc, kBlock + 1536});
  drain();
  EXPECT_EQ(not_placed(close()), 4);
}

TEST_F(BlocksTest, AnAddressThatComesBackIsEachTimeItsOwnBlock) {
  alloc(kBlock), free(kBlock);
  const uint64_t second = alloc(kBlock);
  keep_live_blocks(r_);
  free(kBlock);
  const uint64_t freed = seq_;
  alloc(kBlock), free(kBlock);
  drain();
  const trace::Log log = kept();
  EXPECT_EQ(allocs(log), Seqs{second});
  EXPECT_EQ(said(log), (Seqs{second, freed}));
}

// The files of recent work take turns twice: what was told in the first of them is gone.
TEST_F(BlocksTest, WhatOutlivesAFileOfRecentWorkIsKept) {
  begin(128 << 10);
  const uint64_t lives = alloc(kBlock);
  const uint64_t gone = alloc(kBlock + 512);
  free(kBlock + 512), drain();
  const uint64_t before = r_.recent->turns();
  while (r_.recent->turns() < before + 2) work(1);
  const trace::Log log = close();
  EXPECT_EQ(allocs(log), Seqs{lives});
  EXPECT_EQ(said(log), Seqs{lives});
  EXPECT_LT(gone, seq_);
}

TEST_F(BlocksTest, MemoryOfAPoolIsKeptAsBlocksAre) {
  const auto pooled = [&](uint64_t address) {
    seq_ += 2;
    pooled_allocated(r_, {.call = {seq_, seq_ + 1, 1, 0},
                          .layer = trace::Layer::stream_ordered,
                          .address = address,
                          .bytes = 512});
    return seq_;
  };
  const auto back = [&](uint64_t address) {
    seq_ += 2;
    pooled_freed(r_, {{seq_, seq_ + 1, 1, 0}, trace::Layer::stream_ordered, address, 0});
    return seq_;
  };
  pooled(kBlock), back(kBlock);
  const uint64_t lives = pooled(kBlock);
  keep_live_blocks(r_);
  pooled(kBlock + 512);
  const uint64_t freed = back(kBlock);
  Seqs seqs;
  for (const trace::Record& record : kept().records) {
    if (const auto* alloc = std::get_if<trace::MemAlloc>(&record)) seqs.push_back(alloc->call.seq);
    if (const auto* free = std::get_if<trace::MemFree>(&record)) seqs.push_back(free->call.seq);
  }
  EXPECT_EQ(seqs, (Seqs{lives, freed}));
}

// No new file can be made: the recording ends, and whoever made the call goes on.
TEST_F(BlocksTest, ARecordingThatFindsNoRoomEnds) {
  begin(128 << 10);
  std::filesystem::remove_all(folder_.file(""));
  for (int i = 0; i < 100000 && r_.recording; ++i) {
    alloc(kBlock), free(kBlock);
    if (i % 1000 == 0) drain();
  }
  EXPECT_FALSE(r_.recording);
  alloc(kBlock), free(kBlock), drain();
}

// Of a block that is entered in the history alone the bytes are doubtful.
TEST_F(BlocksTest, AnEntryWithoutACallbackIsLeftOut) {
  told_.push_back({HistoryAction::alloc, kBlock});
  drain();
  const trace::Log log = kept();
  const auto left_out =
      std::count_if(log.records.begin(), log.records.end(), [](const trace::Record& record) {
        const auto* entry = std::get_if<trace::History>(&record);
        return entry && entry->action == HistoryAction::other && entry->address == kBlock;
      });
  EXPECT_EQ(left_out, 1);
  EXPECT_EQ(said(log), Seqs{});
}

// The history overflowed between: what it did not tell it never will.
TEST_F(BlocksTest, CallbacksThatWereNotToldAreNotTakenForLaterOnes) {
  alloc(kBlock), free(kBlock);
  told_.clear();
  drain();
  const uint64_t later = alloc(kBlock);
  drain();
  EXPECT_EQ(said(close()), Seqs{later});
}

TEST_F(BlocksTest, WhereAllIsRecordedEverythingIsInTheLog) {
  r_.recent.reset();
  const uint64_t first = alloc(kBlock);
  drain();
  r_.log->close(seq_ + 1);
  const trace::Log log = trace::to_log(trace::read_input(path_).value()).value();
  EXPECT_EQ(allocs(log), Seqs{first});
  EXPECT_EQ(said(log), Seqs{});
}

}  // namespace
}  // namespace bohr::agent

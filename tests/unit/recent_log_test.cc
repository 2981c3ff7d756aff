// SPDX-License-Identifier: Apache-2.0
// The newest records survive in two files that take turns, and what was dropped is said.
#include "trace/writer/recent_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "log_files.h"
#include "trace/log_reader.h"
#include "trace/open.h"

namespace bohr::trace {
namespace {

namespace fs = std::filesystem;

class RecentLogTest : public testing::Test {
 protected:
  RecentLogTest() {
    std::string why;
    log_ = LogWriter::create(path_, 1 << 20, &why);
    log_->append(Provenance{ProvenanceKind::variable, log_->text(kRecentName), log_->text("so")});
  }

  std::unique_ptr<RecentLog> recent(uint64_t limit) {
    return std::make_unique<RecentLog>(path_, limit, log_->text("recent-only"),
                                       log_->text("only the newest"));
  }
  static Kernel kernel(uint64_t seq) {
    Kernel one;
    one.call = {seq, seq, 1, 0};
    one.params.assign(40, static_cast<uint8_t>(seq));
    return one;
  }
  Log read() const { return to_log(read_input(path_).value()).value(); }
  // Of the kernels, in the order of their numbers.
  static std::vector<uint64_t> kernels(const Log& log) {
    std::vector<uint64_t> seqs;
    for (const Record& record : log.records)
      if (const auto* one = std::get_if<Kernel>(&record)) seqs.push_back(one->call.seq);
    std::sort(seqs.begin(), seqs.end());
    return seqs;
  }
  static std::vector<Diagnostic> diagnostics(const Log& log, const std::string& reason) {
    std::vector<Diagnostic> list;
    for (const Record& record : log.records)
      if (const auto* one = std::get_if<Diagnostic>(&record))
        if (log.strings[one->reason.id] == reason) list.push_back(*one);
    return list;
  }

  TempFolder folder_;
  std::string path_ = folder_.file("1.bohr");
  std::unique_ptr<LogWriter> log_;
};

// What was kept in the log later lies in the recent work as well: it is one.
TEST_F(RecentLogTest, WhatIsInTheLogTooIsThereOnce) {
  const auto newest = recent(1 << 20);
  const BlockAlloc block{{2, 3, 1, 0}, 0x1000};
  const MemAlloc memory{.call = {4, 5, 1, 0}, .address = 0x2000, .bytes = 64};
  const History entry{.index = 7, .address = 0x1000, .bytes = 64};
  const EntryCall said{7, 2};
  newest->append(block), newest->append(memory), newest->append(entry), newest->append(said);
  newest->append(BlockAlloc{{6, 7, 1, 0}, 0x1000});
  log_->append(block), log_->append(memory), log_->append(entry), log_->append(said);
  newest->close(), log_->close(101);
  const Log log = read();
  const auto count = [&](auto one) {
    return std::count_if(log.records.begin(), log.records.end(), [](const Record& record) {
      return std::holds_alternative<decltype(one)>(record);
    });
  };
  EXPECT_EQ(count(BlockAlloc()), 2);
  EXPECT_EQ(count(MemAlloc()), 1);
  EXPECT_EQ(count(History()), 1);
  EXPECT_EQ(count(EntryCall()), 1);
}

TEST_F(RecentLogTest, KeepsAllWhereThereIsRoom) {
  const auto newest = recent(1 << 20);
  for (uint64_t seq = 1; seq <= 100; ++seq) EXPECT_TRUE(newest->append(kernel(seq)));
  newest->close(), log_->close(101);
  const Log log = read();
  EXPECT_EQ(kernels(log).size(), 100u);
  EXPECT_TRUE(diagnostics(log, "recent-only").empty());
  EXPECT_TRUE(diagnostics(log, "lost-records").empty());
}

// At any moment: everything from some point on is there, and the newest Diagnostic names a place
// that is not before the last one dropped.
TEST_F(RecentLogTest, KeepsTheNewestAndSaysWhatItDropped) {
  const auto newest = recent(16 << 10);
  for (uint64_t seq = 1; seq <= 2000; ++seq) {
    ASSERT_TRUE(newest->append(kernel(seq)));
    if (seq % 97 != 0) continue;
    const Log log = read();
    const std::vector<uint64_t> kept = kernels(log);
    ASSERT_EQ(kept.back(), seq);
    ASSERT_EQ(kept.size(), seq - kept.front() + 1) << "none is missing in between";
    uint64_t told = 0;
    for (const Diagnostic& one : diagnostics(log, "recent-only")) {
      EXPECT_TRUE(one.loses_order);
      told = std::max(told, one.to);
    }
    ASSERT_EQ(told, kept.front() - 1);
  }
  EXPECT_LT(kernels(read()).size(), 1000u);
  EXPECT_LE(fs::file_size(path_ + ".recent-0") + fs::file_size(path_ + ".recent-1"), 16u << 10);
}

TEST_F(RecentLogTest, FilesThatAreNotThereAreMissed) {
  const auto newest = recent(1 << 20);
  newest->append(kernel(1));
  newest->close(), log_->close(2);
  EXPECT_TRUE(diagnostics(read(), "lost-records").empty());
  for (const char* suffix : kRecentSuffixes) fs::remove(path_ + suffix);
  const Log log = read();
  ASSERT_EQ(diagnostics(log, "lost-records").size(), 1u);
  EXPECT_TRUE(diagnostics(log, "lost-records").front().loses_order);
}

TEST_F(RecentLogTest, ADamagedFileIsReadUpToThere) {
  const auto newest = recent(1 << 20);
  for (uint64_t seq = 1; seq <= 100; ++seq) newest->append(kernel(seq));
  newest->close(), log_->close(101);
  const std::string part = path_ + ".recent-0";
  const auto size = static_cast<std::streamoff>(fs::file_size(part));
  std::fstream file(part, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(size / 2);
  file.write("\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a\x5a", 9);
  file.close();
  const Log log = read();
  EXPECT_GT(kernels(log).size(), 10u);
  EXPECT_LT(kernels(log).size(), 60u);
  ASSERT_EQ(diagnostics(log, "lost-records").size(), 1u);
  EXPECT_TRUE(diagnostics(log, "lost-records").front().loses_order);
}

TEST_F(RecentLogTest, ARecordLongerThanAFileIsRefusedAndTheNextIsKept) {
  const auto newest = recent(8 << 10);
  Kernel large = kernel(1);
  large.params.assign(64 << 10, 0);
  EXPECT_FALSE(newest->append(large));
  EXPECT_TRUE(newest->append(kernel(2)));
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// What a reader makes of logs that are cut, damaged, foreign, older or newer.
#include "trace/log_reader.h"

#include <gtest/gtest.h>

#include <random>

#include "log_bytes.h"
#include "log_random.h"

namespace bohr::trace {
namespace {

Log must_read(const std::vector<uint8_t>& bytes) {
  auto log = read_log(bytes, "test");
  EXPECT_TRUE(log.ok()) << to_string(log.error());
  return log.ok() ? std::move(log).value() : Log{};
}

std::string refusal(const std::vector<uint8_t>& bytes) {
  const auto log = read_log(bytes, "test");
  return log.ok() ? "accepted" : log.error().code;
}

// The text of the one loss that the log tells of; fails when there is none or more.
std::string loss(const Log& log, bool* loses_order = nullptr) {
  std::vector<const Diagnostic*> found;
  for (const Record& record : log.records) {
    const auto* diagnostic = std::get_if<Diagnostic>(&record);
    if (diagnostic && log.strings[diagnostic->reason.id] == "lost-records") {
      found.push_back(diagnostic);
    }
  }
  EXPECT_EQ(found.size(), 1u);
  if (found.size() != 1) return "";
  if (loses_order) *loses_order = found[0]->loses_order;
  return log.strings[found[0]->text.id];
}

Log small_log() {
  std::mt19937_64 random(7);
  Log log{.source = "test", .strings = {"", "one", "two"}};
  log.records = random_records(random, 3, 1);
  log.records.emplace_back(End{.seq = 9});
  return log;
}

TEST(LogReader, RefusesWhatIsNoLog) {
  EXPECT_EQ(refusal({}), "log-not-a-log");
  EXPECT_EQ(refusal({'h', 'e', 'l', 'l', 'o'}), "log-not-a-log");
  EXPECT_EQ(refusal(std::vector<uint8_t>(4096)), "log-not-a-log");
}

TEST(LogReader, RefusesADamagedHead) {
  const auto whole = LogBytes().bytes();
  EXPECT_EQ(refusal({whole.begin(), whole.begin() + 20}), "log-damaged-head");
  auto flipped = whole;
  flipped[9] ^= 1;
  EXPECT_EQ(refusal(flipped), "log-damaged-head");
}

TEST(LogReader, RefusesOtherVersions) {
  EXPECT_EQ(refusal(LogBytes(kLogVersion + 1).bytes()), "log-version");
  EXPECT_EQ(refusal(LogBytes(0).bytes()), "log-version");
}

TEST(LogReader, ZerosEndALogThatIsStillWritten) {
  const auto log = must_read(LogBytes().add(ExecGone{.seq = 4, .exec = 1}).add_zeros(999).bytes());
  ASSERT_EQ(log.records.size(), 2u);
  bool loses_order = true;
  EXPECT_NE(loss(log, &loses_order).find("no end"), std::string::npos);
  EXPECT_FALSE(loses_order);
}

TEST(LogReader, ZerosMayFollowTheEnd) {
  const auto log = must_read(LogBytes().add(End{.seq = 4}).add_zeros(999).bytes());
  EXPECT_EQ(log.records.size(), 1u);
}

TEST(LogReader, TellsOfBytesBehindTheEnd) {
  const auto log = must_read(LogBytes().add(End{.seq = 4}).add(ExecGone{}).bytes());
  EXPECT_NE(loss(log).find("behind its end"), std::string::npos);
}

TEST(LogReader, TellsOfLostRecordsThatNoDiagnosticNamed) {
  const auto log = must_read(LogBytes().add(End{.seq = 4, .lost = 3}).bytes());
  bool loses_order = false;
  EXPECT_NE(loss(log, &loses_order).find("could not keep"), std::string::npos);
  EXPECT_TRUE(loses_order);
}

TEST(LogReader, EveryCutLeavesAPrefix) {
  const Log whole = small_log();
  const auto bytes = log_bytes(whole);
  size_t most = 0;
  for (size_t size = kLogHeadSize; size < bytes.size(); ++size) {
    const Log log = must_read({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)});
    if (log.records.back() == whole.records.back()) continue;  // only padding was cut
    bool loses_order = true;
    loss(log, &loses_order);
    EXPECT_FALSE(loses_order);
    for (size_t i = 0; i + 1 < log.records.size(); ++i) ASSERT_EQ(log.records[i], whole.records[i]);
    most = std::max(most, log.records.size() - 1);
  }
  EXPECT_EQ(most, whole.records.size() - 1);
}

TEST(LogReader, EveryFlippedBitIsSeen) {
  const Log whole = small_log();
  const auto bytes = log_bytes(whole);
  for (size_t at = kLogHeadSize; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto flipped = bytes;
      flipped[at] = static_cast<uint8_t>(flipped[at] ^ 1 << bit);
      const Log log = must_read(flipped);
      if (log.records == whole.records && log.strings == whole.strings) continue;  // padding
      loss(log);
      ASSERT_LE(log.records.size(), whole.records.size());
      for (size_t i = 0; i + 1 < log.records.size(); ++i) {
        ASSERT_EQ(log.records[i], whole.records[i]) << "byte " << at << " bit " << bit;
      }
    }
  }
}

TEST(LogReader, DamageInTheMiddleLosesOrder) {
  auto bytes = LogBytes().add(ExecGone{.seq = 4}).add(ExecGone{.seq = 5}).add(End{}).bytes();
  bytes[kLogHeadSize + frame_size(3) + kFrameHeadSize] ^= 0x40;
  const Log log = must_read(bytes);
  ASSERT_EQ(log.records.size(), 2u);
  bool loses_order = false;
  EXPECT_NE(loss(log, &loses_order).find("at byte 44 of 68 (24 bytes left)"), std::string::npos)
      << loss(log);
  EXPECT_TRUE(loses_order);
  EXPECT_EQ(std::get<Diagnostic>(log.records[1]).from, 4u);
}

TEST(LogReader, RefusesAbsurdSizes) {
  auto bytes = LogBytes().add(ExecGone{.seq = 4}).bytes();
  store_u32(bytes.data() + kLogHeadSize, 0xffffffffu);
  bool loses_order = false;
  loss(must_read(bytes), &loses_order);
  EXPECT_TRUE(loses_order);
}

TEST(LogReader, SkipsUnknownKindsAndSaysHowMany) {
  const auto log = must_read(LogBytes()
                                 .add_payload({99, 1, 2, 3})
                                 .add(ExecGone{.seq = 5, .exec = 2})
                                 .add_payload({99})
                                 .add(End{.seq = 6})
                                 .bytes());
  ASSERT_EQ(log.records.size(), 3u);
  EXPECT_EQ(std::get<ExecGone>(log.records[0]).exec, 2u);
  EXPECT_NE(loss(log).find("kind 99"), std::string::npos);
  EXPECT_EQ(std::get<Diagnostic>(log.records[2]).count, 2u);
}

TEST(LogReader, OlderRecordsLackTheirLastFields) {
  const auto kind = static_cast<uint8_t>(Kind::set);
  // call (4 numbers), stream, dst, width; height, pitch and returned are missing.
  const auto log =
      must_read(LogBytes().add_payload({kind, 1, 2, 3, 4, 5, 6, 7}).add(End{}).bytes());
  ASSERT_EQ(log.records.size(), 2u);
  const auto& set = std::get<Set>(log.records[0]);
  EXPECT_EQ(set.width, 7u);
  EXPECT_EQ(set.height, 1u);
  EXPECT_EQ(set.returned, Return::at_once);
}

TEST(LogReader, NewerRecordsMayHaveMoreFields) {
  const auto kind = static_cast<uint8_t>(Kind::exec_gone);
  const auto log = must_read(LogBytes().add_payload({kind, 1, 2, 3, 4}).add(End{}).bytes());
  ASSERT_EQ(log.records.size(), 2u);
  EXPECT_EQ(std::get<ExecGone>(log.records[0]), (ExecGone{.seq = 1, .exec = 2}));
}

TEST(LogReader, RefusesImpossibleBodies) {
  const auto body = [](Kind kind, std::vector<uint8_t> rest) {
    rest.insert(rest.begin(), static_cast<uint8_t>(kind));
    return rest;
  };
  const std::vector<std::pair<const char*, std::vector<uint8_t>>> bodies = {
      {"a number without its last byte", body(Kind::exec_gone, {0x80})},
      {"a number of more than 64 bits",
       body(Kind::exec_gone, {255, 255, 255, 255, 255, 255, 255, 255, 255, 2})},
      {"more than 32 bits in a field of 32", body(Kind::exec_gone, {1, 255, 255, 255, 255, 127})},
      {"a boolean of 2", body(Kind::stream, {1, 2, 3, 4, 0, 0, 2})},
      {"an unknown stream type", body(Kind::stream, {1, 2, 3, 4, 9})},
      {"an unknown string", body(Kind::device, {1, 7})},
      {"a string that is longer than its record", body(Kind::string, {1, 200, 'x'})},
      {"a string out of turn", body(Kind::string, {5, 1, 'x'})},
      {"a list that is longer than its record", body(Kind::edges, {1, 255, 255, 255, 127})},
      {"lists of different lengths", body(Kind::edges, {1, 2, 0, 1, 1, 0, 1, 0})},
      {"a stack of an unknown string", body(Kind::stack, {1, 1, 9, 1, 0, 1, 0, 1, 1})},
      {"no kind", {0x80}}};
  for (const auto& [what, payload] : bodies) {
    SCOPED_TRACE(what);
    const Log log = must_read(LogBytes().add_payload(payload).add(End{}).bytes());
    ASSERT_EQ(log.records.size(), 1u);
    EXPECT_NE(loss(log).find("damaged"), std::string::npos);
  }
}

TEST(LogChecksum, IsCrc32c) {
  const uint8_t digits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(crc32c(digits, sizeof digits), 0xe3069283u);
  EXPECT_EQ(crc32c(digits + 4, 5, crc32c(digits, 4)), 0xe3069283u);
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// Files of each format, compressed or not, reach their reader; everything else is refused with one
// clear reason.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <filesystem>

#include "log_bytes.h"
#include "log_files.h"
#include "trace/open.h"
#include "trace/sqlite_trace.h"
#include "trace/zstd.h"

namespace bohr::trace {
namespace {

constexpr const char* kCase = "buffer a 64\nstream s\nkernel k on s write a\n";

std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::vector<uint8_t> compressed(const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> out(ZSTD_compressBound(bytes.size()));
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

Log log_of(uint64_t pid, int kernels) {
  Log log{.source = "log", .strings = {""}};
  log.records.emplace_back(Process{.pid = pid});
  for (int i = 0; i < kernels; ++i) log.records.emplace_back(Kernel{.call = {.seq = 1}});
  log.records.emplace_back(End{.seq = 2});
  return log;
}

class OpenInput : public testing::Test {
 protected:
  Result<Input> read(const std::vector<uint8_t>& bytes) {
    put_file(folder_.file("input"), bytes);
    return read_input(folder_.file("input"));
  }
  std::string refusal(const std::vector<uint8_t>& bytes) {
    const auto input = read(bytes);
    return input.ok() ? "accepted" : input.error().code;
  }
  Input sqlite_of(const std::vector<Log>& logs) {
    EXPECT_TRUE(write_sqlite(logs, folder_.file("t.sqlite")).ok());
    return read_input(folder_.file("t.sqlite")).value();
  }
  TempFolder folder_;
};

TEST_F(OpenInput, TellsFormatsByTheirFirstBytes) {
  EXPECT_EQ(read(bytes_of(kCase)).value().format, Format::text);
  EXPECT_EQ(read(log_bytes(log_of(1, 1))).value().format, Format::log);
  EXPECT_EQ(sqlite_of({log_of(1, 1)}).format, Format::sqlite);
}

TEST_F(OpenInput, DecompressesEachFormat) {
  const auto log = log_bytes(log_of(1, 1));
  const auto input = read(compressed(log));
  ASSERT_TRUE(input.ok()) << to_string(input.error());
  EXPECT_EQ(input.value().format, Format::log);
  EXPECT_EQ(input.value().bytes, log);
  EXPECT_EQ(read(compressed(bytes_of(kCase))).value().bytes, bytes_of(kCase));
}

TEST_F(OpenInput, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal({}), "input-empty");
  EXPECT_EQ(refusal(compressed({})), "input-empty");
  EXPECT_EQ(refusal(std::vector<uint8_t>(100)), "input-unknown");
  EXPECT_EQ(refusal({0x7f, 'E', 'L', 'F', 0}), "input-unknown");
  auto cut = compressed(bytes_of(kCase));
  cut.pop_back();
  EXPECT_EQ(refusal(cut), "input-zstd");
  EXPECT_EQ(read_input(folder_.path()).error().code, "input-directory");
  const auto missing = read_input(folder_.file("none"));
  EXPECT_EQ(missing.error().code, "input-unreadable");
  EXPECT_EQ(missing.error().what, folder_.file("none"));
  EXPECT_EQ(missing.error().why, "No such file or directory");
}

TEST_F(OpenInput, SaysWhoMayReadAPrivateFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may read everything";
  put_file(folder_.file("private"), bytes_of(kCase));
  ASSERT_EQ(::chmod(folder_.file("private").c_str(), 0), 0);
  const auto input = read_input(folder_.file("private"));
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().why, "Permission denied");
  EXPECT_FALSE(input.error().remedy.empty());
}

TEST_F(OpenInput, ReadsStandardInput) {
  put_file(folder_.file("case"), bytes_of(kCase));
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_NE(::freopen(folder_.file("case").c_str(), "r", stdin), nullptr);
  const auto input = read_input("-");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ASSERT_TRUE(input.ok()) << to_string(input.error());
  EXPECT_EQ(input.value().source, "-");
  EXPECT_EQ(input.value().bytes, bytes_of(kCase));
}

TEST_F(OpenInput, ACaseBecomesAProgramButHasNoRecords) {
  const Input input{.source = "x", .format = Format::text, .bytes = bytes_of("no such verb\n")};
  EXPECT_EQ(to_program(input).error().what, "x");
  EXPECT_EQ(to_log(input).error().code, "input-no-records");
  EXPECT_EQ(to_logs(input).error().code, "input-no-records");
  EXPECT_EQ(to_database(input).error().code, "input-no-records");
}

TEST_F(OpenInput, LogAndSqliteGiveTheSameRecords) {
  const Log log = log_of(1, 3);
  const auto from_log = to_log(read(log_bytes(log)).value());
  const auto from_sqlite = to_log(sqlite_of({log}));
  ASSERT_TRUE(from_log.ok() && from_sqlite.ok());
  EXPECT_EQ(from_log.value().records, log.records);
  EXPECT_EQ(from_sqlite.value().records, log.records);
  const auto program = to_program(sqlite_of({log}));
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  EXPECT_TRUE(program.value().recorded);
}

TEST_F(OpenInput, OfSeveralProcessesTheBusiestIsTakenAndTheOthersAreCounted) {
  const Input input = sqlite_of({log_of(1, 2), log_of(2, 9), log_of(3, 0)});
  EXPECT_EQ(to_logs(input).value().size(), 3u);
  const Log log = to_log(input).value();
  EXPECT_EQ(std::get<Process>(log.records.front()).pid, 2u);
  const auto& note = std::get<Diagnostic>(log.records.back());
  EXPECT_EQ(log.strings[note.reason.id], "other-processes");
  EXPECT_EQ(note.count, 2u);
}

TEST_F(OpenInput, ATraceWithoutProcessesHasNoLog) {
  EXPECT_EQ(to_log(sqlite_of({})).error().code, "input-no-records");
}

TEST_F(OpenInput, QueriesRunOnLogsAndTraces) {
  const Log log = log_of(7, 3);
  for (const Input& input : {read(log_bytes(log)).value(), sqlite_of({log})}) {
    auto database = to_database(input);
    ASSERT_TRUE(database.ok()) << to_string(database.error());
    EXPECT_EQ(database.value().number("SELECT count(*) FROM kernel_v").value(), 3);
    EXPECT_FALSE(database.value().prepare("DELETE FROM kernel").ok());
  }
}

TEST(OpenTraces, RecordedLogsSurviveSqlite) {
  int logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(BOHR_TRACES_DIR)) {
    if (entry.path().extension() != ".zst") continue;
    SCOPED_TRACE(entry.path());
    const auto input = read_input(entry.path());
    ASSERT_TRUE(input.ok()) << to_string(input.error());
    const auto log = to_log(input.value());
    ASSERT_TRUE(log.ok()) << to_string(log.error());
    const auto& records = log.value().records;
    ASSERT_TRUE(std::any_of(records.begin(), records.end(), [](const Record& record) {
      return std::holds_alternative<End>(record);
    })) << "it is cut off";
    const auto database = sqlite_in_memory(std::vector<Log>{log.value()});
    ASSERT_TRUE(database.ok()) << to_string(database.error());
    const auto back = read_sqlite(database.value());
    ASSERT_TRUE(back.ok()) << to_string(back.error());
    EXPECT_EQ(back.value()[0].strings, log.value().strings);
    EXPECT_TRUE(back.value()[0].records == log.value().records);
    ++logs;
  }
  EXPECT_GT(logs, 10);
}

TEST(OpenZstd, BoundsWhatItWrites) {
  const std::vector<uint8_t> zeros(1000000);
  const auto small = compressed(zeros);
  EXPECT_EQ(decompress(small, zeros.size(), "x").value(), zeros);
  const auto refused = decompress(small, zeros.size() - 1, "x");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().why.find("more than 999999 bytes"), std::string::npos);
}

TEST(OpenZstd, ReadsSeveralFramesAndNothingElseBehindThem) {
  const std::vector<uint8_t> part = bytes_of("part ");
  auto two = compressed(part);
  const auto frame = two;
  two.insert(two.end(), frame.begin(), frame.end());
  EXPECT_EQ(decompress(two, 100, "x").value(), bytes_of("part part "));
  two.push_back('x');
  EXPECT_FALSE(decompress(two, 100, "x").ok());
}

}  // namespace
}  // namespace bohr::trace

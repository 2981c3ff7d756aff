// SPDX-License-Identifier: Apache-2.0
// What a log writer wrote is what a reader reads, whatever happened to the process in between.
#include "trace/writer/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "log_files.h"
#include "log_random.h"
#include "trace/log_reader.h"

namespace bohr::trace {
namespace {

constexpr uint64_t kPlenty = uint64_t{1} << 30;

std::unique_ptr<LogWriter> writer_at(const std::string& path, uint64_t limit = kPlenty) {
  std::string why;
  auto writer = LogWriter::create(path, limit, &why);
  EXPECT_NE(writer, nullptr) << why;
  return writer;
}

Log read_back(const std::string& path) {
  auto log = read_log(file_bytes(path), path);
  EXPECT_TRUE(log.ok()) << to_string(log.error());
  return log.ok() ? std::move(log).value() : Log{};
}

Launch launch(uint64_t seq) { return {.call = {.seq = seq, .exit = seq + 1, .thread = 1}}; }

const Diagnostic& last_diagnostic(const Log& log) {
  static const Diagnostic none;
  for (auto it = log.records.rbegin(); it != log.records.rend(); ++it) {
    if (const auto* diagnostic = std::get_if<Diagnostic>(&*it)) return *diagnostic;
  }
  ADD_FAILURE() << "no diagnostic";
  return none;
}

TEST(LogWriter, KeepsEveryKind) {
  std::mt19937_64 random(1);
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  for (int i = 1; i < 10; ++i) {
    EXPECT_EQ(writer->text("text " + std::to_string(i)).id, static_cast<uint32_t>(i));
  }
  const auto records = random_records(random, 10, 200);
  for (const Record& record : records) {
    std::visit(
        [&](const auto& r) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(r)>, End>) {
            EXPECT_TRUE(writer->append(r));
          }
        },
        record);
  }
  writer->close(77);
  EXPECT_EQ(writer->bytes(), file_bytes(folder.file("log")).size());

  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), records.size() + 1);
  for (size_t i = 0; i < records.size(); ++i) ASSERT_EQ(log.records[i], records[i]) << i;
  EXPECT_EQ(std::get<End>(log.records.back()), (End{.seq = 77, .lost = 0}));
  ASSERT_EQ(log.strings.size(), 10u);
  EXPECT_EQ(log.strings[0], "");
  EXPECT_EQ(log.strings[9], "text 9");
}

TEST(LogWriter, GivesEqualTextsOneId) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  EXPECT_EQ(writer->text("").id, 0u);
  const Text a = writer->text("a");
  const Text b = writer->text("b");
  EXPECT_NE(a.id, b.id);
  EXPECT_EQ(writer->text("a"), a);
  writer->close(0);
  EXPECT_EQ(read_back(folder.file("log")).strings, (std::vector<std::string>{"", "a", "b"}));
}

TEST(LogWriter, MovesItsWindowOverLargeRecords) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  Kernel kernel;
  for (size_t size : {size_t{1} << 20, size_t{9} << 20, size_t{3}, size_t{4} << 20}) {
    kernel.params.assign(size, static_cast<uint8_t>(size >> 20));
    EXPECT_TRUE(writer->append(kernel));
  }
  writer->close(1);
  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), 5u);
  EXPECT_EQ(std::get<Kernel>(log.records[1]).params.size(), size_t{9} << 20);
  EXPECT_EQ(std::get<Kernel>(log.records[3]), kernel);
}

TEST(LogWriter, CreatesPrivateFilesAndNeverOverwrites) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  struct stat status = {};
  ASSERT_EQ(::stat(folder.file("log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  std::string why;
  EXPECT_EQ(LogWriter::create(folder.file("log"), kPlenty, &why), nullptr);
  EXPECT_NE(why.find("File exists"), std::string::npos) << why;
  EXPECT_EQ(LogWriter::create(folder.file("none/log"), kPlenty, &why), nullptr);
  EXPECT_NE(why.find("No such file"), std::string::npos) << why;
  EXPECT_EQ(LogWriter::create(folder.file("small"), 100, &why), nullptr);
  EXPECT_NE(why.find("no room"), std::string::npos) << why;
}

TEST(LogWriter, SurvivesBeingKilled) {
  TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = writer_at(folder.file("log"));
    for (uint64_t i = 1; i <= 100000; ++i) writer->append(launch(2 * i));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), 100001u);
  EXPECT_EQ(std::get<Launch>(log.records[99999]), launch(200000));
  EXPECT_FALSE(last_diagnostic(log).loses_order);
  EXPECT_EQ(log.strings[last_diagnostic(log).reason.id], "lost-records");
}

TEST(LogWriter, StopsAtItsLimitAndSaysSo) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"), 10000);
  uint64_t kept = 0;
  uint64_t seq = 0;
  for (; seq < 2000; seq += 2) kept += writer->append(launch(seq)) ? 1 : 0;
  EXPECT_GT(kept, 100u);
  EXPECT_EQ(writer->lost(), 1000 - kept);
  EXPECT_EQ(writer->text("new").id, 0u);
  writer->close(seq);
  EXPECT_LE(file_bytes(folder.file("log")).size(), 10000u);

  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), kept + 2);
  const Diagnostic& stop = std::get<Diagnostic>(log.records[kept]);
  EXPECT_EQ(log.strings[stop.reason.id], "lost-records");
  EXPECT_EQ(stop.count, 1000 - kept);
  EXPECT_EQ(stop.from, 2 * kept);
  EXPECT_TRUE(stop.loses_order);
  EXPECT_EQ(std::get<End>(log.records.back()), (End{.seq = seq, .lost = 1000 - kept}));
}

TEST(LogWriter, NothingFollowsTheFirstLostRecord) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"), 10000);
  EXPECT_TRUE(writer->append(launch(1)));
  EXPECT_FALSE(writer->append(Kernel{.params = Bytes(20000)}));
  EXPECT_FALSE(writer->append(launch(3)));
  EXPECT_EQ(writer->lost(), 2u);
  writer.reset();  // without close: the note is there all the same
  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), 3u);
  EXPECT_EQ(std::get<Diagnostic>(log.records[1]).count, 1u);
  EXPECT_TRUE(std::get<Diagnostic>(log.records[1]).loses_order);
}

TEST(LogWriter, StopsAtTheProcessFileLimit) {
  TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const struct rlimit limit = {5 << 20, 5 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto writer = writer_at(folder.file("log"));
    Kernel kernel{.params = Bytes(1 << 20)};
    while (writer->append(kernel)) {
    }
    writer->close(9);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  const Log log = read_back(folder.file("log"));
  EXPECT_EQ(log.records.size(), 5u);  // three kernels, the note and the end
  EXPECT_TRUE(last_diagnostic(log).loses_order);
}

TEST(LogWriter, ThreadsShareIt) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  constexpr uint32_t kThreads = 4;
  constexpr uint64_t kEach = 20000;
  std::vector<std::thread> threads;
  for (uint32_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&writer, t] {
      for (uint64_t i = 0; i < kEach; ++i) {
        const Text api = writer->text("api " + std::to_string(i % 50));
        writer->append(Unmodelled{.call = {.seq = i, .thread = t}, .api = api});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  writer->close(0);
  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), kThreads * kEach + 1);
  EXPECT_EQ(log.strings.size(), 51u);
  std::vector<uint64_t> next(kThreads + 1, 0);
  for (size_t i = 0; i + 1 < log.records.size(); ++i) {
    const auto& record = std::get<Unmodelled>(log.records[i]);
    ASSERT_EQ(record.call.seq, next.at(record.call.thread)++);
    ASSERT_EQ(log.strings[record.api.id], "api " + std::to_string(record.call.seq % 50));
  }
}

TEST(LogWriter, ForkedChildLeavesItAlone) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  writer->append(launch(1));
  const pid_t child = ::fork();
  if (child == 0) {
    writer->abandon();
    const bool dropped = !writer->append(launch(100)) && writer->text("child").id == 0;
    writer->close(101);
    writer.reset();
    ::_exit(dropped ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(writer->append(launch(3)));
  writer->close(5);
  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), 3u);
  EXPECT_EQ(std::get<Launch>(log.records[1]), launch(3));
}

TEST(LogWriter, DropsWhatComesAfterClose) {
  TempFolder folder;
  auto writer = writer_at(folder.file("log"));
  writer->close(1);
  EXPECT_FALSE(writer->append(launch(2)));
  writer->close(3);
  const Log log = read_back(folder.file("log"));
  ASSERT_EQ(log.records.size(), 1u);
  EXPECT_EQ(std::get<End>(log.records[0]).seq, 1u);
}

}  // namespace
}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// The folder of a run and the files in it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/files.h"
#include "app/log_watch.h"
#include "app/run_dir.h"
#include "trace/writer/log_writer.h"

namespace bohr::app {
namespace {

namespace fs = std::filesystem;

class AppFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "bohr-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  fs::path dir_;
};

TEST_F(AppFiles, WritesWholeAndPrivate) {
  ASSERT_TRUE(write_file(path("a"), "one").ok());
  ASSERT_TRUE(write_file(path("a"), "two").ok());
  EXPECT_EQ(read_text(path("a")).value(), "two");
  struct stat info {};
  ASSERT_EQ(stat(path("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 1);
}

TEST_F(AppFiles, FailsInWords) {
  const Status status = write_file(path("no/such/place"), "x");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, "file-write");
  EXPECT_EQ(write_file("/dev/full/x", "x").error().code, "file-write");
  EXPECT_EQ(read_text(path("absent")).error().code, "file-read");
}

TEST_F(AppFiles, MakesARunFolder) {
  const auto made = make_run_dir(path("run"));
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made.value().made);
  struct stat info {};
  ASSERT_EQ(stat(path("run").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const auto again = make_run_dir(path("run"));  // empty, so it may be used
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again.value().made);
  put("run/x", "");
  EXPECT_EQ(make_run_dir(path("run")).error().code, "run-dir-used");
  EXPECT_EQ(make_run_dir(path("run/x")).error().code, "run-dir");
  EXPECT_EQ(make_run_dir(path("no/such/run")).error().code, "run-dir");
}

TEST_F(AppFiles, DropsOnlyWhatItMade) {
  const auto made = make_run_dir(path("run"));
  drop_run_dir(made.value());
  EXPECT_FALSE(fs::exists(path("run")));
  fs::create_directory(path("mine"));
  drop_run_dir(make_run_dir(path("mine")).value());
  EXPECT_TRUE(fs::exists(path("mine")));
}

TEST_F(AppFiles, ProcessesByPid) {
  put("1000.bohr", "");
  put("20.bohr", "");
  put("20-2.bohr", "");
  put("20.error", "stopped early\nmore\n");
  put("7.error", "no CUPTI");
  put("report.txt", "");
  const auto processes = processes_in(dir_);
  ASSERT_EQ(processes.size(), 4u);
  EXPECT_EQ(processes[0].stem, "7");
  EXPECT_EQ(processes[0].log, "");
  EXPECT_EQ(processes[0].error, "no CUPTI");
  EXPECT_EQ(processes[1].stem, "20");
  EXPECT_EQ(processes[1].error, "stopped early");
  EXPECT_EQ(processes[2].stem, "20-2");
  EXPECT_EQ(processes[3].stem, "1000");
}

TEST_F(AppFiles, EmptyRunIsNeverClean) {
  const RunContents contents = check_ended_run(dir_, {});
  ASSERT_EQ(contents.checked.size(), 1u);
  EXPECT_EQ(contents.checked[0].verdict.outcome, Outcome::incomplete);
  EXPECT_EQ(contents.checked[0].program.diagnostics[0].reason, "no-cuda-calls");
  EXPECT_EQ(check_run(dir_, {}).error().code, "run-empty");
}

TEST_F(AppFiles, ProcessesThatCannotBeReadAreNamed) {
  put("5.bohr", "not a log");
  put("6.error", "another profiler is active");
  const RunContents contents = check_ended_run(dir_, {});
  ASSERT_EQ(contents.checked.size(), 2u);
  EXPECT_EQ(contents.checked[0].program.diagnostics[0].reason, "lost-records");
  EXPECT_EQ(contents.checked[1].program.diagnostics[0].reason, "not-recorded");
  ASSERT_EQ(contents.notes.size(), 2u);
  EXPECT_EQ(contents.notes[1], "pid 6: another profiler is active");
}

TEST_F(AppFiles, WatchCountsGraphsAsTheyCome) {
  LogWatch watch(dir_);
  EXPECT_EQ(watch.poll(), 0);
  std::string why;
  auto log = trace::LogWriter::create(path("9.bohr"), 1 << 24, &why);
  ASSERT_NE(log, nullptr) << why;
  EXPECT_EQ(watch.poll(), 0);
  for (uint32_t i = 1; i <= 3; ++i) {
    log->append(trace::Graph{.graph = i});
    for (uint32_t n = 0; n < 1000; ++n) {
      log->append(trace::Node{.graph = i, .index = n, .params = trace::Bytes(700)});
    }
  }
  EXPECT_EQ(watch.poll(), 3);  // over 2 MB: more than one chunk
  EXPECT_EQ(watch.poll(), 0);
  log->append(trace::Graph{.graph = 4});
  EXPECT_EQ(watch.poll(), 1);
  log->close(1);
  EXPECT_EQ(watch.poll(), 0);
}

TEST(AppShellWord, Quotes) {
  EXPECT_EQ(shell_word("dir/x-1.bohr"), "dir/x-1.bohr");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace bohr::app

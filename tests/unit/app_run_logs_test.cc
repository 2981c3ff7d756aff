// SPDX-License-Identifier: Apache-2.0
// The two small logs that the end-to-end tests of `bohr run` use: what they hold, and that today's
// writer still makes the same bytes of it. To accept a change: BOHR_UPDATE_GOLDEN=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "app/check_file.h"
#include "app/files.h"
#include "log_builder.h"
#include "trace/writer/log_writer.h"

namespace bohr::app {
namespace {

namespace fs = std::filesystem;
using trace::Memory;

constexpr uint64_t kQ = 0x7f0000001000;
constexpr uint64_t kX = 0x7f0000101000;
constexpr uint64_t kBytes = 4096;

// A set of q on one stream and a copy from it on another, with the edge between them or without.
trace::Log sample(bool ordered) {
  trace::LogBuilder builder;
  trace::Process process;
  process.pid = 4121;
  process.command = builder.text("python serve.py");
  builder.add(process);
  const uint32_t main = builder.stream();
  const uint32_t side = builder.stream();
  builder.mem_alloc(kQ, kBytes);
  builder.mem_alloc(kX, kBytes);
  builder.capture_begin(1, main);
  builder.stack = builder.python_stack("/srv/model.py", 12);
  trace::Node set = builder.node(2, main);
  set.dst = kQ;
  set.width = kBytes;
  set.dst_memory = Memory::device;
  builder.stack = builder.python_stack("/srv/model.py", 15);
  trace::Node copy = builder.node(1, side);
  copy.dst = kX;
  copy.src = kQ;
  copy.width = kBytes;
  copy.dst_memory = copy.src_memory = Memory::device;
  builder.capture_end(1, main, 1);
  trace::LogBuilder::EdgeList edges;
  if (ordered) edges = {{0, 1}};
  builder.add_graph(1, 1, {set, copy}, edges);
  builder.exec(1, 1);
  builder.launch(1, main);
  return builder.log;
}

void write(const trace::Log& log, const std::string& path) {
  std::string why;
  const auto writer = trace::LogWriter::create(path, 1 << 20, &why);
  ASSERT_NE(writer, nullptr) << why;
  for (size_t i = 1; i < log.strings.size(); ++i) {
    ASSERT_EQ(writer->text(log.strings[i]).id, i);
  }
  for (const trace::Record& record : log.records) {
    std::visit(
        [&](const auto& one) {
          using R = std::decay_t<decltype(one)>;
          if constexpr (!std::is_same_v<R, trace::End>) {  // close() writes that one
            ASSERT_TRUE(writer->append(one));
          }
        },
        record);
  }
  writer->close(1000);
}

void expect_golden(const trace::Log& log, const std::string& name) {
  const std::string golden = std::string(BOHR_SOURCE_DIR) + "/tests/golden/" + name;
  std::string dir = (fs::temp_directory_path() / "bohr-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  const std::string path = dir + "/" + name;
  write(log, path);
  if (std::getenv("BOHR_UPDATE_GOLDEN") != nullptr) {
    fs::copy_file(path, golden, fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(read_text(path).value(), read_text(golden).value()) << golden;
  fs::remove_all(dir);
}

Checked checked(const std::string& name) {
  auto list = check_path(std::string(BOHR_SOURCE_DIR) + "/tests/golden/" + name, {});
  EXPECT_TRUE(list.ok()) << to_string(list.error());
  EXPECT_EQ(list.value().size(), 1u);
  return std::move(list.value().front());
}

TEST(AppRunLogs, AreWhatTheWriterMakes) {
  expect_golden(sample(false), "race.bohr");
  expect_golden(sample(true), "clean.bohr");
}

TEST(AppRunLogs, Race) {
  const Checked race = checked("race.bohr");
  ASSERT_EQ(race.verdict.findings.size(), 1u);
  EXPECT_EQ(race.verdict.findings[0].cls, HazardClass::data);
  EXPECT_EQ(race.verdict.findings[0].hazard, Hazard::raw);
}

TEST(AppRunLogs, Clean) {
  const Checked clean = checked("clean.bohr");
  EXPECT_EQ(clean.verdict.outcome, Outcome::clean);
  EXPECT_TRUE(clean.program.diagnostics.empty());
}

}  // namespace
}  // namespace bohr::app

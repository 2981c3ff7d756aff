// SPDX-License-Identifier: Apache-2.0
// Results beside a trace: kept by key, whole or not at all, and the trace reads as before.
#include "trace/sqlite_results.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "log_files.h"
#include "store/database.h"

namespace bohr::trace {
namespace {

WitnessRow witness(const std::string& site) {
  WitnessRow row;
  row.site = site;
  row.first = "consume", row.second = "produce";
  row.range = "y", row.range_end = 4096;
  row.reaches_output = true;
  row.replays = row.identical = 20;
  return row;
}

class ResultsTest : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_).close(); }
  std::string text(const std::string& sql) {
    auto database = store::Database::open_read_only(path_);
    auto statement = database.value().prepare(sql);
    std::string all;
    while (statement.value().step().value()) all += std::string(statement.value().text(0)) + " ";
    return all;
  }
  TempFolder folder_;
  std::string path_ = folder_.file("trace.db");
};

TEST_F(ResultsTest, AreKeptByToolAndSeed) {
  ASSERT_TRUE(write_results(path_, {"0.1", 1}, {{witness("data-1"), witness("data-2")}, {}}).ok());
  ASSERT_TRUE(write_results(path_, {"0.1", 2}, {{witness("data-3")}, {{"", 4, -1, 0, 8}}}).ok());
  EXPECT_EQ(text("SELECT site FROM result_witness ORDER BY site"), "data-1 data-2 data-3 ");
  EXPECT_EQ(text("SELECT op FROM result_observed"), "4 ");
  ASSERT_TRUE(write_results(path_, {"0.1", 1}, {{witness("data-4")}, {}}).ok());
  EXPECT_EQ(text("SELECT site FROM result_witness ORDER BY site"), "data-3 data-4 ")
      << "the same key takes the place of what it had";
}

TEST_F(ResultsTest, AreRefusedWhereTheyCannotBe) {
  const Status missing = write_results(folder_.file("no.db"), {"0.1", 1}, {});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "results-not-written");
  std::ofstream(path_) << "this is no database, and it is long enough to be seen as none at all";
  const Status foreign = write_results(path_, {"0.1", 1}, {{witness("data-1")}, {}});
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().code, "results-not-written");
}

}  // namespace
}  // namespace bohr::trace

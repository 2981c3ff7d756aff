// SPDX-License-Identifier: Apache-2.0
// The table of recorded calls: each function of the driver has one row, and the wrapper that is
// handed out for it takes what it takes.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "agent/calls.h"
#include "agent/gate.h"
#include "agent/wrapped.h"

namespace bohr::agent {
namespace {

TEST(Rows, NameEachFunctionOnce) {
  std::map<std::string, int> rows;
  std::set<CUpti_CallbackId> ids;
  for_each_api([&](const Api& api) {
    ++rows[api.symbol];
    EXPECT_TRUE(ids.insert(api.id).second) << api.symbol;
  });
  for (const auto& [symbol, count] : rows) EXPECT_EQ(count, 1) << symbol;
}

// The header's macros would make two rows of the newer one.
TEST(Rows, OldAndNewVersionsAreFunctionsOfTheirOwn) {
  std::set<std::string> symbols;
  for_each_api([&](const Api& api) { symbols.insert(api.symbol); });
  for (const char* name : {"cuGraphAddNode", "cuGraphAddDependencies", "cuGraphExecUpdate",
                           "cuStreamBeginCapture", "cuStreamWaitValue32", "cuMemcpyBatchAsync"}) {
    EXPECT_EQ(symbols.count(name), 1u) << name;
    EXPECT_EQ(symbols.count(std::string(name) + "_v2"), 1u) << name;
  }
}

int driver_v1, driver_v2;
void* exported(const char* symbol) {
  const std::string name = symbol;
  if (name == "cuGraphAddNode") return &driver_v1;
  return name == "cuGraphAddNode_v2" ? &driver_v2 : nullptr;
}

TEST(Rows, AFunctionThatTheDriverExportsIsKnownByItsAddress) {
  void* first = wrapped("cuGraphAddNode", &driver_v1, {13000, false}, exported);
  void* second = wrapped("cuGraphAddNode", &driver_v2, {13000, false}, exported);
  EXPECT_NE(first, &driver_v1);
  EXPECT_NE(second, &driver_v2);
  EXPECT_NE(first, second);
  EXPECT_EQ(first, wrapped("cuGraphAddNode", &driver_v1, {}, exported));
  EXPECT_EQ(second, wrapped("cuGraphAddNode_v2", &driver_v2, {}, exported));
}

}  // namespace
}  // namespace bohr::agent

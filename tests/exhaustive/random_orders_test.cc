// SPDX-License-Identifier: Apache-2.0
// Symbolic memory against the naive order, on random programs: where two conflicting steps are
// unordered, putting them side by side and swapping them changes the log; where none are, random
// linear extensions all have one log.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "exhaustive/naive_check.h"
#include "exhaustive/random_case.h"
#include "exhaustive/sizes.h"
#include "replay/symbolic/memory.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

// A linear extension that takes, among the steps that may come next, one by chance.
std::vector<int32_t> random_extension(const Order& order, Random* random) {
  const size_t count = order.steps.size();
  std::vector<bool> placed(count);
  std::vector<int32_t> extension;
  while (extension.size() < count) {
    std::vector<size_t> ready;
    for (size_t s = 0; s < count; ++s) {
      bool free = !placed[s];
      for (size_t p = 0; p < count && free; ++p) free = placed[p] || !order.before(p, s);
      if (free) ready.push_back(s);
    }
    const size_t next = random->pick(ready);
    placed[next] = true;
    extension.push_back(static_cast<int32_t>(next));
  }
  return extension;
}

// First what must come before either of the two, then the two, then the rest, in issue order, which
// is an order of these programs.
std::vector<int32_t> neighbours(const Order& order, size_t a, size_t b) {
  std::vector<int32_t> extension;
  std::vector<int32_t> rest;
  for (size_t s = 0; s < order.steps.size(); ++s) {
    if (s == a || s == b) continue;
    const bool needed = order.before(s, a) || order.before(s, b);
    (needed ? extension : rest).push_back(static_cast<int32_t>(s));
  }
  extension.push_back(static_cast<int32_t>(a));
  extension.push_back(static_cast<int32_t>(b));
  extension.insert(extension.end(), rest.begin(), rest.end());
  return extension;
}

// `*clean` counts the programs without unordered conflicts.
void logs_agree_with_order(uint64_t seed, int* clean) {
  const std::string text = join_lines(random_case(seed, 10 + seed % 20));
  const Result<Program> program = trace::read_case(text, "random");
  ASSERT_TRUE(program.ok()) << to_string(program.error()) << "\n" << text;
  const Order order = happens_before(program.value());
  replay::SymbolicMemory memory(program.value());
  ASSERT_EQ(memory.steps(), order.steps);
  const auto conflicts = unordered_conflicts(program.value(), order);
  for (const auto& [a, b] : conflicts) {
    std::vector<int32_t> extension = neighbours(order, a, b);
    const std::vector<uint64_t> log = memory.run(extension).log;
    const auto at = std::find(extension.begin(), extension.end(), static_cast<int32_t>(a));
    std::iter_swap(at, at + 1);
    ASSERT_NE(memory.run(extension).log, log)
        << "seed " << seed << " steps " << a << " " << b << "\n"
        << text;
  }
  if (!conflicts.empty() || order.steps.empty()) return;
  ++*clean;
  Random random(seed);
  const std::vector<uint64_t> log = memory.run(random_extension(order, &random)).log;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(memory.run(random_extension(order, &random)).log, log) << "seed " << seed << "\n"
                                                                     << text;
  }
}

TEST(RandomOrders, LogsAgreeWithTheNaiveOrder) {
  int clean = 0;
  for (uint64_t seed = 1; seed <= 5000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(logs_agree_with_order(seed, &clean));
  }
  EXPECT_GT(clean, 100);
}

TEST(RandomOrdersFull, LogsAgreeWithTheNaiveOrder) {
  BOHR_FULL_ONLY();
  int clean = 0;
  for (uint64_t seed = 2000000; seed < 2100000; ++seed) {
    ASSERT_NO_FATAL_FAILURE(logs_agree_with_order(seed, &clean));
  }
}

}  // namespace
}  // namespace bohr::naive

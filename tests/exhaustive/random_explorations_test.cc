// SPDX-License-Identifier: Apache-2.0
// Random programs of all kinds against brute force: the order of steps against the second
// implementation of happens-before, and full exploration against every linear extension.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <set>

#include "check/check.h"
#include "exhaustive/naive_order.h"
#include "exhaustive/random_case.h"
#include "exhaustive/sizes.h"
#include "explore/explore.h"
#include "explore/footprints.h"
#include "explore/schedules.h"
#include "order/step_order.h"
#include "replay/symbolic/memory.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr::naive {
namespace {

Program random_program(uint64_t seed, size_t actions) {
  auto program = trace::read_case(join_lines(random_case(seed, actions)), "random");
  BOHR_CHECK(program.ok());
  return std::move(program).value();
}

void compare_orders(uint64_t first, uint64_t count, size_t actions) {
  int64_t pairs = 0, unordered = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = random_program(seed, actions);
    const Order naive = happens_before(program);
    const auto order = order::step_order(program, false);
    ASSERT_TRUE(order.ok()) << to_string(order.error());
    ASSERT_EQ(order.value().steps, naive.steps);
    const auto steps = static_cast<int32_t>(naive.steps.size());
    for (int32_t a = 0; a < steps; ++a) {
      for (int32_t b = 0; b < steps; ++b) {
        if (a == b) continue;
        ++pairs;
        unordered += a < b && naive.unordered(a, b);
        ASSERT_EQ(order.value().before(a, b), naive.before(a, b))
            << "seed " << seed << ", steps " << a << " and " << b << "\n"
            << join_lines(random_case(seed, actions));
      }
    }
    // The predecessors imply all the rest: issue order is legal, and so are all covering orders.
    const auto issued = explore::issue_schedule(order.value());
    ASSERT_TRUE(explore::is_legal(order.value(), issued));
    std::set<std::pair<int32_t, int32_t>> seen;
    for (int32_t chain = 0; chain < order.value().chains; ++chain) {
      const auto delayed = explore::with_chain_delayed(order.value(), issued, chain);
      ASSERT_TRUE(explore::is_legal(order.value(), delayed));
      for (size_t i = 0; i < delayed.size(); ++i)
        for (size_t j = i + 1; j < delayed.size(); ++j) seen.insert({delayed[i], delayed[j]});
    }
    for (int32_t a = 0; a < steps; ++a) {
      for (int32_t b = 0; b < steps; ++b) {
        if (a == b || !naive.unordered(a, b)) continue;
        ASSERT_TRUE(seen.contains({a, b}))
            << "seed " << seed << ": the covering orders miss " << a << " before " << b;
      }
    }
  }
  std::printf("%lld pairs of steps, %lld unordered\n", static_cast<long long>(pairs),
              static_cast<long long>(unordered));
  EXPECT_GT(unordered, 0);
}

// Every linear extension of the second implementation; false when there are more than `most`.
bool for_each_extension(const Order& order, std::vector<int32_t>* prefix, int64_t* most,
                        const std::function<void(const std::vector<int32_t>&)>& visit) {
  const size_t steps = order.steps.size();
  if (prefix->size() == steps) {
    visit(*prefix);
    return --*most >= 0;
  }
  for (size_t next = 0; next < steps; ++next) {
    bool ready = std::find(prefix->begin(), prefix->end(), next) == prefix->end();
    for (size_t other = 0; ready && other < steps; ++other)
      if (order.before(other, next))
        ready = std::find(prefix->begin(), prefix->end(), other) != prefix->end();
    if (!ready) continue;
    prefix->push_back(static_cast<int32_t>(next));
    if (!for_each_extension(order, prefix, most, visit)) return false;
    prefix->pop_back();
  }
  return true;
}

void compare_explorations(uint64_t first, uint64_t count, size_t actions) {
  int64_t compared = 0, witnessed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = random_program(seed, actions);
    replay::SymbolicMemory memory(program);
    std::set<uint64_t> outputs;
    std::vector<int32_t> prefix;
    int64_t most = 20000;
    if (!for_each_extension(happens_before(program), &prefix, &most,
                            [&](const auto& order) { outputs.insert(memory.run(order).outputs); }))
      continue;
    const auto verdict = check::check(program, {});
    ASSERT_TRUE(verdict.ok());
    auto replayer = replay::symbolic_replayer(program);
    ASSERT_TRUE(replayer.ok());
    explore::Options options;
    options.budget = 1000000;
    options.confirmations = 2;
    options.all_orders = true;
    const auto explored = explore::explore(*replayer.value(), verdict.value(), options);
    ASSERT_TRUE(explored.ok()) << to_string(explored.error());
    bool found = false;
    for (const Witness& witness : explored.value().witnesses)
      found = found || witness.reaches_output();
    ASSERT_TRUE(explored.value().exhaustive);
    ASSERT_EQ(found, outputs.size() > 1) << "seed " << seed << "\n"
                                         << join_lines(random_case(seed, actions));
    ++compared;
    witnessed += found;
  }
  std::printf("%lld programs, %lld with a witness\n", static_cast<long long>(compared),
              static_cast<long long>(witnessed));
  EXPECT_GT(witnessed, 0);
  EXPECT_LT(witnessed, compared);
}

TEST(RandomExplorations, OrderStepsAsTheSecondImplementation) { compare_orders(1, 1500, 14); }
TEST(RandomExplorations, FindAWitnessIffOutputsDiffer) { compare_explorations(1, 1500, 8); }
TEST(RandomExplorationsFull, OrderStepsAsTheSecondImplementation) {
  BOHR_FULL_ONLY();
  compare_orders(100000, 50000, 20);
}
TEST(RandomExplorationsFull, FindAWitnessIffOutputsDiffer) {
  BOHR_FULL_ONLY();
  compare_explorations(100000, 50000, 9);
}

}  // namespace
}  // namespace bohr::naive

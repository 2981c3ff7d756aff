// SPDX-License-Identifier: Apache-2.0
// What one order costs beside a plain replay of the same graph, and what saving and comparing cost
// beside a plain copy: all in one run, medians of several. Prints a table; judges nothing.
//
//   bohr_cuda_measures [NODES [MIB]]     1000 nodes, 256 MiB
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "cuda/replay/fixture.h"

namespace bohr::test {
namespace {

using replay::Request;

constexpr int kRounds = 15;

double median_us(const std::function<void()>& what) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    what();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void row(const char* what, double us, double per_node_us, double gib_per_s) {
  std::printf("%-44s %10.0f us", what, us);
  if (per_node_us >= 0) std::printf("   %6.1f us a node more than a replay", per_node_us);
  if (gib_per_s >= 0) std::printf("   %8.0f GiB/s", gib_per_s);
  std::printf("\n");
}

// Two streams of kernels that each write a block of their own, and one large block.
std::string case_text(int nodes, uint64_t mib) {
  std::string text = "case 1\nstream a\nstream b\nbuffer in 4096\nbuffer large " +
                     std::to_string(mib << 20) + "\n";
  for (int i = 0; i < nodes; ++i) text += "buffer x" + std::to_string(i) + " 4096\n";
  text += "a: kernel first reads in, large writes x0\n";
  for (int i = 1; i < nodes; ++i)
    text += std::string(i % 2 ? "b" : "a") + ": kernel k" + std::to_string(i) +
            " reads in writes x" + std::to_string(i) + "\n";
  return text;
}

void measure(int nodes, uint64_t mib) {
  GraphProgram program(case_text(nodes, mib));
  for (int i = 0; i < nodes; ++i) {
    std::vector<int> after;
    if (i >= 2) after.push_back(i - 2);
    program.add("hash_words",
                {program.address("in"), program.address("x" + std::to_string(i)), 1024,
                 static_cast<uint64_t>(i)},
                1024, after);
  }
  const auto replayer = program.replayer();
  const auto saved = replayer->learn();
  BOHR_CHECK(saved.ok());
  std::vector<int32_t> order(static_cast<size_t>(nodes));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  const auto run = [&](const Request& request) {
    const auto outcome = replayer->run(request);
    BOHR_CHECK(outcome.ok());
    return outcome.value();
  };
  const auto gib = static_cast<double>(saved.value().bytes) / (1 << 30);
  const auto speed = [&](double us) { return gib / us * 1e6; };

  const std::vector<int32_t> keep = {0};
  const auto reference = run({.order = order, .stepwise = true, .keep = keep});
  // A pin makes a whole run step by step.
  const std::vector<replay::Pin> pin = {{0, reference.kept.front()}};
  const double plain = median_us([&] { program.launch(); });
  const double copy = median_us([&] { program.copy("large", mib << 20); });
  const double restore = median_us([&] { BOHR_CHECK(replayer->restore().ok()); });
  const std::vector<ByteRange> large = {
      {program.address("large"), program.address("large") + (mib << 20)}};
  const double digest = median_us([&] { BOHR_CHECK(replayer->digest(large).ok()); });
  const double stepped = median_us([&] { run({.order = order, .pins = pin}); });
  const double compared = median_us([&] { run({.order = order, .stepwise = true}); });
  const double stopping =
      median_us([&] { run({.order = order, .stepwise = true, .expected = reference.digests}); });
  const double chained = median_us([&] { run({.order = order}); });

  std::printf("%d nodes, %.2f GiB saved\n", nodes, gib);
  const auto more = [&](double us) { return (us - plain) / nodes; };
  row("plain replay", plain, -1, -1);
  row("copy of the large block", copy, -1, static_cast<double>(mib) / 1024 / copy * 1e6);
  row("restore, with its verification", restore, -1, speed(restore));
  row("digest of the large block", digest, -1, static_cast<double>(mib) / 1024 / digest * 1e6);
  row("an order stepped, restoring", stepped, more(stepped), -1);
  row("the same, each step digested", compared, more(compared), -1);
  row("the same, stopping where it differs", stopping, more(stopping), -1);
  row("an order as one graph, restoring", chained, more(chained), -1);
}

}  // namespace
}  // namespace bohr::test

int main(int argc, char** argv) {
  if (bohr::test::gpu() == nullptr) {
    std::printf("no GPU\n");
    return 77;
  }
  bohr::test::measure(argc > 1 ? std::atoi(argv[1]) : 1000,
                      argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 256);
}

// SPDX-License-Identifier: Apache-2.0
// Which order is right: not issue order where two producers of one scratch were issued before their
// consumers; and none at all where what reads are meant to see contradicts itself.
#include <gtest/gtest.h>

#include <cstring>

#include "sim/support.h"

namespace bohr::gpu::sim {
namespace {

using Labels = std::vector<std::string>;

// The labels of a schedule's kernels.
Labels kernels_of(const bohr::Program& program, const std::vector<Step>& order) {
  Labels labels;
  for (const Step& step : order) {
    const Op& work = work_of(program, step);
    if (work.kind == bohr::OpKind::kernel) labels.emplace_back(label_of(program, work));
  }
  return labels;
}

struct Outputs {
  Words first, second;
};

// Two captured streams whose scratch shares one block. The second producer is slow, so by itself
// the first consumer is nearly always done before it writes.
ProgramText interleaved_scratch(bool apart, Outputs* outputs) {
  return [apart, outputs](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    const Event forked = gpu.make_event();
    const Event joined = gpu.make_event();
    BOHR_TRY(scratch, device_words(gpu, main, 64, "scratch"));
    BOHR_TRY(other, device_words(gpu, main, 64, "other"));
    BOHR_TRY(first, device_words(gpu, main, 64, "first"));
    BOHR_TRY(second, device_words(gpu, main, 64, "second"));
    const Words own = apart ? other : scratch;
    BOHR_TRY_STATUS(gpu.begin_capture(main, Pool(), "scratch"));
    BOHR_TRY_STATUS(gpu.record(forked, main));
    BOHR_TRY_STATUS(gpu.wait(side, forked));
    BOHR_TRY_STATUS(gpu.launch(hash_words("produce_1", 1, {}, scratch), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("produce_2", 2, {}, own), side));
    BOHR_TRY_STATUS(gpu.launch(hash_words("consume_1", 3, {scratch}, first), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("consume_2", 4, {own}, second), side));
    BOHR_TRY_STATUS(gpu.record(joined, side));
    BOHR_TRY_STATUS(gpu.wait(main, joined));
    BOHR_TRY(graph, gpu.end_capture(main));
    BOHR_TRY(exec, gpu.instantiate(graph));
    BOHR_TRY_STATUS(gpu.launch(exec, main));
    *outputs = {first, second};
    return gpu.sync_device();
  };
}

Options slow_second_producer() {
  Options machine = small_machine();
  machine.timing.kernels["produce_2"] = {20'000, 0.25};
  return machine;
}

std::vector<uint32_t> left_by(const Explored& run, const std::vector<Step>& order, Words buffer) {
  const auto replayer = replayer_of(run.ran, slow_second_producer());
  BOHR_CHECK(replayer->learn().ok());
  const auto schedule = schedule_of(replayer->steps(), order);
  replay::Request request;
  request.order = schedule;
  BOHR_CHECK(replayer->run(request).ok());
  const auto bytes = replayer->fetch({buffer.address, buffer.address + buffer.bytes()}).value();
  std::vector<uint32_t> words(buffer.count);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST(SimBaseline, ProducersOfOneScratchIssuedBeforeTheirConsumersAreReordered) {
  Outputs outputs, apart;
  explore::Options options;
  options.own_runs = 200;
  const Explored run =
      explored(interleaved_scratch(false, &outputs), slow_second_producer(), options);
  const Exploration& found = run.exploration;
  EXPECT_EQ(found.baseline, BaselineKind::reordered);
  EXPECT_EQ(found.broken_reads, 0);
  EXPECT_EQ(found.own.different, 0);  // the program by itself hides it

  ASSERT_FALSE(found.witnesses.empty());
  const Witness& witness = found.witnesses[0];
  EXPECT_TRUE(witness.right_is_baseline);
  EXPECT_TRUE(witness.reaches_output());
  EXPECT_EQ(witness.identical, 20);
  const Labels right = kernels_of(run.ran.program, witness.right);
  const bool first_goes_first = right == Labels{"produce_1", "consume_1", "produce_2", "consume_2"};
  const bool second_goes_first =
      right == Labels{"produce_2", "consume_2", "produce_1", "consume_1"};
  EXPECT_TRUE(first_goes_first || second_goes_first) << testing::PrintToString(right);

  // Right is what the same program leaves whose scratches lie apart.
  const Explored repaired = explored(interleaved_scratch(true, &apart), slow_second_producer());
  EXPECT_EQ(repaired.verdict.outcome, Outcome::clean);
  EXPECT_TRUE(repaired.exploration.witnesses.empty());
  EXPECT_EQ(repaired.exploration.baseline, BaselineKind::issue_order);
  EXPECT_EQ(left_by(run, witness.right, outputs.first), repaired.ran.words(apart.first));
  EXPECT_EQ(left_by(run, witness.right, outputs.second), repaired.ran.words(apart.second));
  EXPECT_FALSE(left_by(run, witness.wrong, outputs.first) == repaired.ran.words(apart.first) &&
               left_by(run, witness.wrong, outputs.second) == repaired.ran.words(apart.second));
}

// `x` is used twice, and the second value has a reader that waits for it beside the one that does
// not. The first value had its reader when the second was issued, so issue order is right.
ProgramText reused_buffer() {
  return [](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    const Event made = gpu.make_event();
    BOHR_TRY(x, device_words(gpu, main, 64, "x"));
    std::vector<Words> out;
    for (const char* name : {"out_1", "out_2", "out_3"}) {
      BOHR_TRY(words, device_words(gpu, main, 64, name));
      out.push_back(words);
    }
    BOHR_TRY_STATUS(gpu.launch(hash_words("make_1", 1, {}, x), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("use_1", 2, {x}, out[0]), main));
    BOHR_TRY_STATUS(gpu.record(made, main));
    BOHR_TRY_STATUS(gpu.wait(side, made));
    BOHR_TRY_STATUS(gpu.launch(hash_words("make_2", 3, {}, x), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("use_2", 4, {x}, out[1]), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("use_without_wait", 5, {x}, out[2]), side));
    return gpu.sync_device();
  };
}

TEST(SimBaseline, AValueThatWasUsedMayBeReplacedInIssueOrder) {
  const Explored run = explored(reused_buffer(), small_machine());
  EXPECT_EQ(run.exploration.baseline, BaselineKind::issue_order);
  EXPECT_EQ(pairs_of(run.exploration), std::vector<std::string>{"make_2 use_without_wait"});
  const Witness& witness = run.exploration.witnesses.at(0);
  EXPECT_EQ(witness.first.label, "make_2");
  EXPECT_EQ(witness.damaged.label, "use_without_wait");
}

// On `x` main's span has to come before side's, since make_x is known to come before side_use_x; on
// `y` by the same argument side's before main's. Main begins both of its spans before it ends one,
// and so does side: no order satisfies every read.
ProgramText contradiction() {
  return [](Runtime& gpu) -> Status {
    const Stream main = gpu.make_stream({.name = "main"});
    const Stream side = gpu.make_stream({.name = "side"});
    const Event x_made = gpu.make_event();
    const Event y_made = gpu.make_event();
    std::vector<Words> words;
    for (const char* name : {"x", "y", "main_x", "main_y", "side_x", "side_y"}) {
      BOHR_TRY(made, device_words(gpu, main, 64, name));
      words.push_back(made);
    }
    BOHR_TRY_STATUS(gpu.launch(hash_words("main_make_x", 1, {}, words[0]), main));
    BOHR_TRY_STATUS(gpu.record(x_made, main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("side_make_y", 2, {}, words[1]), side));
    BOHR_TRY_STATUS(gpu.record(y_made, side));
    BOHR_TRY_STATUS(gpu.launch(hash_words("main_make_y", 3, {}, words[1]), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("side_make_x", 4, {}, words[0]), side));
    BOHR_TRY_STATUS(gpu.launch(hash_words("main_use_x", 5, {words[0]}, words[2]), main));
    BOHR_TRY_STATUS(gpu.launch(hash_words("side_use_y", 6, {words[1]}, words[5]), side));
    BOHR_TRY_STATUS(gpu.wait(side, x_made));
    BOHR_TRY_STATUS(gpu.launch(hash_words("side_use_x", 7, {words[0]}, words[4]), side));
    BOHR_TRY_STATUS(gpu.wait(main, y_made));
    BOHR_TRY_STATUS(gpu.launch(hash_words("main_use_y", 8, {words[1]}, words[3]), main));
    return gpu.sync_device();
  };
}

TEST(SimBaseline, WhereNoOrderSatisfiesEveryReadNoneIsCalledRight) {
  const Explored run = explored(contradiction(), small_machine());
  EXPECT_EQ(run.exploration.baseline, BaselineKind::none);
  EXPECT_GT(run.exploration.broken_reads, 0);
  ASSERT_FALSE(run.exploration.witnesses.empty());
  for (const Witness& witness : run.exploration.witnesses) {
    EXPECT_FALSE(witness.right_is_baseline);
    EXPECT_EQ(witness.identical, 20);
  }
}

}  // namespace
}  // namespace bohr::gpu::sim

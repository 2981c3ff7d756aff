// SPDX-License-Identifier: Apache-2.0
// Kernels are named for what they do; `slack` is the work beside them that hides the mistake.
#include "sim/programs.h"

#include <ostream>

namespace bohr::gpu::sim {

namespace {

constexpr uint64_t kWords = 4 * kWordsPerBlock;

// Two streams, inputs and outputs, as nearly all of the programs have them.
struct Scene {
  Stream main, side;
  Words in, in2, out, out2, tmp;
};

Result<Scene> scene(Runtime& gpu) {
  Scene s;
  s.main = gpu.make_stream({.name = "main"});
  s.side = gpu.make_stream({.name = "side"});
  for (Words* words : {&s.in, &s.in2, &s.out, &s.out2, &s.tmp}) {
    BOHR_TRY(made, device_words(gpu, s.main, kWords, "b" + std::to_string(words - &s.in)));
    *words = made;
    const auto value = static_cast<uint8_t>(1 + (words - &s.in));
    BOHR_TRY_STATUS(gpu.fill(words->address, value, words->bytes(), s.main));
  }
  BOHR_TRY_STATUS(gpu.sync_device());
  return s;
}

// Orders what `later` does next behind what `earlier` did.
Status order(Runtime& gpu, Stream earlier, Stream later) {
  const Event event = gpu.make_event();
  BOHR_TRY_STATUS(gpu.record(event, earlier));
  return gpu.wait(later, event);
}

Status slack(Runtime& gpu, const Scene& s, Stream stream) {
  return gpu.launch(hash_words("slack", 9, {}, s.tmp), stream);
}

Status launched(Runtime& gpu, Stream captured, int times) {
  BOHR_TRY(graph, gpu.end_capture(captured));
  BOHR_TRY(exec, gpu.instantiate(graph));
  for (int i = 0; i < times; ++i) BOHR_TRY_STATUS(gpu.launch(exec, captured));
  return gpu.sync_device();
}

Status missing_wait(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY_STATUS(gpu.launch(hash_words("produce", 1, {s.in}, s.in2), s.main));
  if (repaired) BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(slack(gpu, s, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("consume", 2, {s.in2}, s.out), s.side));
  return gpu.sync_device();
}

// The join comes, as a capture needs it, but behind the kernel that needs it.
Status missing_join(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY_STATUS(gpu.begin_capture(s.main, Pool(), "layer"));
  BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("score", 1, {s.in}, s.in2), s.side));
  BOHR_TRY_STATUS(slack(gpu, s, s.main));
  if (repaired) BOHR_TRY_STATUS(order(gpu, s.side, s.main));
  BOHR_TRY_STATUS(gpu.launch(hash_words("attention", 2, {s.in2}, s.out), s.main));
  if (!repaired) BOHR_TRY_STATUS(order(gpu, s.side, s.main));
  return launched(gpu, s.main, 1);
}

// A block of the main stream that the side stream reads is dropped without record_stream, and its
// bytes are handed out again.
Status early_reuse_captured(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY_STATUS(gpu.begin_capture(s.main, Pool(), "decode"));
  BOHR_TRY(q, device_words(gpu, s.main, kWords, "q"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("q_gemm", 1, {s.in}, q), s.main));
  BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("indexer", 2, {q}, s.in2), s.side));
  if (repaired) BOHR_TRY_STATUS(gpu.use_on(q.address, s.side));
  BOHR_TRY_STATUS(gpu.free(q.address));
  BOHR_TRY_STATUS(slack(gpu, s, s.main));
  BOHR_TRY(kv, device_words(gpu, s.main, kWords, "kv"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("kv_store", 3, {s.in}, kv), s.main));
  BOHR_TRY_STATUS(order(gpu, s.side, s.main));
  BOHR_TRY_STATUS(gpu.launch(hash_words("attention", 4, {s.in2, kv}, s.out), s.main));
  return launched(gpu, s.main, 2);
}

Status early_reuse_eager(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY(q, device_words(gpu, s.main, kWords, "q"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("q_gemm", 1, {s.in}, q), s.main));
  BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("indexer", 2, {q}, s.out), s.side));
  if (repaired) BOHR_TRY_STATUS(gpu.use_on(q.address, s.side));
  BOHR_TRY_STATUS(gpu.free(q.address));
  BOHR_TRY_STATUS(slack(gpu, s, s.main));
  BOHR_TRY(kv, device_words(gpu, s.main, kWords, "kv"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("kv_store", 3, {s.in}, kv), s.main));
  return gpu.sync_device();
}

Status inplace_write(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY_STATUS(gpu.launch(hash_words("hidden", 1, {s.in}, s.in2), s.main));
  BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("gate", 2, {s.in2}, s.out), s.side));
  BOHR_TRY_STATUS(slack(gpu, s, s.main));
  if (repaired) BOHR_TRY_STATUS(order(gpu, s.side, s.main));
  BOHR_TRY_STATUS(gpu.launch(scale_words("scale", s.in2, 3), s.main));
  return gpu.sync_device();
}

// One event for two producers: a wait is bound to its newest record alone.
Status event_reused(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  const Stream third = gpu.make_stream({.name = "third"});
  const Event event = gpu.make_event();
  const Event second = repaired ? gpu.make_event() : event;
  BOHR_TRY_STATUS(gpu.launch(hash_words("first", 1, {s.in}, s.in2), s.main));
  BOHR_TRY_STATUS(gpu.record(event, s.main));
  BOHR_TRY_STATUS(slack(gpu, s, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("second", 2, {s.in}, s.out2), s.side));
  BOHR_TRY_STATUS(gpu.record(second, s.side));
  BOHR_TRY_STATUS(gpu.wait(third, event));
  if (repaired) BOHR_TRY_STATUS(gpu.wait(third, second));
  BOHR_TRY_STATUS(gpu.launch(hash_words("consume", 3, {s.in2, s.out2}, s.out), third));
  return gpu.sync_device();
}

Status shared_scratch(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY(scratch, device_words(gpu, s.main, kWords, "scratch"));
  BOHR_TRY(other, device_words(gpu, s.main, kWords, "other"));
  const Words second = repaired ? other : scratch;
  BOHR_TRY_STATUS(gpu.begin_capture(s.main, Pool(), "scratch"));
  BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("produce_1", 1, {s.in}, scratch), s.main));
  BOHR_TRY_STATUS(gpu.launch(hash_words("consume_1", 2, {scratch}, s.out), s.main));
  BOHR_TRY_STATUS(slack(gpu, s, s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("produce_2", 3, {s.in2}, second), s.side));
  BOHR_TRY_STATUS(gpu.launch(hash_words("consume_2", 4, {second}, s.out2), s.side));
  BOHR_TRY_STATUS(order(gpu, s.side, s.main));
  return launched(gpu, s.main, 1);
}

Result<Exec> captured_layer(Runtime& gpu, Stream stream, Pool pool, const std::string& number,
                            Words in, Words out) {
  BOHR_TRY_STATUS(gpu.begin_capture(stream, pool, "graph_" + number));
  BOHR_TRY(temporary, device_words(gpu, stream, kWords, "t" + number));
  BOHR_TRY_STATUS(gpu.launch(hash_words("make_" + number, 1, {in}, temporary), stream));
  BOHR_TRY_STATUS(gpu.launch(hash_words("use_" + number, 2, {temporary}, out), stream));
  BOHR_TRY_STATUS(gpu.free(temporary.address));
  BOHR_TRY(graph, gpu.end_capture(stream));
  return gpu.instantiate(graph);
}

// Graphs of one pool have their temporaries at the same addresses, and may not overlap.
Status one_pool(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  const Pool pool = gpu.make_pool();
  BOHR_TRY(one, captured_layer(gpu, s.main, pool, "1", s.in, s.out));
  BOHR_TRY(two, captured_layer(gpu, s.main, pool, "2", s.in2, s.out2));
  BOHR_TRY_STATUS(gpu.launch(one, s.main));
  if (repaired) BOHR_TRY_STATUS(order(gpu, s.main, s.side));
  BOHR_TRY_STATUS(slack(gpu, s, s.side));
  BOHR_TRY_STATUS(gpu.launch(two, s.side));
  return gpu.sync_device();
}

Status pinned_rewritten(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY(source, host_words(gpu, HostMemory::pinned, kWords, "source"));
  BOHR_TRY_STATUS(put_words(gpu, source, 1));
  BOHR_TRY_STATUS(slack(gpu, s, s.main));
  BOHR_TRY_STATUS(gpu.copy(s.in2.address, source.address, source.bytes(), s.main));
  if (repaired) BOHR_TRY_STATUS(gpu.sync_stream(s.main));
  BOHR_TRY_STATUS(gpu.record(gpu.make_event(), s.main));  // the host has other things to do
  BOHR_TRY_STATUS(put_words(gpu, source, 1000));
  BOHR_TRY_STATUS(gpu.launch(hash_words("consume", 2, {s.in2}, s.out), s.main));
  return gpu.sync_device();
}

Status read_before_done(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  BOHR_TRY(result, host_words(gpu, HostMemory::pinned, kWords, "result"));
  BOHR_TRY(taken, host_words(gpu, HostMemory::pinned, kWords, "taken"));
  BOHR_TRY_STATUS(gpu.launch(hash_words("compute", 2, {s.in}, s.out), s.main));
  BOHR_TRY_STATUS(gpu.copy(result.address, s.out.address, result.bytes(), s.main));
  if (repaired) BOHR_TRY_STATUS(gpu.sync_stream(s.main));
  BOHR_TRY_STATUS(put_words(gpu, taken, 0));
  const std::vector<Access> accesses = {{result.address, result.bytes(), Mode::read},
                                        {taken.address, taken.bytes(), Mode::write}};
  BOHR_TRY_STATUS(gpu.touch(accesses, [result, taken](Accessor& memory) {
    const auto from = memory.read<uint32_t>(result.address, kWords);
    const auto to = memory.write<uint32_t>(taken.address, kWords);
    for (uint64_t i = 0; i < kWords; ++i) to.put(i, from.get(i));
  }));
  return gpu.sync_device();
}

// What a programmatically launched kernel reads before its grid-dependency wait is ordered behind
// nothing that its predecessor does.
Status early_read(Runtime& gpu, bool repaired) {
  BOHR_TRY(s, scene(gpu));
  const Words early = repaired ? s.in : s.in2;
  const Words late = repaired ? s.in2 : s.in;
  BOHR_TRY_STATUS(gpu.launch(hash_words("produce", 1, {s.in}, s.in2), s.main));
  BOHR_TRY_STATUS(gpu.launch(hash_words_overlapping("overlap", 2, early, late, s.out), s.main));
  return gpu.sync_device();
}

Timing timing(const std::map<std::string, KernelCost>& kernels) {
  Timing timing;
  timing.kernels = kernels;
  return timing;
}

}  // namespace

const std::vector<RacyProgram>& racy_programs() {
  static const std::vector<RacyProgram> kPrograms = {
      {"missing_wait", missing_wait, timing({{"produce", {3400, 0.5}}, {"slack", {2000, 0.5}}}),
       "produce consume"},
      {"missing_join", missing_join, timing({{"score", {3600, 0.5}}, {"slack", {3000, 0.5}}}),
       "score attention"},
      {"early_reuse_captured", early_reuse_captured,
       timing({{"indexer", {3800, 0.5}}, {"slack", {3000, 0.5}}}), "indexer kv_store"},
      {"early_reuse_eager", early_reuse_eager,
       timing({{"indexer", {4300, 0.5}}, {"slack", {2000, 0.5}}}), "indexer kv_store"},
      {"inplace_write", inplace_write, timing({{"gate", {4200, 0.5}}, {"slack", {3000, 0.5}}}),
       "gate scale"},
      {"event_reused", event_reused, timing({{"first", {6000, 0.5}}, {"slack", {2000, 0.5}}}),
       "first consume"},
      {"shared_scratch", shared_scratch,
       timing({{"produce_1", {2000, 0.5}}, {"slack", {2800, 0.5}}}), "consume_1 produce_2"},
      {"one_pool", one_pool, timing({{"slack", {2300, 0.5}}}), "use_1 make_2"},
      {"pinned_rewritten", pinned_rewritten, timing({{"slack", {1100, 0.5}}}),
       "memcpy H2D host access"},
      {"read_before_done", read_before_done, timing({{"compute", {3400, 0.5}}}),
       "memcpy D2H host access"},
      {"early_read", early_read, timing({{"produce", {2000, 0.5}}, {"overlap", {12000, 0.5}}}),
       "produce overlap (before its wait)"}};
  return kPrograms;
}

void PrintTo(const RacyProgram& program, std::ostream* out) { *out << program.name; }

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// The program under test for launches that are held: a graph is launched some times, and after each
// launch memory must be what so many launches leave and nothing else. A launch gives `p` the number
// of launches before it and `out` twice that, then counts. By itself the race between the first two
// is never lost.
//
//   held_guest ARM NAME [MICROSECONDS [LAUNCHES]]
//
// ARM: race, clean (one wait more), candidate (`p` had contents before), updatable (a node that
// cannot be run by itself), pageable (a copy to memory that cannot be saved), threads (another
// thread works meanwhile, on memory that the graph names and does not touch), big and large (`p`
// lies at the end of a block, of 1 MiB or too large to be saved whole), destroy (the exec goes
// after 12 launches, and the same work is done without a graph from then on), rests (for 2 s after
// 12 launches), fatal (a kernel that reads what it should not ends the process), garbage (so does
// one behind it, which reads what the first made of that), steady (each launch leaves the same in
// `out`, and spoils `p`), product (each launch leaves the same everywhere, twice what an input
// holds, and no kernel's name says what it writes), hang (a kernel that reads what it should not
// waits for ever), foreign and late (somebody writes `ticks` and makes no call for it, from the
// start or once a search is well under way), overrun (clean, but `produce` also writes `zone`,
// which no node names), varies (clean, and another node writes `zone`, something else each time),
// varies_race (the same with the race), changed (the consumer writes elsewhere until it is set to
// write `out`, and a number that a kernel does not look at is set anew before each launch),
// disabled (so is a kernel that would spoil `out`), reuse (clean, but `p` is a block of an
// allocator that is given back before the consumer is done, and handed out again to a kernel that
// overwrites it), reuse_patched (given back once main has joined), hidden (as reuse, and that
// kernel has its address from memory), child (the graph is a child of another, behind a kernel that
// ticks, and in front of one). Of these changed, disabled and child are clean with
// `_clean` behind. child_set (what is a child is set anew before each launch, which is not
// followed). A kernel takes so long; 20 launches if nothing is said. Says "NAME right", or what is
// wrong.
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using Kernel = void (*)(void** params);
extern "C" void fake_hang();
extern "C" CUfunction fake_kernel(const char* name, size_t parameters, Kernel run);

namespace {

constexpr size_t kCount = 1000;
constexpr size_t kLarge = (size_t{1} << 30) + (size_t{1} << 20);
constexpr size_t kBig = size_t{1} << 20;
constexpr unsigned kSome = 12;

CUstream main_stream, side;
CUevent fork_event, join_event;
CUdeviceptr p, out, number, ticks, zone, spare;
CUfunction consume_function, count_function;
CUgraph inner = nullptr;  // what was captured, where that is a child
unsigned kernel_us = 0;
std::atomic<int> produced = 0;

template <class Value>
Value* pointer(void** params, size_t index) {
  return *static_cast<Value**>(params[index]);
}
void produce(void** params) {
  usleep(kernel_us);
  ++produced;
  for (size_t i = 0; i < kCount; ++i)
    pointer<unsigned>(params, 0)[i] = *pointer<unsigned>(params, 1);
}
void consume(void** params) {
  usleep(kernel_us);
  for (size_t i = 0; i < kCount; ++i)
    pointer<unsigned>(params, 1)[i] = 2 * pointer<unsigned>(params, 0)[i];
}
void overrun(void** params) {
  produce(params);
  *reinterpret_cast<unsigned*>(zone) = *pointer<unsigned>(params, 1);
}
void vary(void** params) {
  static unsigned value = 0;
  *pointer<unsigned>(params, 0) = ++value;
}
void count(void** params) { ++*pointer<unsigned>(params, 0); }

// What an illegal access does to its process.
void end_unless(bool right) {
  if (!right) _exit(9);
}
unsigned first_of(CUdeviceptr memory) { return *reinterpret_cast<const unsigned*>(memory); }
void consume_or_end(void** params) {
  end_unless(first_of(p) == first_of(number));
  consume(params);
}
void consume_or_hang(void** params) {
  if (first_of(p) != first_of(number)) fake_hang();
  consume(params);
}
void count_or_end(void** params) {
  end_unless(first_of(out) == 2 * first_of(number));
  count(params);
}

void launch(CUfunction function, CUstream stream, CUdeviceptr a, CUdeviceptr b) {
  void* params[] = {&a, &b};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}
void order(CUstream before, CUstream after, CUevent event) {
  cuEventRecord(event, before);
  cuStreamWaitEvent(after, event, 0);
}

constexpr unsigned kSteady = 21;
void produce_steady(void** params) {
  for (size_t i = 0; i < kCount; ++i) pointer<unsigned>(params, 0)[i] = kSteady;
}
void count_and_spoil(void** params) {
  for (size_t i = 0; i < kCount; ++i) reinterpret_cast<unsigned*>(p)[i] = 0;
  count(params);
}

void steps(void** params) {
  for (size_t i = 0; i < kCount; ++i) pointer<unsigned>(params, 0)[i] = static_cast<unsigned>(i);
}
void twice(void** params) {
  for (size_t i = 0; i < kCount; ++i)
    pointer<unsigned>(params, 0)[i] = 2 * pointer<unsigned>(params, 1)[i];
}
void sum(void** params) {
  for (size_t i = 0; i < kCount; ++i)
    pointer<unsigned>(params, 0)[i] =
        pointer<unsigned>(params, 1)[i] + pointer<unsigned>(params, 2)[i];
}

// What the allocator of a framework tells the agent of one block: handed out, given back.
class Block {
 public:
  Block(CUdeviceptr address, uint64_t bytes) : address_(address), bytes_(bytes) {
    const char* path = std::getenv("BOHR_AGENT");
    void* agent = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : nullptr;
    if (!agent) return;
    allocated_ = reinterpret_cast<void (*)(uint64_t)>(dlsym(agent, "bohr_allocated"));
    freed_ = reinterpret_cast<void (*)(uint64_t)>(dlsym(agent, "bohr_freed"));
    history_ = reinterpret_cast<void (*)(const uint64_t*, uint64_t)>(dlsym(agent, "bohr_history"));
  }
  void allocate() {
    if (!history_) return;
    allocated_(address_);
    note(0);
  }
  void free() {
    if (!history_) return;
    freed_(address_);
    note(1), note(2);
  }

 private:
  void note(uint64_t action) {
    static uint64_t index = 0;
    const uint64_t entry[] = {
        index++, 0, action, address_, bytes_, reinterpret_cast<uint64_t>(main_stream), 0, 1};
    history_(entry, 1);
  }
  uint64_t address_, bytes_;
  void (*allocated_)(uint64_t) = nullptr;
  void (*freed_)(uint64_t) = nullptr;
  void (*history_)(const uint64_t*, uint64_t) = nullptr;
};

constexpr unsigned kOverwritten = 7;
void overwrite(void** params) {
  usleep(kernel_us);
  for (size_t i = 0; i < kCount; ++i) pointer<unsigned>(params, 0)[i] = kOverwritten;
}
void overwrite_hidden(void** params) {
  overwrite(params);
  reinterpret_cast<unsigned*>(p)[0] = kOverwritten;
}

bool starts(const std::string& arm, const char* with) { return arm.rfind(with, 0) == 0; }
bool is_clean(const std::string& arm) {
  for (const char* clean : {"clean", "reuse", "reuse_patched", "hidden", "overrun", "varies",
                            "changed_clean", "disabled_clean", "child_clean"})
    if (arm == clean) return true;
  return false;
}

// What one launch does.
void submit(const std::string& arm) {
  const bool waits = is_clean(arm);
  const bool reuses = starts(arm, "reuse") || arm == "hidden";
  Block first(p, kCount * sizeof(unsigned)), second = first;
  if (reuses) first.allocate();
  if (!waits) order(main_stream, side, fork_event);
  if (arm == "product") {
    launch(fake_kernel("twice", 2, twice), main_stream, p, spare);
    void* params[] = {&out, &p, &spare};
    cuLaunchKernel(fake_kernel("sum", 3, sum), 1, 1, 1, 1, 1, 1, 0, side, params, nullptr);
    return order(side, main_stream, join_event);
  }
  const Kernel producer = arm == "steady" ? produce_steady : arm == "overrun" ? overrun : produce;
  launch(fake_kernel("_Z7producePjPKj", 2, producer), main_stream, p, number);
  if (waits) order(main_stream, side, fork_event);
  const Kernel consumer = arm == "fatal"  ? consume_or_end
                          : arm == "hang" ? consume_or_hang
                                          : consume;
  consume_function = fake_kernel("_Z7consumePKjPj", 2, consumer);
  launch(consume_function, side, p, starts(arm, "changed") ? spare : out);
  if (reuses) {
    cuEventRecord(join_event, side);
    if (arm == "reuse_patched") cuStreamWaitEvent(main_stream, join_event, 0);
    first.free();
    second.allocate();
    const Kernel writer = arm == "hidden" ? overwrite_hidden : overwrite;
    launch(fake_kernel("_Z9overwritePjPKj", 2, writer), main_stream, p, zone);
  }
  order(side, main_stream, join_event);
  if (starts(arm, "disabled"))
    launch(fake_kernel("_Z5spoilPjPKj", 2, produce), main_stream, out, number);
  static unsigned on_host = 0;
  if (arm == "pageable") cuMemcpyDtoHAsync_v2(&on_host, out, sizeof on_host, main_stream);
  if (starts(arm, "varies")) launch(fake_kernel("_Z4varyPj", 1, vary), main_stream, zone, 0);
  const char* name = arm == "updatable" ? "_Z15count_updatablePjS_" : "_Z5countPjS_";
  const Kernel last = arm == "garbage" ? count_or_end : arm == "steady" ? count_and_spoil : count;
  count_function = fake_kernel(name, 2, last);
  launch(count_function, main_stream, number, ticks);
  if (reuses) second.free();
}

void set_node(CUgraphExec exec, CUgraphNode node, CUfunction function, CUdeviceptr a,
              CUdeviceptr b) {
  void* values[] = {&a, &b};
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = values;
  cuGraphExecKernelNodeSetParams_v2(exec, node, &params);
}

// Before a launch, and after so many.
void change(const std::string& arm, CUgraph graph, CUgraphExec exec, unsigned launches) {
  CUgraphNode nodes[4];
  size_t count = 0;
  cuGraphGetNodes(graph, nodes, &count);
  if (starts(arm, "disabled")) cuGraphNodeSetEnabled(exec, nodes[2], 0);
  if (arm == "child_set") cuGraphExecChildGraphNodeSetParams(exec, nodes[1], inner);
  if (!starts(arm, "changed")) return;
  set_node(exec, nodes[1], consume_function, p, out);
  set_node(exec, nodes[2], count_function, number, launches);
}

// A graph whose second node is `child`.
CUgraph around(CUgraph child) {
  CUDA_KERNEL_NODE_PARAMS params = {};
  void* values[] = {&ticks};
  params.func = fake_kernel("_Z4tickPj", 1, count);
  params.kernelParams = values;
  CUgraph graph;
  CUgraphNode first, second, third;
  cuGraphCreate(&graph, 0);
  cuGraphAddKernelNode_v2(&first, graph, nullptr, 0, &params);
  cuGraphAddChildGraphNode(&second, graph, &first, 1, child);
  cuGraphAddKernelNode_v2(&third, graph, &second, 1, &params);
  return graph;
}

CUgraphExec captured(const std::string& arm, CUgraph* graph) {
  CUgraphExec exec;
  cuStreamBeginCapture_v2(main_stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  submit(arm);
  cuStreamEndCapture(main_stream, graph);
  if (starts(arm, "child")) inner = *graph, *graph = around(inner);
  cuGraphInstantiateWithFlags(&exec, *graph, 0);
  return exec;
}

bool holds(CUdeviceptr memory, size_t numbers, unsigned expected) {
  unsigned found[kCount];
  cuMemcpyDtoHAsync_v2(found, memory, numbers * sizeof(unsigned), main_stream);
  cuStreamSynchronize(main_stream);
  for (size_t i = 0; i < numbers; ++i)
    if (found[i] != expected) return std::printf("%u, not %u\n", found[i], expected), false;
  return true;
}

bool holds_steps(CUdeviceptr memory, unsigned times) {
  unsigned found[kCount];
  cuMemcpyDtoHAsync_v2(found, memory, sizeof found, main_stream);
  cuStreamSynchronize(main_stream);
  for (unsigned i = 0; i < kCount; ++i)
    if (found[i] != times * i) return std::printf("%u, not %u\n", found[i], times * i), false;
  return true;
}

// After launch `i`.
bool left_right(const std::string& arm, unsigned i) {
  if (arm == "product") return holds_steps(p, 2) && holds_steps(out, 3);
  const unsigned value = arm == "steady" ? kSteady : i;
  const bool reused = starts(arm, "reuse") || arm == "hidden";
  const unsigned left = arm == "steady" ? 0 : reused ? kOverwritten : i;
  if (!holds(p, kCount, left) || !holds(out, kCount, 2 * value) || !holds(number, 1, i + 1))
    return false;
  return starts(arm, "varies") || holds(zone, 1, arm == "overrun" ? i : 0);
}

// Counts in `ticks` until it is told to stop; returns how often it did. A tick that was run while a
// launch was held would be lost when memory is put back.
unsigned tick_until(const std::atomic<bool>& stop) {
  CUstream stream;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  CUfunction tick = fake_kernel("_Z4tickPj", 1, count);
  unsigned done = 0;
  for (; !stop; ++done, usleep(100)) launch(tick, stream, ticks, 0);
  return done;
}

// As a network card would, or another process. Returns the last value; 0: one was written over.
unsigned write_until(const std::atomic<bool>& stop, int begin) {
  auto* word = reinterpret_cast<volatile unsigned*>(ticks);
  unsigned last = 0;
  for (; !stop; usleep(200)) {
    if (produced < begin) continue;
    if (*word != last) return 0;
    *word = ++last;
  }
  return last;
}

constexpr int kLaterThanLearned = 30;  // runs of the first kernel
unsigned meanwhile(const std::string& arm, const std::atomic<bool>& stop) {
  if (arm == "threads") return tick_until(stop);
  if (arm == "foreign") return write_until(stop, 0);
  if (arm == "late") return write_until(stop, kLaterThanLearned);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || cuInit(0) != CUDA_SUCCESS) return 3;
  const std::string arm = argv[1];
  if (argc > 3) kernel_us = static_cast<unsigned>(std::atoi(argv[3]));
  const int launches = argc > 4 ? std::atoi(argv[4]) : 20;
  for (CUstream* stream : {&main_stream, &side}) cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
  for (CUevent* event : {&fork_event, &join_event}) cuEventCreate(event, 0);
  // Bytes of the block that lie before `p`.
  const size_t before = arm == "large" ? kLarge : arm == "big" ? kBig : 0;
  cuMemAlloc_v2(&p, before + kCount * sizeof(unsigned));
  cuMemAlloc_v2(&out, kCount * sizeof(unsigned));
  p += before;
  for (CUdeviceptr* memory : {&number, &ticks}) cuMemAlloc_v2(memory, sizeof(unsigned));
  cuMemAlloc_v2(&zone, 2 * sizeof(unsigned));
  cuMemAlloc_v2(&spare, kCount * sizeof(unsigned));
  if (arm == "product") launch(fake_kernel("_Z5stepsPjPKj", 2, steps), main_stream, spare, 0);
  if (arm == "candidate") cuMemsetD8Async(p, 7, kCount * sizeof(unsigned), main_stream);
  CUgraph graph = nullptr;
  CUgraphExec exec = captured(arm, &graph);
  std::atomic<bool> stop = false;
  unsigned ticked = 0;
  std::thread other([&] { ticked = meanwhile(arm, stop); });
  bool right = true;
  for (unsigned i = 0; static_cast<int>(i) < launches; ++i) {
    if (arm == "rests" && i == kSome) sleep(2);
    if (arm == "destroy" && i == kSome) cuGraphExecDestroy(exec);
    if (arm == "destroy" && i >= kSome)
      submit("clean");
    else
      change(arm, graph, exec, i), cuGraphLaunch(exec, main_stream);
    right = right && left_right(arm, i);
  }
  stop = true;
  other.join();
  if (starts(arm, "child")) ticked = 2 * static_cast<unsigned>(launches);
  right = right && holds(ticks, 1, ticked);
  p -= before;
  for (CUdeviceptr memory : {p, out, number, ticks, zone, spare}) cuMemFree_v2(memory);
  std::printf("%s %s\n", argv[2], right ? "right" : "wrong");
  return right ? 0 : 5;
}

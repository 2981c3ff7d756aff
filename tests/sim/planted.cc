// SPDX-License-Identifier: Apache-2.0
// The author keeps, for each stream, the last kernel of each other stream that it is behind; a wait
// is written only where that does not suffice already.
#include "sim/planted.h"

#include <algorithm>
#include <set>

#include "base/random.h"

namespace bohr::gpu::sim {

namespace {

constexpr uint64_t kWords = kWordsPerBlock;

struct Memory {
  int writer = -1;           // the kernel that wrote it last
  std::vector<int> readers;  // since then
};

class Author {
 public:
  explicit Author(const Plan& plan) : plan_(plan), random_(plan.seed * 7919) {
    script_.streams = plan.streams;
    script_.captured = plan.captured;
    script_.buffers = 2 + plan.streams + plan.kernels / 8;
    memory_.resize(script_.buffers);
    known_.assign(plan.streams, std::vector<int>(plan.streams, -1));
  }

  Script write() {
    while (stream_of_.size() < plan_.kernels)
      random_.percent(15) && stream_of_.size() + 3 <= plan_.kernels ? add_block() : add_kernel();
    script_.memories = memory_.size();
    drop_idle_records();
    return std::move(script_);
  }

 private:
  // Main does more than the others, as it does in real programs.
  size_t any_stream() { return random_.percent(20) ? 0 : random_.below(plan_.streams); }
  size_t any_buffer() { return random_.below(script_.buffers); }

  // Puts `stream` behind a kernel, if it is not yet.
  void need(size_t stream, int kernel, bool guards) {
    if (kernel < 0) return;
    const auto number = static_cast<size_t>(kernel);
    const size_t other = stream_of_[number];
    if (other == stream || known_[stream][other] >= kernel) return;
    script_.actions.push_back({Action::wait, stream, number, {}, 0, guards});
    for (size_t s = 0; s < plan_.streams; ++s)
      known_[stream][s] = std::max(known_[stream][s], knew_[number][s]);
    known_[stream][other] = std::max(known_[stream][other], kernel);
  }

  void need_all(size_t stream, size_t memory, bool guards) {
    need(stream, memory_[memory].writer, guards);
    for (const int reader : memory_[memory].readers) need(stream, reader, guards);
  }

  void kernel(size_t stream, const std::vector<size_t>& reads, size_t writes) {
    for (const size_t memory : reads) need(stream, memory_[memory].writer, false);
    need_all(stream, writes, false);
    const auto number = static_cast<int>(stream_of_.size());
    script_.actions.push_back({Action::kernel, stream, stream_of_.size(), reads, writes, false});
    script_.actions.push_back({Action::record, stream, stream_of_.size(), {}, 0, false});
    for (const size_t memory : reads)
      if (memory != writes) memory_[memory].readers.push_back(number);
    memory_[writes] = {number, {}};
    stream_of_.push_back(stream);
    knew_.push_back(known_[stream]);
  }

  // A write that nobody reads before the next one is dead, and no order of the two could show; so a
  // kernel that overwrites something unread reads it.
  void add_kernel() {
    std::set<size_t> reads = {any_buffer(), any_buffer()};
    const size_t writes = any_buffer();
    if (memory_[writes].readers.empty()) reads.insert(writes);
    kernel(any_stream(), {reads.begin(), reads.end()}, writes);
  }

  size_t alloc(size_t stream) {
    script_.actions.push_back({Action::alloc, stream, 0, {}, memory_.size(), false});
    memory_.emplace_back();
    return memory_.size() - 1;
  }

  // A block that another stream reads, and behind it one that may have the same bytes.
  void add_block() {
    const size_t owner = any_stream();
    const size_t other = (owner + 1 + random_.below(plan_.streams - 1)) % plan_.streams;
    const size_t first = alloc(owner);
    kernel(owner, {any_buffer()}, first);
    kernel(other, {first}, any_buffer());
    if (random_.percent(50))
      need_all(owner, first, true);
    else
      script_.actions.push_back({Action::use_on, other, 0, {}, first, true});
    script_.actions.push_back({Action::free, owner, 0, {}, first, false});
    const size_t second = alloc(owner);
    kernel(owner, {any_buffer()}, second);
    script_.actions.push_back({Action::free, owner, 0, {}, second, false});
  }

  void drop_idle_records() {
    std::set<size_t> waited;
    for (const Action& action : script_.actions)
      if (action.kind == Action::wait) waited.insert(action.number);
    std::erase_if(script_.actions, [&](const Action& action) {
      return action.kind == Action::record && waited.count(action.number) == 0;
    });
  }

  const Plan& plan_;
  Random random_;
  Script script_;
  std::vector<Memory> memory_;
  std::vector<size_t> stream_of_;        // by kernel
  std::vector<std::vector<int>> knew_;   // by kernel: the last kernel known of each stream
  std::vector<std::vector<int>> known_;  // by stream
};

// Issues a script.
class Play {
 public:
  Play(Runtime& gpu, const Script& script) : gpu_(gpu), script_(script) {}

  Status run() {
    for (size_t s = 0; s < script_.streams; ++s)
      streams_.push_back(gpu_.make_stream({.name = "s" + std::to_string(s)}));
    memory_.resize(script_.memories);
    for (size_t b = 0; b < script_.buffers; ++b) {
      BOHR_TRY(words, device_words(gpu_, streams_[0], kWords, "x" + std::to_string(b)));
      memory_[b] = words;
      BOHR_TRY_STATUS(
          gpu_.fill(words.address, static_cast<uint8_t>(b + 1), words.bytes(), streams_[0]));
    }
    BOHR_TRY_STATUS(gpu_.sync_device());
    if (!script_.captured) {
      BOHR_TRY_STATUS(act_all());
      return gpu_.sync_device();
    }
    BOHR_TRY_STATUS(gpu_.begin_capture(streams_[0], Pool(), "g"));
    for (size_t s = 1; s < script_.streams; ++s) BOHR_TRY_STATUS(order(0, s));
    BOHR_TRY_STATUS(act_all());
    for (size_t s = 1; s < script_.streams; ++s) BOHR_TRY_STATUS(order(s, 0));
    BOHR_TRY(graph, gpu_.end_capture(streams_[0]));
    BOHR_TRY(exec, gpu_.instantiate(graph));
    BOHR_TRY_STATUS(gpu_.launch(exec, streams_[0]));
    return gpu_.sync_device();
  }

  std::vector<Words> buffers() const {
    return {memory_.begin(), memory_.begin() + static_cast<ptrdiff_t>(script_.buffers)};
  }

 private:
  Status order(size_t earlier, size_t later) {
    const Event event = gpu_.make_event();
    BOHR_TRY_STATUS(gpu_.record(event, streams_[earlier]));
    return gpu_.wait(streams_[later], event);
  }

  Status act_all() {
    for (const Action& action : script_.actions) BOHR_TRY_STATUS(act(action));
    return Nothing{};
  }

  Status act(const Action& action) {
    const Stream stream = streams_[action.stream];
    Words& memory = memory_[action.memory];
    switch (action.kind) {
      case Action::kernel: {
        std::vector<Words> reads;
        for (const size_t read : action.reads) reads.push_back(memory_[read]);
        return gpu_.launch(hash_words("k" + std::to_string(action.number),
                                      static_cast<uint32_t>(action.number), reads, memory),
                           stream);
      }
      case Action::record:
        events_.resize(std::max(events_.size(), action.number + 1));
        events_[action.number] = gpu_.make_event();
        return gpu_.record(events_[action.number], stream);
      case Action::wait:
        return gpu_.wait(stream, events_[action.number]);
      case Action::alloc: {
        BOHR_TRY(words, device_words(gpu_, stream, kWords, "t" + std::to_string(action.memory)));
        memory = words;
        return Nothing{};
      }
      case Action::free:
        return gpu_.free(memory.address);
      case Action::use_on:
        return gpu_.use_on(memory.address, stream);
    }
    return Nothing{};
  }

  Runtime& gpu_;
  const Script& script_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;  // by kernel
  std::vector<Words> memory_;
};

bool can_be(Mistake mistake, const Action& action) {
  if (mistake == Mistake::early_reuse) return action.guards;
  return action.kind == Action::wait && !action.guards &&
         (action.stream == 0) == (mistake == Mistake::missing_join);
}

// A wait may stand in for several things; only where all that is missing is of one kind does the
// mistake have a name.
bool is_told(Mistake mistake, const Verdict& verdict) {
  const HazardClass wanted =
      mistake == Mistake::early_reuse ? HazardClass::reuse : HazardClass::data;
  return !verdict.findings.empty() &&
         std::all_of(verdict.findings.begin(), verdict.findings.end(),
                     [&](const Finding& finding) { return finding.cls == wanted; });
}

}  // namespace

ProgramText Script::text(std::vector<Words>* buffers_out) const {
  return [script = *this, buffers_out](Runtime& gpu) -> Status {
    Play play(gpu, script);
    BOHR_TRY_STATUS(play.run());
    if (buffers_out) *buffers_out = play.buffers();
    return Nothing{};
  };
}

Script right_script(const Plan& plan) { return Author(plan).write(); }

Options machine_of(const Plan& plan) {
  Options machine;
  machine.seed = plan.seed;
  machine.memory = {uint64_t{64} << 20, 4096, 4096};
  machine.timing.kernel.jitter = 0.5;
  Random random(plan.seed);
  for (size_t i = 0; i < plan.kernels; ++i)
    machine.timing.kernels["k" + std::to_string(i)] = {
        static_cast<int64_t>(random.percent(20) ? random.between(2000, 8000) : 2000), 0.5};
  return machine;
}

Planted planted(const Plan& plan) {
  Plan tried = plan;
  for (uint64_t attempt = 0;; ++attempt) {
    tried.seed = plan.seed + (attempt << 32);
    Planted result{right_script(tried), {}, machine_of(plan)};
    std::vector<size_t> places;
    for (size_t i = 0; i < result.right.actions.size(); ++i)
      if (can_be(plan.mistake, result.right.actions[i])) places.push_back(i);
    Random random(tried.seed);
    for (int trial = 0; trial < 20 && !places.empty(); ++trial) {
      result.wrong = result.right;
      result.wrong.actions.erase(result.wrong.actions.begin() +
                                 static_cast<ptrdiff_t>(random.pick(places)));
      const Ran ran = run_program(result.wrong.text(), result.machine);
      if (is_told(plan.mistake, verdict_of(ran))) return result;
    }
  }
}

}  // namespace bohr::gpu::sim

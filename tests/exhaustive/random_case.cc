// SPDX-License-Identifier: Apache-2.0
// A small model of what is legal at each line, and a die.
#include "exhaustive/random_case.h"

#include <algorithm>

#include "base/random.h"

namespace bohr::naive {

namespace {

// Sizes and offsets are multiples of this, so that ranges meet often, also in part.
constexpr size_t kUnit = 16;

enum class Memory { device, pinned, pageable };

struct Block {
  std::string name;
  size_t units = 0;
  Memory memory = Memory::device;
  bool buffer = true;
  bool freed = false;
  bool handed_off = false;       // freed in a capture, and read by eager work all the same
  int capture = -1;              // the capture that it was allocated in
  bool kept_in_capture = false;  // `uses` inside its capture: no reuse before the end
  bool used_outside = false;     // `uses` outside: the wait cannot go into a capture
  // Which bytes: unit i of this block is cell[i] of an imaginary address space.
  std::vector<size_t> cells;
};

struct Capture {
  int number = -1;  // -1: not capturing
  std::vector<std::string> streams;
  std::vector<std::string> events;
};

class Generator {
 public:
  Generator(uint64_t seed, size_t actions) : random_(seed), actions_(actions) {}
  std::vector<std::string> run();

 private:
  void declare();
  void outside();
  void inside();
  void capture();
  void stream_action(const std::string& stream);
  void memory_action(const std::string& stream);
  void kernel(const std::string& stream);
  void copy(const std::string& stream);
  void allocate(const std::string& stream);
  void allocate_over(const std::string& stream);
  void release(const std::string& stream);
  void use(const std::string& stream);
  void record(const std::string& stream);
  void wait(const std::string& stream);
  void launch(const std::string& stream);
  void host_action();
  void agent_action();
  void signal_or_await(const std::string& who);

  std::string label(const char* kind) { return kind + std::to_string(next_label_++); }
  std::string clauses(const std::vector<const char*>& verbs, const std::vector<Memory>& memory,
                      int at_most);
  std::string range(const Block& block);
  std::vector<size_t> own_blocks() const;
  std::vector<size_t> usable(const std::vector<Memory>& memory) const;
  bool can_go_over(const Block& old, size_t offset, size_t units) const;
  bool capturing() const { return capture_.number >= 0; }
  void emit(const std::string& line) { lines_.push_back(line); }
  void on(const std::string& stream, const std::string& verb);

  Random random_;
  size_t actions_;
  std::vector<std::string> lines_;
  std::vector<std::string> streams_;
  std::string legacy_;
  std::vector<std::string> threads_ = {"host"};
  std::vector<std::string> agents_;
  std::vector<Block> blocks_;
  std::vector<std::string> views_;     // ready-made ranges of buffers under another name
  std::vector<std::string> recorded_;  // events, outside captures
  std::vector<std::string> signals_;
  std::vector<std::string> graphs_;  // that may be launched
  Capture capture_;
  int captures_ = 0;
  size_t next_label_ = 0;
  size_t next_cell_ = 0;
  size_t emitted_ = 0;
  // How much of what, for this program.
  size_t order_percent_ = 20;
  size_t memory_percent_ = 20;
  size_t launch_percent_ = 6;
};

void Generator::on(const std::string& stream, const std::string& verb) {
  const bool other = !capturing() && threads_.size() > 1 && random_.percent(20);
  emit((other ? "@" + random_.pick(threads_) + " " : "") + stream + ": " + verb);
  ++emitted_;
}

void Generator::declare() {
  order_percent_ = random_.pick(std::vector<size_t>{10, 25, 45});
  memory_percent_ = random_.pick(std::vector<size_t>{5, 20, 50});
  launch_percent_ = random_.pick(std::vector<size_t>{4, 8, 20});
  emit("case 1");
  const size_t streams = random_.between(1, 4);
  for (size_t i = 0; i < streams; ++i) {
    const std::string name = "s" + std::to_string(i);
    const size_t kind = random_.below(10);
    const bool legacy = kind == 0 && legacy_.empty() && streams > 1;
    if (legacy) legacy_ = name;
    const char* word = legacy     ? " legacy"
                       : kind < 4 ? " blocking"
                       : kind < 5 ? " per-thread"
                       : kind < 7 ? " nonblocking"
                                  : "";
    emit("stream " + name + word);
    streams_.push_back(name);
  }
  for (size_t i = random_.below(3); i > 0; --i) {
    threads_.push_back("t" + std::to_string(i));
    emit("thread " + threads_.back());
  }
  for (size_t i = random_.below(2); i > 0; --i) {
    agents_.push_back("nic" + std::to_string(i));
    emit("agent " + agents_.back());
  }
  emit("pool p");
  const auto buffer = [&](const char* prefix, size_t i, Memory memory, const char* word) {
    Block block;
    block.name = prefix + std::to_string(i);
    block.units = random_.between(1, 4);
    block.memory = memory;
    for (size_t u = 0; u < block.units; ++u) block.cells.push_back(next_cell_++);
    emit("buffer " + block.name + " " + std::to_string(block.units * kUnit) + word);
    if (random_.percent(20)) emit("scratch " + block.name);
    blocks_.push_back(block);
  };
  for (size_t i = random_.between(1, 3); i > 0; --i) buffer("dev", i, Memory::device, "");
  for (size_t i = random_.below(2); i > 0; --i) buffer("pin", i, Memory::pinned, " pinned");
  for (size_t i = random_.below(2); i > 0; --i) buffer("cpu", i, Memory::pageable, " pageable");
  if (random_.percent(30)) {
    emit("view v of " + range(blocks_[0]));
    views_.push_back("v");
  }
}

std::string Generator::range(const Block& block) {
  if (block.units == 1 || random_.percent(50)) return block.name;
  const size_t low = random_.below(block.units);
  const size_t high = random_.between(low + 1, block.units);
  return block.name + "[" + std::to_string(low * kUnit) + ":" + std::to_string(high * kUnit) + "]";
}

std::vector<size_t> Generator::usable(const std::vector<Memory>& memory) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const bool right = std::find(memory.begin(), memory.end(), block.memory) != memory.end();
    const bool handed_off = block.handed_off && !capturing();
    if (right && (!block.freed || handed_off)) found.push_back(i);
  }
  return found;
}

// Words like "reads a, b[0:16] writes c"; a verb comes at most once.
std::string Generator::clauses(const std::vector<const char*>& verbs,
                               const std::vector<Memory>& memory, int at_most) {
  std::string text;
  const std::vector<size_t> blocks = usable(memory);
  if (blocks.empty()) return text;
  for (const char* verb : verbs) {
    if (at_most == 0 || !random_.percent(45)) continue;
    --at_most;
    text += std::string(" ") + verb + " ";
    const bool view = !views_.empty() && random_.percent(10);
    text += view ? views_[0] : range(blocks_[random_.pick(blocks)]);
    if (random_.percent(25)) text += ", " + range(blocks_[random_.pick(blocks)]);
  }
  return text;
}

void Generator::kernel(const std::string& stream) {
  const std::vector<Memory> reach = {Memory::device, Memory::device, Memory::pinned};
  std::string text = "kernel " + label("k");
  text += clauses({"reads", "writes", "updates", "atomics"}, reach, 3);
  if (random_.percent(25)) {
    const std::string early = clauses({"reads", "writes"}, reach, 2);
    if (!early.empty()) text += " early" + early;
    text += " pdl";
  }
  on(stream, text);
}

// Pageable to pageable or pinned would be a copy on the host; the format speaks of none.
void Generator::copy(const std::string& stream) {
  const std::vector<size_t> device = usable({Memory::device});
  const std::vector<size_t> any = usable({Memory::device, Memory::pinned, Memory::pageable});
  const std::string one = range(blocks_[random_.pick(device)]);
  const std::string other = range(blocks_[random_.pick(any)]);
  const bool up = random_.percent(50);
  on(stream, "copy " + label("c") + " from " + (up ? other : one) + " to " + (up ? one : other));
}

void Generator::allocate(const std::string& stream) {
  Block block;
  block.name = "b" + std::to_string(blocks_.size());
  block.units = random_.between(1, 4);
  block.buffer = false;
  block.capture = capture_.number;
  for (size_t u = 0; u < block.units; ++u) block.cells.push_back(next_cell_++);
  on(stream, "alloc " + block.name + " " + std::to_string(block.units * kUnit) +
                 (capturing() ? " pool p" : ""));
  blocks_.push_back(block);
}

// No live block may have any of the bytes.
bool Generator::can_go_over(const Block& old, size_t offset, size_t units) const {
  if (old.buffer || !old.freed) return false;
  if (capturing() && old.kept_in_capture && old.capture == capture_.number) return false;
  if (capturing() && old.used_outside) return false;
  for (size_t u = offset; u < std::min(old.units, offset + units); ++u) {
    for (const Block& block : blocks_) {
      if (block.freed) continue;
      if (std::find(block.cells.begin(), block.cells.end(), old.cells[u]) != block.cells.end()) {
        return false;
      }
    }
  }
  return true;
}

void Generator::allocate_over(const std::string& stream) {
  const size_t units = random_.between(1, 4);
  std::vector<std::pair<size_t, size_t>> places;  // an old block and an offset
  for (size_t i = 0; i < blocks_.size(); ++i) {
    for (size_t offset = 0; offset < blocks_[i].units; ++offset) {
      if (can_go_over(blocks_[i], offset, units)) places.push_back({i, offset});
    }
  }
  if (places.empty()) return allocate(stream);
  const auto [index, offset] = random_.pick(places);
  const Block old = blocks_[index];
  Block block;
  block.name = "b" + std::to_string(blocks_.size());
  block.units = units;
  block.buffer = false;
  block.capture = capture_.number;
  for (size_t u = 0; u < units; ++u) {
    const bool inside = offset + u < old.units;
    block.cells.push_back(inside ? old.cells[offset + u] : next_cell_++);
  }
  on(stream, "alloc " + block.name + " " + std::to_string(units * kUnit) +
                 (capturing() ? " pool p" : "") + " over " + old.name +
                 (offset == 0 ? "" : "+" + std::to_string(offset * kUnit)));
  blocks_.push_back(block);
}

// Blocks that may be freed or used here.
std::vector<size_t> Generator::own_blocks() const {
  std::vector<size_t> own;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.buffer || block.freed) continue;
    if (!capturing() || block.capture == capture_.number) own.push_back(i);
  }
  return own;
}

void Generator::release(const std::string& stream) {
  const std::vector<size_t> own = own_blocks();
  if (own.empty()) return;
  Block& block = blocks_[random_.pick(own)];
  block.freed = true;
  block.handed_off = capturing() && random_.percent(30);
  on(stream, "free " + block.name);
}

void Generator::use(const std::string& stream) {
  const std::vector<size_t> own = own_blocks();
  if (own.empty()) return;
  Block& block = blocks_[random_.pick(own)];
  (capturing() ? block.kept_in_capture : block.used_outside) = true;
  on(stream, "uses " + block.name);
}

void Generator::record(const std::string& stream) {
  if (!capturing()) {
    recorded_.push_back("e" + std::to_string(random_.below(4)));
    return on(stream, "record " + recorded_.back());
  }
  const std::string event =
      "c" + std::to_string(capture_.number) + "_" + std::to_string(random_.below(3));
  capture_.events.push_back(event);
  on(stream, "record " + event);
}

// Inside a capture a wait on one of its events also brings a stream in. An event from outside
// orders nothing there.
void Generator::wait(const std::string& stream) {
  const std::string outside_event = "e" + std::to_string(random_.below(4));
  if (!capturing() || capture_.events.empty()) return on(stream, "wait " + outside_event);
  if (random_.percent(5)) return on(stream, "wait " + outside_event);
  std::string waiter = stream;
  if (random_.percent(60)) {
    const std::string other = random_.pick(streams_);
    if (other != legacy_) waiter = other;
  }
  auto& joined = capture_.streams;
  if (std::find(joined.begin(), joined.end(), waiter) == joined.end()) joined.push_back(waiter);
  on(waiter, "wait " + random_.pick(capture_.events));
}

void Generator::launch(const std::string& stream) {
  if (graphs_.empty()) return kernel(stream);
  on(stream, "launch " + random_.pick(graphs_));
}

void Generator::memory_action(const std::string& stream) {
  const size_t die = random_.below(100);
  if (die < 20) return allocate(stream);
  if (die < 50) return allocate_over(stream);
  if (die < 85) return release(stream);
  use(stream);
}

void Generator::stream_action(const std::string& stream) {
  if (random_.percent(order_percent_)) {
    return random_.percent(50) ? record(stream) : wait(stream);
  }
  if (random_.percent(memory_percent_)) return memory_action(stream);
  const size_t die = random_.below(100);
  if (die < 75) return kernel(stream);
  if (die < 88) return copy(stream);
  if (die < 94) {
    const std::vector<size_t> any = usable({Memory::device, Memory::pinned});
    return on(stream, "fill " + label("f") + " " + range(blocks_[random_.pick(any)]));
  }
  on(stream, "callback " + label("h") +
                 clauses({"reads", "writes"}, {Memory::pinned, Memory::pageable}, 2));
}

void Generator::inside() { stream_action(random_.pick(capture_.streams)); }

void Generator::capture() {
  std::vector<std::string> able;
  for (const std::string& stream : streams_) {
    if (stream != legacy_) able.push_back(stream);
  }
  if (able.empty() || captures_ == 3) return;
  const std::string origin = random_.pick(able);
  const std::string name = "g" + std::to_string(captures_);
  capture_ = {captures_++, {origin}, {}};
  emit("capture " + name + " on " + origin);
  for (size_t i = random_.between(2, 9); i > 0; --i) inside();
  emit("end " + name);
  capture_ = {};
  graphs_.push_back(name);
  on(random_.pick(streams_), "launch " + name);
}

void Generator::signal_or_await(const std::string& who) {
  ++emitted_;
  if (signals_.empty() || random_.percent(50)) {
    signals_.push_back("m" + std::to_string(signals_.size()));
    return emit(who + ": signal " + signals_.back());
  }
  emit(who + ": await " + random_.pick(signals_));
}

void Generator::host_action() {
  const std::string thread = random_.pick(threads_);
  const size_t die = random_.below(100);
  ++emitted_;
  if (die < 40) {
    const std::vector<Memory> reach = {Memory::pinned, Memory::pageable};
    return emit(thread + ": touch " + label("x") + clauses({"reads", "writes"}, reach, 2));
  }
  if (die < 50) return emit(thread + ": sync " + random_.pick(streams_));
  if (die < 60 && !recorded_.empty()) return emit(thread + ": sync " + random_.pick(recorded_));
  if (die < 63) return emit(thread + ": sync device");
  --emitted_;
  signal_or_await(thread);
}

void Generator::agent_action() {
  const std::string agent = random_.pick(agents_);
  if (random_.percent(50)) return signal_or_await(agent);
  ++emitted_;
  emit(agent + ": touch " + label("y") +
       clauses({"reads", "writes"}, {Memory::device, Memory::pinned}, 2));
}

void Generator::outside() {
  const size_t die = random_.below(100);
  if (die < 6) return capture();
  if (die < 6 + launch_percent_) return launch(random_.pick(streams_));
  if (die < 35) return host_action();
  if (die < 40 && !agents_.empty()) return agent_action();
  stream_action(random_.pick(streams_));
}

std::vector<std::string> Generator::run() {
  declare();
  // Actions that find nothing to act on emit nothing; the second bound keeps this finite.
  for (size_t i = 0; emitted_ < actions_ && i < 4 * actions_; ++i) outside();
  return lines_;
}

}  // namespace

std::vector<std::string> random_case(uint64_t seed, size_t actions) {
  return Generator(seed, actions).run();
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace bohr::naive

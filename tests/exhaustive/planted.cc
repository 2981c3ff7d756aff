// SPDX-License-Identifier: Apache-2.0
// Each kernel is followed by a record, so that a wait for it can be written anywhere later.
#include "exhaustive/planted.h"

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "check/check.h"
#include "exhaustive/random_case.h"
#include "trace/case_reader.h"

namespace bohr::naive {

namespace {

struct Memory {
  std::string name;
  int writer = -1;           // the kernel that wrote it last
  std::vector<int> readers;  // since then
};

class Generator {
 public:
  Generator(uint64_t seed, size_t kernels, size_t streams, bool captured)
      : random_(seed), kernels_(kernels), streams_(streams), captured_(captured) {}

  void run() {
    line("case 1");
    for (size_t s = 0; s < streams_; ++s) line("stream s" + std::to_string(s));
    const size_t buffers = 2 + streams_ + kernels_ / 8;
    for (size_t b = 0; b < buffers; ++b) {
      memory_.push_back({"x" + std::to_string(b), -1, {}});
      line("buffer x" + std::to_string(b) + " 4096");
    }
    known_.assign(streams_, std::vector<int>(streams_, -1));
    if (captured_) begin_capture();
    while (stream_of_.size() < kernels_)
      random_.percent(15) && stream_of_.size() + 3 <= kernels_ ? add_block() : add_kernel();
    if (captured_) end_capture();
  }

  const std::vector<std::string>& lines() const { return lines_; }
  const std::vector<size_t>& waits() const { return waits_; }

 private:
  void line(std::string text) { lines_.push_back(std::move(text)); }

  void begin_capture() {
    line("capture g on s0");
    line("s0: record fork");
    for (size_t s = 1; s < streams_; ++s) line("s" + std::to_string(s) + ": wait fork");
  }

  void end_capture() {
    for (size_t s = 1; s < streams_; ++s) {
      line("s" + std::to_string(s) + ": record join" + std::to_string(s));
      line("s0: wait join" + std::to_string(s));
    }
    line("end g");
    line("s0: launch g");
  }

  // Makes `stream` come after a kernel, if it does not yet.
  void need(size_t stream, int kernel) {
    if (kernel < 0) return;
    const size_t other = stream_of_[static_cast<size_t>(kernel)];
    if (other == stream || known_[stream][other] >= kernel) return;
    waits_.push_back(lines_.size());
    line("s" + std::to_string(stream) + ": wait e" + std::to_string(kernel));
    const std::vector<int>& theirs = knew_[static_cast<size_t>(kernel)];
    for (size_t s = 0; s < streams_; ++s)
      known_[stream][s] = std::max(known_[stream][s], theirs[s]);
    known_[stream][other] = std::max(known_[stream][other], kernel);
  }

  void need_all(size_t stream, const Memory& memory) {
    need(stream, memory.writer);
    for (const int reader : memory.readers) need(stream, reader);
  }

  int kernel(size_t stream, const std::vector<Memory*>& reads, Memory* writes) {
    for (const Memory* memory : reads) need(stream, memory->writer);
    need_all(stream, *writes);
    const int number = static_cast<int>(stream_of_.size());
    std::string text = "s" + std::to_string(stream) + ": kernel k" + std::to_string(number);
    for (size_t i = 0; i < reads.size(); ++i) text += (i ? ", " : " reads ") + reads[i]->name;
    line(text + " writes " + writes->name);
    line("s" + std::to_string(stream) + ": record e" + std::to_string(number));
    for (Memory* memory : reads)
      if (memory != writes) memory->readers.push_back(number);
    writes->writer = number;
    writes->readers.clear();
    stream_of_.push_back(stream);
    knew_.push_back(known_[stream]);
    return number;
  }

  void add_kernel() {
    const size_t stream = random_.below(streams_);
    std::vector<Memory*> reads;
    for (size_t i = random_.between(1, 2); i > 0; --i) {
      Memory* memory = &memory_[random_.below(memory_.size())];
      if (std::find(reads.begin(), reads.end(), memory) == reads.end()) reads.push_back(memory);
    }
    kernel(stream, reads, &memory_[random_.below(memory_.size())]);
  }

  // A block that another stream reads, and whose bytes its owner then uses for another one.
  void add_block() {
    const size_t owner = random_.below(streams_), other = random_.below(streams_);
    const std::string number = std::to_string(blocks_++), on = "s" + std::to_string(owner) + ": ";
    Memory first{"t" + number, -1, {}}, second{"u" + number, -1, {}};
    line(on + "alloc " + first.name + " 4096");
    kernel(owner, {&memory_[random_.below(memory_.size())]}, &first);
    kernel(other, {&first}, &memory_[random_.below(memory_.size())]);
    need_all(owner, first);
    line(on + "free " + first.name);
    line(on + "alloc " + second.name + " 4096 over " + first.name);
    kernel(owner, {&memory_[random_.below(memory_.size())]}, &second);
    line(on + "free " + second.name);
  }

  Random random_;
  size_t kernels_, streams_;
  bool captured_;
  std::vector<std::string> lines_;
  std::vector<size_t> waits_;  // lines that may be left out
  std::vector<Memory> memory_;
  std::vector<size_t> stream_of_;        // of each kernel
  std::vector<std::vector<int>> knew_;   // by kernel: the last kernel known of each stream
  std::vector<std::vector<int>> known_;  // by stream
  size_t blocks_ = 0;
};

Program read(const std::string& text) {
  auto program = trace::read_case(text, "planted");
  BOHR_CHECK(program.ok());
  return std::move(program).value();
}

bool has_a_race(const Program& program) {
  const auto verdict = check::check(program, {});
  BOHR_CHECK(verdict.ok());
  return !verdict.value().findings.empty();
}

}  // namespace

Planted planted_program(uint64_t seed, size_t kernels, size_t streams, bool captured) {
  Random random(seed * 7919);
  for (uint64_t attempt = 0;; ++attempt) {
    Generator generator(seed + (attempt << 32), kernels, streams, captured);
    generator.run();
    Planted planted;
    planted.right_text = join_lines(generator.lines());
    planted.right = read(planted.right_text);
    for (int trial = 0; trial < 20 && !generator.waits().empty(); ++trial) {
      std::vector<std::string> lines = generator.lines();
      lines.erase(lines.begin() + static_cast<ptrdiff_t>(random.pick(generator.waits())));
      planted.wrong_text = join_lines(lines);
      planted.wrong = read(planted.wrong_text);
      if (has_a_race(planted.wrong)) return planted;
    }
  }
}

}  // namespace bohr::naive

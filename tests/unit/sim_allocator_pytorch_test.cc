// SPDX-License-Identifier: Apache-2.0
// The caching allocator against PyTorch's own: random calls and the memory history they left in
// PyTorch 2.11 on an H200 (tests/golden/allocator_*.txt, made by tools/record_allocator.py). The
// allocator is given the same calls, and the driver's own segment addresses, and must write the
// same history.
//
// "> call" is what the program did, "= entry" what the history says of it:
//   > limit BYTES                    the driver's memory
//   > alloc N BYTES STREAM | free N | use N STREAM
//   > hold STREAM | release          the stream is kept busy; all streams are idle again
//   > capture POOL STREAM… | end POOL | drop POOL | empty
//   = ACTION ADDRESS BYTES STREAM    or "= oom"
// Frees that complete together, and segments that go together, may do so in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "unit/sim_device.h"

namespace bohr::gpu::sim {
namespace {

using Lines = std::vector<std::string>;

struct Call {
  size_t line = 0;
  std::string text;
  Lines history;
};

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::vector<Call> read_calls(const std::string& path) {
  std::ifstream file(path);
  std::vector<Call> calls;
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (starts_with(line, "> ")) calls.push_back({number, line.substr(2), {}});
    if (starts_with(line, "= ")) calls.back().history.push_back(line.substr(2));
  }
  return calls;
}

// The addresses that the driver gave, last first.
std::vector<uint64_t> segment_addresses(const std::vector<Call>& calls) {
  std::vector<uint64_t> addresses;
  for (const Call& call : calls) {
    for (const std::string& line : call.history) {
      if (starts_with(line, "segment_alloc ")) {
        addresses.push_back(std::stoull(line.substr(14), nullptr, 16));
      }
    }
  }
  std::reverse(addresses.begin(), addresses.end());
  return addresses;
}

std::string action(const std::string& line) { return line.substr(0, line.find(' ')); }

// Sorts entries of a run of one action.
Lines settled(Lines lines) {
  for (auto run = lines.begin(); run != lines.end();) {
    const auto end = std::find_if(
        run, lines.end(), [&](const std::string& line) { return action(line) != action(*run); });
    std::sort(run, end);
    run = end;
  }
  return lines;
}

class Player {
 public:
  explicit Player(const std::vector<Call>& calls) : allocator_(device_.driver()) {
    device_.addresses = segment_addresses(calls);
  }

  Lines play(const std::string& text) {
    std::istringstream words(text);
    std::string verb;
    words >> verb;
    bool refused = false;
    if (verb == "limit") {
      words >> device_.limit;
    } else if (verb == "alloc") {
      uint64_t name = 0, bytes = 0;
      words >> name >> bytes;
      const Result<Allocation> made = allocator_.alloc(bytes, stream(words));
      if (made.ok()) blocks_[name] = made.value().address;
      refused = !made.ok();
    } else if (verb == "free") {
      refused = !allocator_.free(block(words)).ok();
    } else if (verb == "use") {
      const uint64_t address = block(words);
      refused = !allocator_.record_stream(address, stream(words)).ok();
    } else if (verb == "hold") {
      device_.hold(stream(words));
    } else if (verb == "release") {
      device_.release();
    } else if (verb == "capture") {
      const PoolId pool(number(words));
      std::set<StreamId> streams;
      for (int32_t id = 0; words >> id;) streams.insert(StreamId(id));
      refused =
          !allocator_.begin_capture(pool, [streams](StreamId s) { return streams.count(s); }).ok();
    } else if (verb == "end") {
      allocator_.end_capture(PoolId(number(words)));
    } else if (verb == "drop") {
      allocator_.drop_graph(PoolId(number(words)));
    } else if (verb == "empty") {
      refused = !allocator_.empty_cache().ok();
    } else {
      ADD_FAILURE() << "unknown call: " << text;
    }
    Lines lines = device_.lines();
    if (refused) lines.push_back("oom");
    return lines;
  }

 private:
  static int32_t number(std::istream& words) {
    int32_t value = -1;
    words >> value;
    return value;
  }
  static StreamId stream(std::istream& words) { return StreamId(number(words)); }
  uint64_t block(std::istream& words) { return blocks_.at(static_cast<uint64_t>(number(words))); }

  TestDevice device_;
  CachingAllocator allocator_;
  std::map<uint64_t, uint64_t> blocks_;  // address by the call's number
};

void expect_same_history(const std::string& name) {
  const std::vector<Call> calls =
      read_calls(std::string(BOHR_SOURCE_DIR) + "/tests/golden/" + name);
  ASSERT_GT(calls.size(), 500u);
  Player player(calls);
  for (const Call& call : calls) {
    ASSERT_EQ(settled(player.play(call.text)), settled(call.history))
        << name << ":" << call.line << ": " << call.text;
  }
}

TEST(SimAllocatorPytorch, WritesTheSameHistoryWhenMemoryIsTight) {
  expect_same_history("allocator_tight.txt");  // 300 MiB
}

TEST(SimAllocatorPytorch, WritesTheSameHistoryWhenThereIsRoom) {
  expect_same_history("allocator_wide.txt");  // 4 GiB
}

}  // namespace
}  // namespace bohr::gpu::sim

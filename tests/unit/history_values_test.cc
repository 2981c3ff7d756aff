// SPDX-License-Identifier: Apache-2.0
// Readers of allocators' own histories: pickles without their code, JSON, RMM's lines.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "trace/allocator_history.h"
#include "trace/pickle.h"

namespace bohr::trace {
namespace {

using Bytes = std::vector<uint8_t>;
using Kind = PlainValue::Kind;

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

Result<PlainValues> pickle(std::string_view text) { return read_pickle(bytes_of(text), "test"); }
std::string code_of(std::string_view text) {
  const auto read = pickle(text);
  return read.ok() ? "" : read.error().code;
}
// A literal with zeros in it.
#define PICKLE(text) std::string_view(text, sizeof(text) - 1)

TEST(Pickle, ReadsNumbersOfEachSize) {
  const auto read = pickle(
      PICKLE("\x80\x04\x95\0\0\0\0\0\0\0\0]\x94(K\xffM\xff\xffJ\xfe\xff\xff\xff\x8a\x01\x80\x8a\x09"
             "\0\0\0\0\0\0\0\x80\0\x8a\0e."));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const auto* list = read.value().list_of(&read.value().root);
  ASSERT_NE(list, nullptr);
  std::vector<uint64_t> numbers;
  for (const PlainValue& value : *list) {
    EXPECT_EQ(value.kind, Kind::integer);
    numbers.push_back(value.bits);
  }
  EXPECT_EQ(numbers, (std::vector<uint64_t>{255, 65535, static_cast<uint64_t>(-2),
                                            static_cast<uint64_t>(-128), uint64_t{1} << 63, 0}));
}

TEST(Pickle, ReadsDictionariesTuplesAndWhatIsUsedAgain) {
  // {"a": (1, 2), "b": the same tuple, "c": [None, True]}
  const auto read =
      pickle(PICKLE("\x80\x04}\x94(\x8c\x01"
                    "a\x94K\x01K\x02\x86\x94\x8c\x01"
                    "b\x94h\x02\x8c\x01"
                    "c\x94](N\x88"
                    "eu."));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const PlainValues& values = read.value();
  const auto* a = values.find(values.root, "a");
  const auto* b = values.find(values.root, "b");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(values.list_of(a)->size(), 2u);
  EXPECT_EQ(a->bits, b->bits);
  EXPECT_EQ(values.list_of(values.find(values.root, "c"))->at(1).kind, Kind::boolean);
  EXPECT_EQ(values.find(values.root, "d"), nullptr);
}

// As PyTorch's own writer in C++ makes them: protocol 2, numbered memo, one item at a time.
TEST(Pickle, ReadsTheOlderProtocol) {
  const auto read =
      pickle(PICKLE("\x80\x02}q\0(X\x01\0\0\0aq\x01]q\x02(K\x07"
                    "eX\x01\0\0\0bG"
                    "\x3f\xf0\0\0\0\0\0\0u."));
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const PlainValues& values = read.value();
  EXPECT_EQ(values.list_of(values.find(values.root, "a"))->at(0).bits, 7u);
  EXPECT_EQ(values.find(values.root, "b")->kind, Kind::real);
}

TEST(Pickle, RefusesWhatWouldRun) {
  // os.system("true"), in the ways that there are to write it.
  EXPECT_EQ(code_of(PICKLE("\x80\x02"
                           "cos\nsystem\nX\x04\0\0\0true\x85R.")),
            "history-object");
  EXPECT_EQ(code_of(PICKLE("\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.")),
            "history-object");
  EXPECT_EQ(code_of(PICKLE("\x80\x02(S'true'\nios\nsystem\n.")), "history-object");
  for (const char code : {'R', 'b', 'o', 'i', 'c', 'P', 'Q', '\x81', '\x92', '\x93', '\x82'})
    EXPECT_EQ(code_of(std::string("\x80\x04]", 3) + code + "."), "history-object") << code;
}

TEST(Pickle, RefusesDamage) {
  for (const std::string_view text :
       {PICKLE("\x80\x04"), PICKLE("\x80\x09N."), PICKLE("\x80\x04."), PICKLE("\x80\x04NN."),
        PICKLE("\x80\x04(N."), PICKLE("\x80\x04h\x05."),
        PICKLE("\x80\x04"
               "e."),
        PICKLE("\x80\x04Na."), PICKLE("\x80\x04}(Nu."), PICKLE("\x80\x04(Nd."),
        PICKLE("\x80\x04\x8c\xffx."), PICKLE("\x80\x04X\xff\xff\xff\xffx."),
        PICKLE("\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffx."), PICKLE("\x80\x04]NNs."),
        PICKLE("\x80\x04](0."), PICKLE("\x80\x04\x8a\x0a\0\0\0\0\0\0\0\0\0\0."),
        PICKLE("\x80\x04\x8a\x09\0\0\0\0\0\0\0\0\x01."),
        PICKLE("\x80\x04N(K\x01\x86"
               "0.")})
    EXPECT_EQ(code_of(text), "history-damaged") << text;
}

TEST(Pickle, AListInItselfIsRead) {
  EXPECT_TRUE(pickle(PICKLE("\x80\x04]\x94h\0"
                            "a."))
                  .ok());
}

AllocatorHistory history(std::string_view text) {
  auto read = read_history(bytes_of(text), "test");
  EXPECT_TRUE(read.ok()) << to_string(read.error());
  return read.ok() ? std::move(read).value() : AllocatorHistory();
}
std::string refusal(std::string_view text) {
  const auto read = read_history(bytes_of(text), "test");
  return read.ok() ? "" : read.error().code + " " + read.error().where;
}

constexpr const char* kEntry =
    R"({"action": "alloc", "addr": 4096, "size": 512, "stream": 7, "time_us": 1})";

std::string snapshot(const std::string& entries, const std::string& segments = "") {
  return R"({"segments": [)" + segments + R"(], "device_traces": [[], [)" + entries + "]]}";
}

TEST(TorchSnapshot, EntriesBecomeEvents) {
  const AllocatorHistory read = history(snapshot(
      R"({"action": "segment_alloc", "addr": 4096, "size": 2097152, "stream": 0},
         {"action": "snapshot", "addr": 0, "size": 0, "stream": 0},
         {"action": "oom", "device_free": 1, "size": 8, "stream": 0},
         {"action": "alloc", "addr": 4096, "size": 512, "stream": 7, "segment_pool_id": [0, 3],
          "frames": [{"name": "f", "filename": "a.py", "line": 3}]},
         {"action": "free_requested", "addr": 4096, "size": 512, "stream": 7},
         {"action": "free_completed", "addr": 4096, "size": 512, "stream": 7})"));
  ASSERT_EQ(read.events.size(), 4u);
  EXPECT_TRUE(read.tells_segments);
  const HistoryEvent& alloc = read.events[1];
  EXPECT_EQ(alloc.action, HistoryAction::alloc);
  EXPECT_EQ(alloc.device, 1u);
  EXPECT_EQ(alloc.address, 4096u);
  EXPECT_EQ(alloc.bytes, 512u);
  EXPECT_EQ(alloc.stream, 7u);
  EXPECT_TRUE(alloc.pool_known);
  EXPECT_EQ(alloc.pool_b, 3u);
  ASSERT_EQ(alloc.stack, 1u);
  EXPECT_EQ(read.stacks[0][0].file, "a.py");
  EXPECT_FALSE(read.events[2].pool_known);
}

TEST(TorchSnapshot, OlderEntriesHaveThePoolOfTheirSegment) {
  const AllocatorHistory read = history(
      snapshot(kEntry, R"({"address": 4096, "total_size": 4096, "segment_pool_id": [0, 5]})"));
  EXPECT_TRUE(read.events[0].pool_known);
  EXPECT_EQ(read.events[0].pool_b, 5u);
  const AllocatorHistory other = history(
      snapshot(kEntry, R"({"address": 8192, "total_size": 4096, "segment_pool_id": [0, 5]})"));
  EXPECT_FALSE(other.events[0].pool_known);
}

TEST(TorchSnapshot, WhatIsNoneIsRefusedByItsPlace) {
  EXPECT_EQ(refusal("{}"), "history-damaged device_traces");
  EXPECT_EQ(refusal(R"({"device_traces": [1]})"), "history-damaged device_traces[0]");
  EXPECT_EQ(refusal(snapshot(R"({"action": "alloc", "addr": 1})")),
            "history-damaged device_traces[1][0]");
  EXPECT_EQ(refusal(snapshot(R"({"addr": 1})")), "history-damaged device_traces[1][0]");
  EXPECT_EQ(refusal(snapshot("")), "history-empty device_traces");
  EXPECT_EQ(refusal("{\"device_traces\": ["), "history-damaged byte 20");
  EXPECT_EQ(refusal("something else"), "history-unknown ");
  EXPECT_EQ(refusal(""), "history-unknown ");
}

constexpr const char* kHeader = "Thread,Time,Action,Pointer,Size,Stream\n";

TEST(RmmLog, LinesBecomeEvents) {
  const AllocatorHistory read = history(std::string(kHeader) +
                                        "140,11:22:33.123456,allocate,0x7f0000000000,1024,0x55aa\n"
                                        "140,11:22:33.123457,allocate failure,(nil),999999,0x55aa\n"
                                        "141,11:22:33.123458,free,0x7f0000000000,1024,0\n"
                                        "140,11:22:33.123459,allo");
  ASSERT_EQ(read.events.size(), 3u) << "the last line was being written";
  EXPECT_EQ(read.events[0].address, 0x7f0000000000u);
  EXPECT_EQ(read.events[0].stream, 0x55aau);
  EXPECT_EQ(read.events[1].action, HistoryAction::free_requested);
  EXPECT_EQ(read.events[2].action, HistoryAction::free_completed);
  EXPECT_EQ(read.events[1].stream, 0u);
  EXPECT_FALSE(read.tells_segments);
}

TEST(RmmLog, DamageIsToldByItsLine) {
  const std::string header = kHeader;
  EXPECT_EQ(refusal(header + "1,2,allocate,0x10,16\n"), "history-damaged line 2");
  EXPECT_EQ(refusal(header + "1,2,allocate,0x10,16,0,9\n"), "history-damaged line 2");
  EXPECT_EQ(refusal(header + "1,2,grow,0x10,16,0\n"), "history-damaged line 2");
  EXPECT_EQ(refusal(header + "1,2,free,0x10,16,0\n1,2,free,x,16,0\n"), "history-damaged line 3");
  EXPECT_EQ(refusal(header + "1,2,free,0x10,-1,0\n"), "history-damaged line 2");
  EXPECT_EQ(refusal(header), "history-empty ");
}

}  // namespace
}  // namespace bohr::trace

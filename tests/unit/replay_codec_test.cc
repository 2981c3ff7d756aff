// SPDX-License-Identifier: Apache-2.0
// Bodies of messages between a guest's agent and whoever explores it: what is sent arrives, and
// what is cut off, longer, or says lengths that cannot be is refused as a whole.
#include <gtest/gtest.h>

#include "replay/hold.h"
#include "replay/service.h"

namespace bohr::test {
namespace {

using namespace replay;

const ByteRange kRange{0x7f0000001000, 0x7f0000001040};
const ByteRange kOther{0x7f0000002000, 0x7f0000002010};

OwnedRequest request() {
  OwnedRequest request;
  request.order = {2, 0, 1};
  request.contents = {{kRange, {1, 2, 3}}, {kOther, {}}};
  request.pins = {{1, {9, 8}}, {2, {}}};
  request.expected = {1, ~uint64_t{0}, 3};
  request.keep = {0, 2};
  request.ignored = {kRange, kOther};
  request.stepwise = true;
  return request;
}

replay::Outcome outcome() {
  replay::Outcome outcome;
  outcome.ran = 3;
  outcome.digests = {7, ~uint64_t{0}};
  outcome.kept = {{1, 2}, {}, {3}};
  outcome.changed = {{2, kRange}, {0, kOther}};
  outcome.spans = {{-1, -1}, {5, 6}};
  return outcome;
}

Learned learned() { return {{4096, 0xfeed, 2, {kOther}}, {{kRange}, {}, {kRange, kOther}}}; }

Offer offer() { return {"0.1.0", "/tmp/run 1/77.bohr", 3, 4, ~uint64_t{0}, 1703, true}; }

Answer answer() {
  Answer answer;
  answer.explore = true;
  answer.ask_again = 11;
  answer.rest_ms = 250;
  answer.longest_ms = 20000;
  answer.plan.steps = {{{kRange, kOther}, {kRange}, {kOther}, true}, {{}, {}, {}, false}};
  answer.plan.blank = {kRange};
  answer.plan.watched = {kOther, kRange};
  answer.nodes = {1, -1, 0};
  return answer;
}

TEST(Codecs, ARequestArrives) {
  const OwnedRequest sent = request();
  const auto got = request_of(body_of(sent.view()));
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  const OwnedRequest& r = got.value();
  EXPECT_EQ(r.order, sent.order);
  ASSERT_EQ(r.contents.size(), 2u);
  EXPECT_EQ(r.contents[0].range, kRange);
  EXPECT_EQ(r.contents[0].bytes, sent.contents[0].bytes);
  EXPECT_TRUE(r.contents[1].bytes.empty());
  ASSERT_EQ(r.pins.size(), 2u);
  EXPECT_EQ(r.pins[0].step, 1);
  EXPECT_EQ(r.pins[0].bytes, sent.pins[0].bytes);
  EXPECT_EQ(r.expected, sent.expected);
  EXPECT_EQ(r.keep, sent.keep);
  EXPECT_EQ(r.ignored, sent.ignored);
  EXPECT_TRUE(r.stepwise);
  EXPECT_FALSE(r.observe);
  OwnedRequest watched = sent;
  watched.observe = true, watched.stepwise = false;
  const auto other = request_of(body_of(watched.view()));
  ASSERT_TRUE(other.ok());
  EXPECT_TRUE(other.value().observe);
  EXPECT_FALSE(other.value().stepwise);
}

TEST(Codecs, AnOutcomeArrives) {
  const auto got = outcome_of(body_of(outcome()));
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  const replay::Outcome& o = got.value();
  EXPECT_EQ(o.ran, 3u);
  EXPECT_EQ(o.digests, outcome().digests);
  EXPECT_EQ(o.kept, outcome().kept);
  ASSERT_EQ(o.changed.size(), 2u);
  EXPECT_EQ(o.changed[0].step, 2);
  EXPECT_EQ(o.changed[1].range, kOther);
  ASSERT_EQ(o.spans.size(), 2u);
  EXPECT_EQ(o.spans[0].begin_ns, -1);
  EXPECT_EQ(o.spans[1].end_ns, 6);
}

TEST(Codecs, WhatWasLearnedArrives) {
  const auto got = learned_of(body_of(learned()));
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  EXPECT_EQ(got.value().saved.bytes, 4096u);
  EXPECT_EQ(got.value().saved.digest, 0xfeedu);
  EXPECT_EQ(got.value().saved.contents, 2);
  EXPECT_EQ(got.value().saved.unseen, (std::vector<ByteRange>{kOther}));
  EXPECT_EQ(got.value().written, learned().written);
}

TEST(Codecs, AnOfferArrives) {
  const auto got = offer_of(body_of(offer()));
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  const Offer& o = got.value();
  EXPECT_EQ(o.version, "0.1.0");
  EXPECT_EQ(o.log, "/tmp/run 1/77.bohr");
  EXPECT_EQ(o.exec, 3u);
  EXPECT_EQ(o.graph, 4u);
  EXPECT_EQ(o.launch, ~uint64_t{0});
  EXPECT_EQ(o.nodes, 1703u);
  EXPECT_TRUE(o.paused);
}

TEST(Codecs, AnAnswerArrives) {
  const auto got = answer_of(body_of(answer()));
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  const Answer& a = got.value();
  EXPECT_TRUE(a.explore);
  EXPECT_EQ(a.ask_again, 11u);
  EXPECT_EQ(a.rest_ms, 250u);
  EXPECT_EQ(a.longest_ms, 20000u);
  ASSERT_EQ(a.plan.steps.size(), 2u);
  EXPECT_EQ(a.plan.steps[0].named, (std::vector<ByteRange>{kRange, kOther}));
  EXPECT_EQ(a.plan.steps[0].may_write, (std::vector<ByteRange>{kRange}));
  EXPECT_EQ(a.plan.steps[0].writes, (std::vector<ByteRange>{kOther}));
  EXPECT_TRUE(a.plan.steps[0].runs);
  EXPECT_FALSE(a.plan.steps[1].runs);
  EXPECT_EQ(a.plan.blank, (std::vector<ByteRange>{kRange}));
  EXPECT_EQ(a.plan.watched, (std::vector<ByteRange>{kOther, kRange}));
  EXPECT_EQ(a.nodes, (std::vector<int32_t>{1, -1, 0}));
}

TEST(Codecs, AnErrorArrives) {
  BodyWriter writer;
  put_error(&writer, {"code", "what", "where", "why", "remedy"});
  const Bytes bytes = writer.take();
  BodyReader reader(bytes);
  const Error error = get_error(&reader);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(error.code + error.what + error.where + error.why + error.remedy,
            "codewhatwherewhyremedy");
}

// --- what does not fit ---

struct Kind {
  const char* name;
  Bytes body;
  bool (*refused)(std::span<const uint8_t>);  // as `remote-message`
};

template <auto read>
bool refused(std::span<const uint8_t> body) {
  const auto result = read(body);
  return !result.ok() && result.error().code == "remote-message";
}

std::vector<Kind> kinds() {
  return {{"request", body_of(request().view()), refused<request_of>},
          {"outcome", body_of(outcome()), refused<outcome_of>},
          {"learned", body_of(learned()), refused<learned_of>},
          {"offer", body_of(offer()), refused<offer_of>},
          {"answer", body_of(answer()), refused<answer_of>}};
}

TEST(Codecs, WhatIsCutOffIsRefusedAnywhere) {
  for (const Kind& kind : kinds())
    for (size_t size = 0; size < kind.body.size(); ++size)
      EXPECT_TRUE(kind.refused({kind.body.data(), size})) << kind.name << " of " << size;
}

TEST(Codecs, WhatIsLongerIsRefused) {
  for (Kind& kind : kinds()) {
    EXPECT_FALSE(kind.refused(kind.body)) << kind.name;
    kind.body.push_back(0);
    EXPECT_TRUE(kind.refused(kind.body)) << kind.name;
  }
}

void put_number(Bytes* body, size_t at, uint64_t number) {
  std::memcpy(body->data() + at, &number, sizeof number);
}

// Every number that stands at the place of a length is made one that cannot be. Neither memory nor
// time is taken for it; what is no length may be any number.
TEST(Codecs, HostileLengthsTakeNothing) {
  const uint64_t lengths[] = {~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 60, 1 << 20};
  for (const Kind& kind : kinds()) {
    int refusals = 0;
    for (size_t at = 0; at + sizeof(uint64_t) <= kind.body.size(); ++at)
      for (const uint64_t length : lengths) {
        Bytes body = kind.body;
        put_number(&body, at, length);
        refusals += kind.refused(body);
      }
    EXPECT_GT(refusals, 0) << kind.name;
    Bytes first = kind.body;
    put_number(&first, 0, ~uint64_t{0});
    const bool begins_with_a_length =
        kind.name == std::string("request") || kind.name == std::string("offer");
    EXPECT_EQ(kind.refused(first), begins_with_a_length) << kind.name;
  }
}

// A content names one range, not none and not two.
TEST(Codecs, AContentHasOneRange) {
  for (const std::vector<ByteRange>& ranges : {std::vector<ByteRange>{}, {kRange, kOther}}) {
    BodyWriter body;
    body.numbers(std::vector<int32_t>{0});
    body.number(1);
    body.ranges(ranges);
    body.block(Bytes(64));
    for (int list = 0; list < 4; ++list) body.number(0);
    for (int flag = 0; flag < 2; ++flag) body.number(0);
    EXPECT_TRUE(refused<request_of>(body.take())) << ranges.size();
  }
}

}  // namespace
}  // namespace bohr::test

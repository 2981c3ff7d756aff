// SPDX-License-Identifier: Apache-2.0
#include "replay/service.h"

namespace bohr::replay {

Request OwnedRequest::view() const {
  Request request;
  request.order = order;
  request.contents = contents;
  request.pins = pins;
  request.stepwise = stepwise;
  request.expected = expected;
  request.keep = keep;
  request.observe = observe;
  request.ignored = ignored;
  request.moved = moved;
  return request;
}

namespace {

void put_moves(BodyWriter* body, std::span<const Move> moves) {
  body->list(moves, [&](const Move& move) {
    body->numbers(move.steps);
    body->number(move.from.begin), body->number(move.from.end);
    body->number(move.to);
  });
}
std::vector<Move> get_moves(BodyReader* body) {
  return body->list<Move>(32, [&] {
    Move move;
    move.steps = body->numbers<int32_t>();
    move.from.begin = body->number();
    move.from.end = body->number();
    move.to = body->number();
    return move;
  });
}

void put_variant(BodyWriter* body, const Variant& variant) {
  body->list(variant.more, [&](const std::pair<int32_t, int32_t>& pair) {
    body->number(static_cast<uint64_t>(pair.first));
    body->number(static_cast<uint64_t>(pair.second));
  });
  body->numbers(variant.serial);
  put_moves(body, variant.moved);
}
Variant get_variant(BodyReader* body) {
  Variant variant;
  variant.more = body->list<std::pair<int32_t, int32_t>>(16, [&] {
    const auto first = static_cast<int32_t>(body->number());
    return std::pair(first, static_cast<int32_t>(body->number()));
  });
  variant.serial = body->numbers<int32_t>();
  variant.moved = get_moves(body);
  return variant;
}

}  // namespace

Bytes body_of(const Request& request) {
  BodyWriter body;
  body.numbers(request.order);
  body.list(request.contents, [&](const Content& content) {
    body.ranges({&content.range, 1});
    body.block(content.bytes);
  });
  body.list(request.pins, [&](const Pin& pin) {
    body.number(static_cast<uint64_t>(pin.step));
    body.block(pin.bytes);
  });
  body.numbers(request.expected);
  body.numbers(request.keep);
  body.ranges(request.ignored);
  put_moves(&body, request.moved);
  body.number(request.stepwise);
  body.number(request.observe);
  return body.take();
}

Result<OwnedRequest> request_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  OwnedRequest request;
  bool whole = true;
  request.order = body.numbers<int32_t>();
  request.contents = body.list<Content>(32, [&] {
    const std::vector<ByteRange> range = body.ranges();
    whole = whole && range.size() == 1;
    return Content{range.empty() ? ByteRange() : range.front(), body.block()};
  });
  request.pins = body.list<Pin>(16, [&] {
    const auto step = static_cast<int32_t>(body.number());
    return Pin{step, body.block()};
  });
  request.expected = body.numbers<uint64_t>();
  request.keep = body.numbers<int32_t>();
  request.ignored = body.ranges();
  request.moved = get_moves(&body);
  request.stepwise = body.number() != 0;
  request.observe = body.number() != 0;
  if (!body.done() || !whole) return bad_message("a request");
  return request;
}

Bytes body_of(const Outcome& outcome) {
  BodyWriter body;
  body.number(outcome.ran);
  body.numbers(outcome.digests);
  body.list(outcome.kept, [&](const Bytes& bytes) { body.block(bytes); });
  body.list(outcome.changed, [&](const Changed& changed) {
    body.number(static_cast<uint64_t>(changed.step));
    body.number(changed.range.begin), body.number(changed.range.end);
  });
  body.list(outcome.spans, [&](const Span& span) {
    body.number(static_cast<uint64_t>(span.begin_ns));
    body.number(static_cast<uint64_t>(span.end_ns));
  });
  return body.take();
}

Result<Outcome> outcome_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  Outcome outcome;
  outcome.ran = body.number();
  outcome.digests = body.numbers<uint64_t>();
  outcome.kept = body.list<Bytes>(8, [&] { return body.block(); });
  outcome.changed = body.list<Changed>(24, [&] {
    const auto step = static_cast<int32_t>(body.number());
    const uint64_t begin = body.number();
    return Changed{step, {begin, body.number()}};
  });
  outcome.spans = body.list<Span>(16, [&] {
    const auto begin = static_cast<int64_t>(body.number());
    return Span{begin, static_cast<int64_t>(body.number())};
  });
  if (!body.done()) return bad_message("an outcome");
  return outcome;
}

Bytes body_of(const Learned& learned) {
  BodyWriter body;
  body.number(learned.saved.bytes);
  body.number(learned.saved.digest);
  body.number(static_cast<uint64_t>(learned.saved.contents));
  body.ranges(learned.saved.unseen);
  body.list(learned.written, [&](const std::vector<ByteRange>& ranges) { body.ranges(ranges); });
  return body.take();
}

Result<Learned> learned_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  Learned learned;
  learned.saved.bytes = body.number();
  learned.saved.digest = body.number();
  learned.saved.contents = static_cast<int32_t>(body.number());
  learned.saved.unseen = body.ranges();
  learned.written = body.list<std::vector<ByteRange>>(8, [&] { return body.ranges(); });
  if (!body.done()) return bad_message("what was learned");
  return learned;
}

Bytes body_of(const Variant& variant) {
  BodyWriter body;
  put_variant(&body, variant);
  return body.take();
}

Result<Variant> variant_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  Variant variant = get_variant(&body);
  if (!body.done()) return bad_message("a way to run");
  return variant;
}

Bytes body_of(const TimeRequest& request) {
  BodyWriter body;
  body.list(request.variants, [&](const Variant& variant) { put_variant(&body, variant); });
  body.number(static_cast<uint64_t>(request.rounds));
  return body.take();
}

Result<TimeRequest> time_request_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  TimeRequest request;
  request.variants = body.list<Variant>(24, [&] { return get_variant(&body); });
  request.rounds = static_cast<int32_t>(body.number());
  if (!body.done()) return bad_message("ways to run");
  return request;
}

namespace {

// In thousandths of a nanosecond.
std::vector<uint64_t> whole_numbers(const std::vector<double>& times) {
  std::vector<uint64_t> numbers;
  numbers.reserve(times.size());
  for (const double time : times) numbers.push_back(static_cast<uint64_t>(time * 1000));
  return numbers;
}
std::vector<double> times_from(const std::vector<uint64_t>& numbers) {
  std::vector<double> times;
  times.reserve(numbers.size());
  for (const uint64_t number : numbers) times.push_back(static_cast<double>(number) / 1000);
  return times;
}

}  // namespace

Bytes body_of(const Timings& timings) {
  BodyWriter body;
  body.numbers(whole_numbers(timings.ns));
  body.numbers(whole_numbers(timings.step_ns));
  body.number(timings.virtual_time);
  return body.take();
}

Result<Timings> timings_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  Timings timings;
  timings.ns = times_from(body.numbers<uint64_t>());
  timings.step_ns = times_from(body.numbers<uint64_t>());
  timings.virtual_time = body.number() != 0;
  if (!body.done()) return bad_message("times");
  return timings;
}

namespace {

Result<Bytes> learn(Replayer& replayer) {
  BOHR_TRY(saved, replayer.learn());
  Learned learned{saved, {}};
  for (size_t i = 0; i < replayer.steps().size(); ++i) {
    const auto written = replayer.written(static_cast<int32_t>(i));
    learned.written.emplace_back(written.begin(), written.end());
  }
  return body_of(learned);
}

Result<Bytes> run(Replayer& replayer, std::span<const uint8_t> body) {
  BOHR_TRY(request, request_of(body));
  BOHR_TRY(outcome, replayer.run(request.view()));
  return body_of(outcome);
}

Result<Bytes> run_unforced(Replayer& replayer, std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  const uint64_t seed = body.number();
  if (!body.done()) return bad_message("a seed");
  BOHR_TRY(outcome, replayer.run_unforced(seed));
  return body_of(outcome);
}

Result<Bytes> run_variant(Replayer& replayer, std::span<const uint8_t> body) {
  BOHR_TRY(variant, variant_of(body));
  BOHR_TRY(outcome, replayer.run_variant(variant));
  return body_of(outcome);
}

Result<Bytes> time(Replayer& replayer, std::span<const uint8_t> body) {
  BOHR_TRY(request, time_request_of(body));
  BOHR_TRY(timings, replayer.time(request.variants, request.rounds));
  return body_of(timings);
}

Result<Bytes> digest(Replayer& replayer, std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  const std::vector<ByteRange> ranges = body.ranges();
  if (!body.done()) return bad_message("ranges");
  BOHR_TRY(digests, replayer.digest(ranges));
  BodyWriter reply;
  reply.numbers(digests);
  return reply.take();
}

Result<Bytes> fetch(Replayer& replayer, std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  const std::vector<ByteRange> ranges = body.ranges();
  if (!body.done() || ranges.size() != 1) return bad_message("a range");
  BOHR_TRY(fetched, replayer.fetch(ranges.front()));
  BodyWriter reply;
  reply.block(fetched);
  return reply.take();
}

Result<Bytes> release(Replayer& replayer) {
  const OwnMemory own = replayer.own_memory();
  BOHR_TRY_STATUS(replayer.release());
  BodyWriter reply;
  reply.number(own.device), reply.number(own.host);
  return reply.take();
}

Result<Bytes> nothing(const Status& status) {
  if (!status.ok()) return status.error();
  return Bytes();
}

Result<Bytes> answer(Replayer& replayer, const Message& message) {
  switch (static_cast<Ask>(message.kind)) {
    case Ask::learn:
      return learn(replayer);
    case Ask::run:
      return run(replayer, message.body);
    case Ask::run_unforced:
      return run_unforced(replayer, message.body);
    case Ask::restore:
      return nothing(replayer.restore());
    case Ask::digest:
      return digest(replayer, message.body);
    case Ask::fetch:
      return fetch(replayer, message.body);
    case Ask::release:
      return release(replayer);
    case Ask::pause:
      return nothing(replayer.pause());
    case Ask::time:
      return time(replayer, message.body);
    case Ask::run_variant:
      return run_variant(replayer, message.body);
  }
  return bad_message("a request of kind " + std::to_string(message.kind));
}

Message reply_to(Replayer& replayer, const Message& message) {
  const Result<Bytes> result = answer(replayer, message);
  if (result.ok()) return {static_cast<uint8_t>(Reply::done), result.value()};
  BodyWriter body;
  put_error(&body, result.error());
  return {static_cast<uint8_t>(Reply::refused), body.take()};
}

}  // namespace

Result<Served> serve(int socket, Replayer& replayer) {
  for (;;) {
    const auto message = receive(socket);
    if (!message.ok()) break;
    const Message reply = reply_to(replayer, message.value());
    if (!send(socket, reply).ok()) break;
    if (message.value().kind == static_cast<uint8_t>(Ask::pause) &&
        reply.kind == static_cast<uint8_t>(Reply::done))
      return Served::paused;
  }
  BOHR_TRY_STATUS(replayer.release());
  return Served::released;
}

}  // namespace bohr::replay

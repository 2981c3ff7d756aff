// SPDX-License-Identifier: Apache-2.0
#include "replay/hold.h"

namespace bohr::replay {

Bytes body_of(const Offer& offer) {
  BodyWriter body;
  body.text(offer.version);
  body.text(offer.log);
  body.number(offer.exec);
  body.number(offer.graph);
  body.number(offer.launch);
  body.number(offer.nodes);
  body.number(offer.paused);
  return body.take();
}

Result<Offer> offer_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  Offer offer;
  offer.version = body.text();
  offer.log = body.text();
  offer.exec = static_cast<uint32_t>(body.number());
  offer.graph = static_cast<uint32_t>(body.number());
  offer.launch = body.number();
  offer.nodes = body.number();
  offer.paused = body.number() != 0;
  if (!body.done()) return bad_message("an offer");
  return offer;
}

Bytes body_of(const Answer& answer) {
  BodyWriter body;
  body.number(answer.explore);
  body.number(answer.ask_again);
  body.number(answer.rest_ms);
  body.number(answer.longest_ms);
  body.number(answer.slice_ms);
  body.list(answer.plan.steps, [&](const PlanStep& step) {
    body.ranges(step.named);
    body.ranges(step.may_write);
    body.ranges(step.writes);
    body.number(step.runs);
  });
  body.ranges(answer.plan.blank);
  body.ranges(answer.plan.watched);
  body.numbers(answer.nodes);
  return body.take();
}

Result<Answer> answer_of(std::span<const uint8_t> bytes) {
  BodyReader body(bytes);
  Answer answer;
  answer.explore = body.number() != 0;
  answer.ask_again = body.number();
  answer.rest_ms = body.number();
  answer.longest_ms = body.number();
  answer.slice_ms = body.number();
  answer.plan.steps = body.list<PlanStep>(32, [&] {
    PlanStep step;
    step.named = body.ranges();
    step.may_write = body.ranges();
    step.writes = body.ranges();
    step.runs = body.number() != 0;
    return step;
  });
  answer.plan.blank = body.ranges();
  answer.plan.watched = body.ranges();
  answer.nodes = body.numbers<int32_t>();
  if (!body.done()) return bad_message("an answer");
  return answer;
}

}  // namespace bohr::replay

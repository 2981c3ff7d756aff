// SPDX-License-Identifier: Apache-2.0
// The rules, each a small predicate over the two accesses.
#include "check/decide.h"

#include <algorithm>

namespace bohr::check {

namespace {

constexpr uint8_t bit(Hazard hazard) {
  return static_cast<uint8_t>(1u << static_cast<int>(hazard));
}

bool exact(const Access& access) {
  return access.certainty == Certainty::exact && direction_known(access.mode);
}

bool known_write(AccessMode mode) { return direction_known(mode) && writes(mode); }

bool is_first(const Facts& facts, const Place& place, const Access& access, int32_t index) {
  const FirstAccess& first = facts.first[access.lifetime.index()];
  return first.access == index && first.place.graph == place.graph &&
         first.place.index == place.index;
}

// The mode as far as it is known: the first access of a lifetime that was handed out is a write.
AccessMode known_mode(const Program& program, const Facts& facts, const Place& place,
                      const Access& access, int32_t index) {
  const bool handed_out = !program.lifetimes[access.lifetime.index()].buffer;
  if (access.mode == AccessMode::touch && handed_out && access.doubt == Doubt::none &&
      is_first(facts, place, access, index))
    return AccessMode::write;
  return access.mode;
}

uint64_t address_of(const Access& access) {
  return access.address != 0 ? access.address : access.range.begin;
}

struct Sides {
  const Access& a;
  const Access& b;
  AccessMode mode_a;
  AccessMode mode_b;
  bool first_a;  // a is the first access of its lifetime, and that is a write
  bool first_b;
};

// A use of an older lifetime against the first access of a younger one.
bool breaks_allocator_contract(const Facts& facts, const Sides& s) {
  const bool b_younger = facts.born[s.b.lifetime.index()] > facts.born[s.a.lifetime.index()];
  return b_younger ? s.first_b : s.first_a;
}

// Two accesses of one lifetime, one of them its first.
bool meets_first_access(const Facts& facts, const Sides& s) {
  return (s.first_a || s.first_b) && address_of(s.a) == address_of(s.b) &&
         !facts.first[s.a.lifetime.index()].writer_unseen;
}

// An exact write that covers the whole block of a parameter access, or the other way round.
bool covers(const Access& exact_one, const Access& other) {
  return exact(exact_one) && writes(exact_one.mode) && exact_one.range.contains(other.range);
}

void add_reason(std::vector<std::string>* reasons, const std::string& reason) {
  if (std::find(reasons->begin(), reasons->end(), reason) == reasons->end())
    reasons->push_back(reason);
}

// Decides one conflict; on a candidate fills the reasons.
Decision decide_accesses(const Facts& facts, const Sides& s, std::vector<std::string>* reasons) {
  if (exact(s.a) && exact(s.b)) return Decision::finding;
  const bool doubted = s.a.doubt != Doubt::none || s.b.doubt != Doubt::none;
  if (!doubted) {
    const bool other_lifetime = s.a.lifetime != s.b.lifetime;
    if (other_lifetime && breaks_allocator_contract(facts, s)) return Decision::finding;
    if (!other_lifetime && meets_first_access(facts, s)) return Decision::finding;
    if (covers(s.a, s.b) || covers(s.b, s.a)) return Decision::finding;
  }
  const bool known = direction_known(s.mode_a) && direction_known(s.mode_b);
  add_reason(reasons, known || doubted ? "params-only" : "unknown-direction");
  return Decision::candidate;
}

bool asynchronous_source(const Program& program, const Place& place, const Access& access) {
  const Op& op = op_at(program, place);
  return op.kind == OpKind::copy && access.mode == AccessMode::read &&
         program.lifetimes[access.lifetime.index()].memory == MemoryKind::pinned;
}

int precedence(HazardClass cls) {
  switch (cls) {
    case HazardClass::external:
      return 4;
    case HazardClass::host:
      return 3;
    case HazardClass::launch:
      return 2;
    case HazardClass::reuse:
      return 1;
    default:
      return 0;
  }
}

bool by_agent(const Program& program, const Place& place) {
  const Op& op = op_at(program, place);
  return op.kind == OpKind::touch && op.actor.valid() &&
         program.actors[op.actor.index()].kind == ActorKind::agent;
}

// What replays decided of a candidate, if they did.
const SettledPair* settled_pair(const Facts& facts, const Place& a, const Place& b) {
  const auto is = [](const Place& place, GraphId graph, int32_t index) {
    return place.graph == graph && place.index == index;
  };
  for (const SettledPair& pair : facts.settled) {
    const bool forward =
        is(a, pair.first_graph, pair.first) && is(b, pair.second_graph, pair.second);
    const bool backward =
        is(b, pair.first_graph, pair.first) && is(a, pair.second_graph, pair.second);
    if (forward || backward) return &pair;
  }
  return nullptr;
}

}  // namespace

uint8_t kinds_of(AccessMode first, AccessMode second) {
  uint8_t kinds = 0;
  if (writes(first) && reads(second)) kinds |= bit(Hazard::raw);
  if (writes(first) && writes(second)) kinds |= bit(Hazard::waw);
  if (reads(first) && writes(second)) kinds |= bit(Hazard::war);
  return kinds;
}

Hazard first_kind(uint8_t kinds) {
  if (kinds & bit(Hazard::raw)) return Hazard::raw;
  return kinds & bit(Hazard::waw) ? Hazard::waw : Hazard::war;
}

HazardClass class_of(const Program& program, const Place& first, const Access& a,
                     const Place& second, const Access& b) {
  if (by_agent(program, first) || by_agent(program, second)) return HazardClass::external;
  if (op_at(program, first).kind == OpKind::touch || op_at(program, second).kind == OpKind::touch)
    return HazardClass::host;
  if (asynchronous_source(program, first, a) && writes(b.mode)) return HazardClass::host;
  if (first.launch.valid() || second.launch.valid()) return HazardClass::launch;
  return a.lifetime != b.lifetime ? HazardClass::reuse : HazardClass::data;
}

Decided decide(const Program& program, const Facts& facts, const Pair& pair) {
  Decided result;
  for (const Conflict& conflict : pair.conflicts) {
    const Access& a = access_at(program, pair.first, conflict.first);
    const Access& b = access_at(program, pair.second, conflict.second);
    const AccessMode mode_a = known_mode(program, facts, pair.first, a, conflict.first);
    const AccessMode mode_b = known_mode(program, facts, pair.second, b, conflict.second);
    const Sides sides{a,
                      b,
                      mode_a,
                      mode_b,
                      is_first(facts, pair.first, a, conflict.first) && known_write(mode_a),
                      is_first(facts, pair.second, b, conflict.second) && known_write(mode_b)};
    std::vector<std::string> reasons;
    const Decision decision = decide_accesses(facts, sides, &reasons);
    if (decision < result.decision) continue;
    const HazardClass cls = class_of(program, pair.first, a, pair.second, b);
    if (decision > result.decision) {
      result = {decision, 0, cls, conflict, mode_a, mode_b, {}};
    } else if (precedence(cls) > precedence(result.cls)) {
      result.cls = cls;
      result.conflict = conflict;
      result.first_mode = mode_a;
      result.second_mode = mode_b;
    }
    result.kinds |= kinds_of(mode_a, mode_b);
    for (const std::string& reason : reasons) add_reason(&result.reasons, reason);
  }
  if (result.decision == Decision::candidate) {
    const SettledPair* settled = settled_pair(facts, pair.first, pair.second);
    if (settled && settled->finding) result.decision = Decision::finding, result.reasons.clear();
    if (settled && !settled->finding) result.reasons = {"same-bytes"};
  }
  std::string lost;
  if (result.decision == Decision::finding &&
      order_lost_between(program, facts, pair.first, pair.second, &lost)) {
    result.decision = Decision::candidate;
    add_reason(&result.reasons, lost);
  }
  return result;
}

}  // namespace bohr::check

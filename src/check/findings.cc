// SPDX-License-Identifier: Apache-2.0
// In recorded programs a use that is unordered with a younger lifetime is told once, against the
// next lifetime of its bytes: what is unordered with that one is mostly unordered with all later
// ones, which are no mistakes of their own.
#include "check/findings.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/decide.h"

namespace bohr::check {

namespace {

// The two sides of a pair by the age of their lifetimes.
struct Ages {
  const Place* older_place;
  const Access* older;
  const Access* younger;
};

class Teller {
 public:
  Teller(const Program& program, const Facts& facts, const Describer& describer)
      : program_(program), facts_(facts), describer_(describer) {}

  Told run(const Raw& raw) {
    std::vector<Decided> decided;
    decided.reserve(raw.pairs.size());
    for (const Pair& pair : raw.pairs) decided.push_back(decide(program_, facts_, pair));
    if (program_.recorded) keep_next_lifetimes(raw.pairs, &decided);
    for (size_t i = 0; i < raw.pairs.size(); ++i) tell_pair(raw.pairs[i], decided[i]);
    for (const LifetimeHazard& hazard : raw.lifetimes) tell_lifetime(hazard);
    for (const EarlyUse& early : raw.early) tell_early(early);
    for (const PoolHazard& hazard : raw.pools) tell_pool(hazard);
    return std::move(told_);
  }

 private:
  using UseKey = std::tuple<GraphId, int32_t, LifetimeId>;

  Ages ages(const Pair& pair, const Decided& decided) const {
    const Access& a = access_at(program_, pair.first, decided.conflict.first);
    const Access& b = access_at(program_, pair.second, decided.conflict.second);
    const bool b_younger = facts_.born[b.lifetime.index()] > facts_.born[a.lifetime.index()];
    return b_younger ? Ages{&pair.first, &a, &b} : Ages{&pair.second, &b, &a};
  }

  bool across_lifetimes(const Pair& pair, const Decided& decided) const {
    return access_at(program_, pair.first, decided.conflict.first).lifetime !=
           access_at(program_, pair.second, decided.conflict.second).lifetime;
  }

  void keep_next_lifetimes(const std::vector<Pair>& pairs, std::vector<Decided>* decided) {
    // For each use, the youngest-but-next lifetimes first.
    std::map<UseKey, std::vector<size_t>> by_use;
    for (size_t i = 0; i < pairs.size(); ++i) {
      if ((*decided)[i].decision == Decision::nothing || !across_lifetimes(pairs[i], (*decided)[i]))
        continue;
      const Ages age = ages(pairs[i], (*decided)[i]);
      by_use[{age.older_place->graph, age.older_place->index, age.older->lifetime}].push_back(i);
    }
    for (auto& [key, members] : by_use) keep_next(pairs, members, decided);
  }

  // What a pair is without its conflicts between two lifetimes of the same bytes.
  Decided decide_within_lifetimes(const Pair& pair) const {
    Pair rest = pair;
    std::erase_if(rest.conflicts, [&](const Conflict& conflict) {
      return access_at(program_, pair.first, conflict.first).lifetime !=
             access_at(program_, pair.second, conflict.second).lifetime;
    });
    return decide(program_, facts_, rest);
  }

  void keep_next(const std::vector<Pair>& pairs, std::vector<size_t>& members,
                 std::vector<Decided>* decided) {
    const auto younger = [&](size_t i) { return ages(pairs[i], (*decided)[i]).younger; };
    std::stable_sort(members.begin(), members.end(), [&](size_t x, size_t y) {
      const auto rank = [&](size_t i) {
        return std::pair(facts_.born[younger(i)->lifetime.index()],
                         (*decided)[i].decision != Decision::finding);
      };
      return rank(x) < rank(y);
    });
    struct Taken {
      LifetimeId lifetime;
      ByteRange range;
      bool finding;
    };
    std::vector<Taken> taken;
    LifetimeId found;  // a finding against this lifetime stands for its other accesses
    for (const size_t i : members) {
      const Access& access = *younger(i);
      const bool finding = (*decided)[i].decision == Decision::finding;
      // A candidate against the next lifetime must not hide what a later one decides.
      const bool behind = std::any_of(taken.begin(), taken.end(), [&](const Taken& earlier) {
        return earlier.lifetime != access.lifetime && earlier.range.overlaps(access.range) &&
               (earlier.finding || !finding);
      });
      const bool told = found == access.lifetime && !finding;
      if (behind || told) {
        (*decided)[i] = decide_within_lifetimes(pairs[i]);
        continue;
      }
      if (finding) found = access.lifetime;
      taken.push_back({access.lifetime, access.range, finding});
    }
  }

  void tell_pair(const Pair& pair, const Decided& decided) {
    if (decided.decision == Decision::nothing) return;
    const Access& a = access_at(program_, pair.first, decided.conflict.first);
    const Access& b = access_at(program_, pair.second, decided.conflict.second);
    Finding finding;
    finding.kinds = decided.kinds;
    finding.hazard = first_kind(decided.kinds);
    // Of an unknown use before a write all that is sure is that the write comes too early.
    if (a.mode == AccessMode::touch && finding.hazard == Hazard::waw) finding.hazard = Hazard::war;
    finding.cls = decided.cls;
    finding.first = describer_.side(pair.first, a);
    finding.second = describer_.side(pair.second, b);
    finding.first.mode = decided.first_mode;
    finding.second.mode = decided.second_mode;
    finding.range = describer_.shared(a, b);
    for (const Conflict& conflict : pair.conflicts) {
      describer_.add_names(access_at(program_, pair.first, conflict.first), &finding.names);
      describer_.add_names(access_at(program_, pair.second, conflict.second), &finding.names);
    }
    finding.order = describer_.order(pair.first, pair.second);
    finding.reasons = decided.reasons;
    if (decided.decision == Decision::candidate) finding.suspicion = suspicion(decided.cls, a, b);
    keep(std::move(finding), decided.decision == Decision::finding, pair.unlisted);
  }

  // Bytes that change owner are suspicious before ones that do not; a known write before two
  // unknown directions; the same address before a neighbour's; a doubtful pointer last.
  static double suspicion(HazardClass cls, const Access& a, const Access& b) {
    double score = cls == HazardClass::data ? 0 : 2;
    const auto known_write = [](const Access& x) {
      return direction_known(x.mode) && writes(x.mode);
    };
    if (known_write(a) || known_write(b)) score += 1;
    if (direction_known(a.mode) != direction_known(b.mode)) score += 0.5;
    if (a.address == b.address) score += 0.25;
    if (a.doubt != Doubt::none || b.doubt != Doubt::none) score -= 2;
    return score;
  }

  void tell_lifetime(const LifetimeHazard& hazard) {
    const Lifetime& lifetime = program_.lifetimes[hazard.lifetime.index()];
    const Access& access = access_at(program_, hazard.use, hazard.access);
    Finding finding;
    finding.kinds = hazard.kinds;
    finding.hazard = access.mode == AccessMode::touch ? Hazard::war : first_kind(hazard.kinds);
    finding.cls = HazardClass::lifetime;
    finding.first = describer_.side(hazard.use, access);
    finding.second.label = lifetime.name;
    finding.second.block = lifetime.name;
    finding.second.lifetime = hazard.lifetime;
    finding.second.stack = lifetime.free_stack;
    finding.second.mode = AccessMode::write;
    if (lifetime.owner.valid())
      finding.second.where = program_.streams[lifetime.owner.index()].name;
    finding.range = describer_.shared(access, access);
    describer_.add_names(access, &finding.names);
    finding.order = describer_.order_at_free(hazard.use, lifetime);
    finding.latent = true;
    std::string lost;
    if (access.doubt != Doubt::none) finding.reasons = {"params-only"};
    if (order_lost_between(program_, facts_, hazard.use, place_of_free(hazard), &lost))
      finding.reasons.push_back(lost);
    const bool sure = finding.reasons.empty();
    keep(std::move(finding), sure, 0);
  }

  // In a graph: before the next node that is issued, or the last one.
  Place place_of_free(const LifetimeHazard& hazard) const {
    const Point& free = program_.lifetimes[hazard.lifetime.index()].free;
    if (!free.graph.valid()) return {GraphId(), free.index, OpId()};
    const auto nodes = static_cast<int32_t>(program_.graphs[free.graph.index()].nodes.size());
    return {free.graph, std::min(free.index, nodes - 1), hazard.use.launch};
  }

  void tell_early(const EarlyUse& early) {
    const Access& access = access_at(program_, early.use, early.access);
    Finding finding;
    finding.cls = HazardClass::data;
    finding.first = describer_.side(early.made, access);
    finding.first.mode = AccessMode::write;
    finding.second = describer_.side(early.use, access);
    finding.kinds = kinds_of(AccessMode::write, access.mode);
    finding.hazard = first_kind(finding.kinds);
    finding.range = describer_.shared(access, access);
    describer_.add_names(access, &finding.names);
    finding.order = describer_.order(early.made, early.use);
    std::string lost;
    if (access.doubt != Doubt::none) finding.reasons = {"params-only"};
    if (order_lost_between(program_, facts_, early.made, early.use, &lost))
      finding.reasons.push_back(lost);
    const bool sure = finding.reasons.empty();
    if (!sure) finding.suspicion = suspicion(HazardClass::data, access, access);
    keep(std::move(finding), sure, 0);
  }

  void tell_pool(const PoolHazard& hazard) {
    const Access& a = access_at(program_, hazard.first, hazard.first_access);
    const Access& b = access_at(program_, hazard.second, hazard.second_access);
    Finding finding;
    finding.kinds = hazard.kinds;
    finding.hazard = first_kind(finding.kinds);
    finding.cls = HazardClass::pool;
    finding.first = describer_.side(hazard.first, a);
    finding.second = describer_.side(hazard.second, b);
    finding.range = describer_.shared(a, b);
    describer_.add_names(a, &finding.names);
    describer_.add_names(b, &finding.names);
    std::string lost;
    if (!hazard.decided) finding.reasons = {"unknown-direction"};
    // What was lost may have written the bytes anew.
    if (order_lost_between(program_, facts_, hazard.first, hazard.second, &lost))
      finding.reasons.push_back(lost);
    const bool sure = finding.reasons.empty();
    if (!sure) finding.suspicion = suspicion(HazardClass::pool, a, b);
    keep(std::move(finding), sure, 0);
  }

  void keep(Finding finding, bool decided, int64_t unlisted) {
    (decided ? told_.unlisted : told_.unlisted_candidates).push_back(unlisted);
    (decided ? told_.findings : told_.candidates).push_back(std::move(finding));
  }

  const Program& program_;
  const Facts& facts_;
  const Describer& describer_;
  Told told_;
};

}  // namespace

Told tell(const Program& program, const Facts& facts, const Describer& describer, const Raw& raw) {
  return Teller(program, facts, describer).run(raw);
}

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
// First the instance that represents each finding, then its site, then the sites' counts.
#include "check/causes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/hash.h"

namespace bohr::check {

namespace {

constexpr size_t kEdgesCompared = 64;  // instances looked back at; more only splits a cause

Place place_of(const Side& side) {
  if (side.graph.valid()) return {side.graph, side.node.value(), side.op};
  return {{}, side.op.value(), {}};
}

bool about_lifetime(const Finding& finding) {
  return finding.cls == HazardClass::reuse || finding.cls == HazardClass::lifetime ||
         finding.cls == HazardClass::pool;
}

class Grouping {
 public:
  Grouping(const Program& program, const Arenas& arenas, const Describer& describer,
           const std::vector<int64_t>& unlisted, std::vector<Finding>* findings)
      : program_(program),
        arenas_(arenas),
        describer_(describer),
        unlisted_(unlisted),
        findings_(*findings) {}

  std::vector<Cause> run() {
    represent();
    std::map<std::string, size_t> by_site;
    std::vector<Cause> causes;
    std::vector<std::set<GraphId>> graphs;
    for (size_t i = 0; i < findings_.size(); ++i) {
      const Finding& representative = findings_[represented_by_[i]];
      const std::string key = site_key(representative);
      const auto [it, added] = by_site.emplace(key, causes.size());
      if (added) {
        causes.push_back(new_cause(representative, key, causes.size()));
        graphs.emplace_back();
      }
      add(i, &causes[it->second], &graphs[it->second]);
    }
    for (size_t c = 0; c < causes.size(); ++c)
      causes[c].graphs = static_cast<int64_t>(graphs[c].size());
    make_sites_unique(&causes);
    return causes;
  }

 private:
  // The older lifetime of a reuse, or the one that was freed.
  LifetimeId freed(const Finding& finding) const {
    if (finding.cls == HazardClass::lifetime) return finding.first.lifetime;
    const auto known_free = [&](LifetimeId id) {
      return id.valid() && program_.lifetimes[id.index()].free.known();
    };
    if (finding.first.lifetime == finding.second.lifetime) return {};
    return known_free(finding.first.lifetime) ? finding.first.lifetime : finding.second.lifetime;
  }

  void represent() {
    represented_by_.resize(findings_.size());
    std::map<LifetimeId, size_t> by_lifetime;
    // Edge-like findings by class and arena.
    std::map<std::tuple<HazardClass, GraphId>, std::vector<size_t>> by_arena;
    for (size_t i = 0; i < findings_.size(); ++i) {
      represented_by_[i] = i;
      const LifetimeId lifetime = about_lifetime(findings_[i]) ? freed(findings_[i]) : LifetimeId();
      if (lifetime.valid()) {
        represented_by_[i] = by_lifetime.emplace(lifetime, i).first->second;
        continue;
      }
      const bool inside = findings_[i].first.graph.valid() && !findings_[i].first.op.valid();
      by_arena[{findings_[i].cls, inside ? findings_[i].first.graph : GraphId()}].push_back(i);
    }
    for (auto& [key, members] : by_arena) represent_edges(&members);
  }

  // The strongest edges first: an early second side needs the most. Each finding is then compared
  // with the representatives before it.
  void represent_edges(std::vector<size_t>* members) {
    std::stable_sort(members->begin(), members->end(), [&](size_t a, size_t b) {
      return std::pair(step(findings_[a].second), -step(findings_[a].first)) <
             std::pair(step(findings_[b].second), -step(findings_[b].first));
    });
    std::vector<size_t> representatives;
    for (const size_t i : *members) {
      const size_t from =
          representatives.size() > kEdgesCompared ? representatives.size() - kEdgesCompared : 0;
      const auto found =
          std::find_if(representatives.begin() + static_cast<std::ptrdiff_t>(from),
                       representatives.end(), [&](size_t r) { return implies(r, i); });
      if (found != representatives.end())
        represented_by_[i] = *found;
      else
        representatives.push_back(i);
    }
  }

  int32_t step(const Side& side) const {
    if (side.graph.valid() && !side.op.valid())
      return arenas_.graphs[side.graph.index()].order.step[side.node.index()];
    return arenas_.order.step[side.op.index()];
  }
  const order::Clocks& clocks(const Side& side) const {
    if (side.graph.valid() && !side.op.valid())
      return arenas_.graphs[side.graph.index()].order.clocks;
    return arenas_.order.clocks;
  }
  bool same_or_before(const Side& a, const Side& b) const {
    const bool same = step(a) == step(b);
    return same ? a.node == b.node : clocks(a).before(step(a), step(b));
  }
  bool implies(size_t edge, size_t other) const {
    const Finding& e = findings_[edge];
    const Finding& o = findings_[other];
    return same_or_before(o.first, e.first) && same_or_before(e.second, o.second);
  }

  // A file by its own name: checkouts lie in folders of their owners' choice.
  void add_stack(StackId id, std::string* key) const {
    *key += '|';
    if (!id.valid()) return;
    for (const Frame& frame : program_.stacks[id.index()].frames)
      *key += frame.function + '@' + frame.file.substr(frame.file.rfind('/') + 1) + ':' +
              std::to_string(frame.line) + ';';
  }

  std::string side_name(const Side& side) const {
    const Place place = place_of(side);
    return place.index >= 0 ? describer_.plain_label(place) : side.label;
  }

  std::string site_key(const Finding& finding) const {
    std::string key = to_string(finding.cls);
    key += '|' + side_name(finding.first);
    add_stack(finding.first.stack, &key);
    const LifetimeId lifetime = about_lifetime(finding) ? freed(finding) : LifetimeId();
    if (lifetime.valid()) {
      const Lifetime& block = program_.lifetimes[lifetime.index()];
      // A recorded block's name is its address or number: only cases name blocks in the source.
      if (!program_.recorded) key += '|' + block.name;
      add_stack(block.alloc_stack, &key);
      add_stack(block.free_stack, &key);
      return key;
    }
    key += '|' + side_name(finding.second);
    add_stack(finding.second.stack, &key);
    return key;
  }

  Cause new_cause(const Finding& finding, const std::string& key, size_t count) const {
    Cause cause;
    cause.id = static_cast<int32_t>(count) + 1;
    cause.cls = finding.cls;
    cause.site = std::string(to_string(finding.cls)) + "-" + hex(hash(key), 4);
    if (about_lifetime(finding)) cause.freed = freed(finding);
    cause.latent = true;
    return cause;
  }

  void add(size_t index, Cause* cause, std::set<GraphId>* graphs) {
    Finding& finding = findings_[index];
    finding.cause = cause->id;
    cause->places += 1 + unlisted_[index];
    cause->latent = cause->latent && finding.latent;
    cause->findings.push_back(static_cast<int32_t>(index));
    if (finding.first.graph.valid()) graphs->insert(finding.first.graph);
    if (finding.second.graph.valid()) graphs->insert(finding.second.graph);
  }

  // Four digits may meet: the later one gets a suffix, so that an id names one site.
  static void make_sites_unique(std::vector<Cause>* causes) {
    std::map<std::string, int> seen;
    for (Cause& cause : *causes) {
      const int times = ++seen[cause.site];
      if (times > 1) cause.site += "-" + std::to_string(times);
    }
  }

  const Program& program_;
  const Arenas& arenas_;
  const Describer& describer_;
  const std::vector<int64_t>& unlisted_;
  std::vector<Finding>& findings_;
  std::vector<size_t> represented_by_;
};

}  // namespace

std::vector<Cause> group_causes(const Program& program, const Arenas& arenas,
                                const Describer& describer, const std::vector<int64_t>& unlisted,
                                std::vector<Finding>* findings) {
  return Grouping(program, arenas, describer, unlisted, findings).run();
}

std::vector<Cause> group_candidates(const Program& program, const Arenas& arenas,
                                    const Describer& describer,
                                    const std::vector<int64_t>& unlisted,
                                    std::vector<Finding>* candidates) {
  std::vector<Cause> causes = group_causes(program, arenas, describer, unlisted, candidates);
  for (Cause& cause : causes) cause.candidate = true;
  const auto suspicion = [&](const Cause& cause) {
    double most = 0;
    for (const int32_t i : cause.findings)
      most = std::max(most, (*candidates)[static_cast<size_t>(i)].suspicion);
    return most;
  };
  std::stable_sort(causes.begin(), causes.end(),
                   [&](const Cause& a, const Cause& b) { return suspicion(a) > suspicion(b); });
  return causes;
}

}  // namespace bohr::check

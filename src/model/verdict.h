// SPDX-License-Identifier: Apache-2.0
// What a check says of a program: findings, candidates, causes, coverage per class. Plain values;
// each finding is stable properties first, and the report makes sentences of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/absence.h"
#include "model/access.h"
#include "model/program.h"

namespace bohr {

enum class Hazard : uint8_t { raw, waw, war };

enum class HazardClass : uint8_t { data, reuse, lifetime, pool, host, external, launch };
constexpr size_t kHazardClasses = 7;

const char* to_string(Hazard hazard);    // "RAW", …
const char* to_string(HazardClass cls);  // "data", …
bool hazard_class_from(std::string_view word, HazardClass* cls);

// One side of a finding. For class `lifetime` the second side is the free of the block: label is
// the block's name and `op`/`node` are invalid.
struct Side {
  std::string label;  // case label or kernel name with its node number; "@n" from launch 2 on
  std::string where;  // the stream, thread or agent
  GraphId graph;      // valid: `node` of this graph; else `op`
  NodeId node;
  OpId op;             // the op, or for a node of a launch-class or pool finding the launch
  int32_t launch = 0;  // 1-based count of the launches of that exec; 0 outside graphs
  AccessMode mode = AccessMode::read;
  AccessSource source = AccessSource::declared;
  std::string block;  // the lifetime's name
  LifetimeId lifetime;
  StackId stack;
};

struct NamedRange {
  std::string name;  // of the block, as the second side sees it
  uint64_t begin = 0;
  uint64_t end = 0;
};

// What order exists between the two sides and what would suffice: "`stream` knows `other_stream`
// up to `known` (before nothing at all when empty); it needs it up to `needed`".
struct OrderFacts {
  std::string stream;
  std::string other_stream;
  std::string known;
  std::string needed;
  std::string join;  // the first op or node after the second side that does order them, if any
};

struct Finding {
  Hazard hazard = Hazard::raw;  // the first that holds of RAW, WAW, WAR
  uint8_t kinds = 0;            // bit (1 << Hazard) for each that holds
  HazardClass cls = HazardClass::data;
  Side first;
  Side second;
  NamedRange range;
  std::vector<std::string> names;  // all blocks and views that the pair conflicts on
  OrderFacts order;
  std::vector<std::string> reasons;  // candidates: why the trace cannot decide it
  double suspicion = 0;              // candidates: higher is shown first
  int32_t cause = 0;                 // Cause::id
  bool latent = false;
  bool suppressed = false;
  int32_t suppression = -1;  // index into Verdict::suppressions
};

// Other graphs of the program in which a mistake is not, for one reason.
struct NotIn {
  std::vector<GraphId> graphs;
  Absence absence;
};

// From the end of the first side to the start of the second one, where both were timed.
struct Slack {
  int64_t samples = 0;
  int64_t overlapped = 0;  // the second one began before the first one had ended
  int64_t least_ns = 0;
  int64_t median_ns = 0;
};

// A source mistake. `site` is equal over layers, graphs and ranks: it is made of kernel names and
// stacks, without addresses and numbers.
struct Cause {
  int32_t id = 0;
  std::string site;  // "reuse-7c1e"
  HazardClass cls = HazardClass::data;
  int64_t places = 0;             // pairs, also those beyond the ones listed
  int64_t graphs = 0;             // graphs in which it was found
  LifetimeId freed;               // the too-short lifetime, where there is one
  std::vector<int32_t> findings;  // indices into Verdict::findings
  Slack slack;                    // of findings
  std::vector<NotIn> not_in;      // of findings in graphs
  bool candidate = false;         // made of candidates: indices into Verdict::candidates
  bool latent = false;
  bool suppressed = false;
};

// What replays decided of a pair that a trace leaves open: two ops, or nodes of graphs.
struct SettledPair {
  GraphId first_graph;  // invalid: `first` is an op
  int32_t first = 0;
  GraphId second_graph;
  int32_t second = 0;
  bool finding = false;  // the other order leaves other bytes; false: both leave the same
};

enum class CoverageState : uint8_t { complete, undecided, not_checked };

struct Coverage {
  CoverageState state = CoverageState::complete;
  int64_t count = 0;                 // undecided pairs
  int64_t examined = 0;              // accesses, lifetimes or launches looked at; for people
  std::vector<std::string> reasons;  // sorted, named
};

enum class Outcome : uint8_t { clean, findings, incomplete };

struct Suppression {
  std::string match;  // the line as written
  std::string reason;
  int64_t used = 0;
};

struct Verdict {
  Outcome outcome = Outcome::clean;
  std::array<Coverage, kHazardClasses> coverage;
  std::vector<std::string> assumptions;
  std::vector<Finding> findings;
  std::vector<Finding> candidates;
  std::vector<Cause> causes;            // of findings
  std::vector<Cause> candidate_causes;  // candidates with one site, most suspicious first
  std::vector<Suppression> suppressions;
};

// Of a cause of findings or of candidates, which has one at least.
inline const Finding& first_finding(const Verdict& verdict, const Cause& cause) {
  const std::vector<Finding>& list = cause.candidate ? verdict.candidates : verdict.findings;
  return list[static_cast<size_t>(cause.findings.front())];
}

}  // namespace bohr

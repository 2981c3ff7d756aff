// SPDX-License-Identifier: Apache-2.0
#include "fix/judge.h"

#include <algorithm>

namespace bohr::fix {

namespace {

bool is(const RepairPart& part, const Expectation& expectation) {
  if (expectation.kind == ExpectKind::fix_lifetime)
    return part.kind == RepairKind::lifetime && part.first == expectation.first;
  return part.kind == RepairKind::edge && part.first == expectation.first &&
         part.second == expectation.second;
}

Judgement judge_line(const Expectation& expectation, const Repairs& repairs) {
  const bool edge = expectation.kind == ExpectKind::fix_edge;
  Judgement judgement;
  judgement.line = expectation.line;
  judgement.sentence = "expected fix " + std::string(edge ? "edge " : "lifetime ") +
                       expectation.first + (edge ? " -> " + expectation.second : "");
  const Repair* refuted = nullptr;
  for (const Repair& repair : repairs.proposals) {
    const bool has = std::any_of(repair.parts.begin(), repair.parts.end(),
                                 [&](const RepairPart& part) { return is(part, expectation); });
    if (has && repair.verified) return judgement;
    if (has) refuted = &repair;
  }
  judgement.state = Judged::failed;
  judgement.sentence +=
      refuted ? ", and it is not verified: " + refuted->refuted : ", and it is not proposed";
  return judgement;
}

}  // namespace

std::vector<Judgement> judge(const Program& program, const Repairs& repairs) {
  std::vector<Judgement> judgements;
  for (const Expectation& expectation : program.expectations)
    if (expectation.kind == ExpectKind::fix_edge || expectation.kind == ExpectKind::fix_lifetime)
      judgements.push_back(judge_line(expectation, repairs));
  return judgements;
}

}  // namespace bohr::fix

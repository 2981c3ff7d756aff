// SPDX-License-Identifier: Apache-2.0
// Only what reaches an output counts: a case's outputs are its declared end.
#include "explore/judge.h"

#include <algorithm>

namespace bohr::explore {

namespace {

const Witness* output_witness(const Exploration& exploration) {
  const auto found = std::find_if(exploration.witnesses.begin(), exploration.witnesses.end(),
                                  [](const Witness& witness) { return witness.reaches_output(); });
  return found == exploration.witnesses.end() ? nullptr : &*found;
}

Judgement judge_line(const Expectation& expectation, const Exploration& exploration) {
  const Witness* witness = output_witness(exploration);
  const bool wanted = expectation.kind == ExpectKind::witness;
  Judgement judgement;
  judgement.line = expectation.line;
  judgement.sentence = wanted ? "expected a witness" : "expected no witness";
  if (witness) {
    judgement.state = wanted ? Judged::met : Judged::failed;
    judgement.sentence += ", and there is one: " + witness->first.label + " | " +
                          witness->second.label + " on " + witness->range.name;
  } else if (exploration.exhaustive) {
    judgement.state = wanted ? Judged::failed : Judged::met;
    judgement.sentence += ", and all legal orders leave the same outputs";
  } else {
    judgement.state = Judged::open;
    judgement.sentence += "; none was found, but not every order was tried";
  }
  return judgement;
}

}  // namespace

std::vector<Judgement> judge(const Program& program, const Exploration& exploration) {
  std::vector<Judgement> judgements;
  for (const Expectation& expectation : program.expectations)
    if (expectation.kind == ExpectKind::witness || expectation.kind == ExpectKind::no_witness)
      judgements.push_back(judge_line(expectation, exploration));
  return judgements;
}

}  // namespace bohr::explore

// SPDX-License-Identifier: Apache-2.0
// The check, as a list of steps.
#include "check/check.h"

#include "check/arena.h"
#include "check/causes.h"
#include "check/coverage.h"
#include "check/describe.h"
#include "check/early_rule.h"
#include "check/facts.h"
#include "check/findings.h"
#include "check/hides.h"
#include "check/lifetime_rule.h"
#include "check/pairs.h"
#include "check/pool_rule.h"
#include "check/uses.h"
#include "check/validate.h"

namespace bohr::check {

namespace {

std::vector<std::string> assumptions_of(const order::ProgramOrder& order) {
  std::vector<std::string> result;
  if (order.used_driver_reuse) result.push_back("driver-reuse");
  if (order.used_host_order) result.push_back("host-order-observed");
  if (order.used_pool_reuse) result.push_back("pool-reuse");
  return result;
}

}  // namespace

Result<Verdict> check(const Program& program, const Options& options) {
  BOHR_TRY_STATUS(validate(program));
  BOHR_TRY(arenas, make_arenas(program, options.strict_threads));
  Facts facts = gather_facts(program);
  facts.settled = options.settled;
  const Uses uses(program);

  Raw raw;
  raw.pairs = unordered_conflicts(program, arenas, options.listed_per_cause);
  raw.lifetimes = lifetime_hazards(program, arenas, facts, uses);
  raw.early = early_uses(program, arenas, uses);
  raw.pools = pool_hazards(program, arenas, facts, uses);

  const Describer describer(program, arenas);
  Told told = tell(program, facts, describer, raw);
  Verdict verdict;
  verdict.causes = group_causes(program, arenas, describer, told.unlisted, &told.findings);
  verdict.candidate_causes =
      group_candidates(program, arenas, describer, told.unlisted_candidates, &told.candidates);
  verdict.findings = std::move(told.findings);
  verdict.candidates = std::move(told.candidates);
  verdict.assumptions = assumptions_of(arenas.order);
  verdict.coverage = coverage_of(program, verdict.candidate_causes, verdict.candidates);
  verdict.outcome = outcome_of(verdict);
  explain_hiding(program, arenas, &verdict);
  return verdict;
}

}  // namespace bohr::check

// SPDX-License-Identifier: Apache-2.0
#include "app/fix_file.h"

#include <set>

#include "fix/fix.h"
#include "model/one_launch.h"
#include "replay/symbolic/replayer.h"

namespace bohr::app {

check::Options check_options(const CheckOptions& check, const Explored& explored) {
  check::Options options;
  options.strict_threads = check.strict_threads;
  options.settled = check.settled;
  if (explored.exploration)
    options.settled.insert(options.settled.end(), explored.exploration->settled.begin(),
                           explored.exploration->settled.end());
  return options;
}

fix::ShownOrders shown_in(const Program& program, const Explored& explored) {
  if (!explored.exploration || !program.recorded) return {};
  return fix::shown_orders(program, explored.exploration->witnesses);
}

namespace {

Result<Repairs> repairs_of(const Checked& checked, const Explored& explored,
                           const CheckOptions& check, const explore::Options& options) {
  fix::Options own;
  own.explore = options;
  own.check = check_options(check, explored);
  own.shown = shown_in(checked.program, explored);
  // What only its kernels' parameters say of a program is enough for the check alone.
  if (replay::symbolic_replayer(checked.program).ok())
    own.replayer = [](const Program& program) { return replay::symbolic_replayer(program); };
  if (explored.exploration)
    own.explore.also = fix::schedules_of(checked.program, *explored.exploration);
  return fix::fix(checked.program, checked.verdict, own);
}

// The last launch of each graph with a finding inside it, as witnesses name it.
std::vector<OpId> launches_with_findings(const Checked& checked) {
  std::set<GraphId> graphs;
  for (const Finding& finding : checked.verdict.findings)
    if (finding.first.graph.valid() && finding.first.graph == finding.second.graph)
      graphs.insert(finding.first.graph);
  std::vector<OpId> launches;
  for (size_t i = checked.program.ops.size(); i-- > 0;) {
    const Op& op = checked.program.ops[i];
    if (op.kind == OpKind::launch && graphs.erase(op.graph) > 0) launches.push_back(OpId(i));
  }
  return launches;
}

Result<Checked> narrowed(const Explored& explored, const CheckOptions& check) {
  const Checked& whole = explored.checked;
  CheckOptions again = check;
  if (explored.exploration) again.settled = explored.exploration->settled;
  return check_program(some_launches(whole.program, launches_with_findings(whole)), whole.name,
                       again);
}

int32_t cause_at(const Verdict& verdict, const std::string& site) {
  for (const Cause& cause : verdict.causes)
    if (cause.site == site) return cause.id;
  return 0;
}

// Names causes as the check of the whole program does.
void name_causes(const Verdict& whole, const Verdict& part, Repairs* repairs) {
  for (Repair& repair : repairs->proposals)
    for (const Cause& cause : part.causes)
      if (cause.id == repair.cause) {
        repair.cause = cause_at(whole, cause.site);
        break;
      }
  std::erase_if(repairs->proposals, [](const Repair& repair) { return repair.cause == 0; });
  repairs->reasons.emplace_back("fix-some-launches");
}

// In one launch of each graph, for a program in which hours of launches lie.
Status fix_narrowed(const CheckOptions& check, const explore::Options& options, Fixed* fixed) {
  BOHR_TRY(part, narrowed(fixed->explored, check));
  BOHR_TRY(repairs, repairs_of(part, fixed->explored, check, options));
  name_causes(fixed->explored.checked.verdict, part.verdict, &repairs);
  fixed->narrowed = std::move(part);
  fixed->repairs = std::move(repairs);
  return Nothing{};
}

// Of all launches: what each trial of a repair goes through anew.
bool is_long(const Program& program) {
  constexpr size_t kMostAccesses = size_t{1} << 20;
  size_t accesses = program.accesses.size();
  for (const Op& op : program.ops)
    if (op.kind == OpKind::launch && op.graph.valid())
      accesses += program.graphs[op.graph.index()].accesses.size();
  return accesses > kMostAccesses;
}

Status fix_one(const CheckOptions& check, const explore::Options& options, Fixed* fixed) {
  const Explored& explored = fixed->explored;
  if (is_long(explored.checked.program) && !launches_with_findings(explored.checked).empty())
    return fix_narrowed(check, options, fixed);
  BOHR_TRY(repairs, repairs_of(explored.checked, explored, check, options));
  fixed->repairs = std::move(repairs);
  return Nothing{};
}

}  // namespace

std::vector<Fixed> fix_all(std::vector<Explored> explored, const CheckOptions& check,
                           const explore::Options& options) {
  std::vector<Fixed> list;
  for (Explored& one : explored) {
    Fixed fixed{std::move(one), std::nullopt, std::nullopt};
    const Verdict& verdict = fixed.explored.checked.verdict;
    if (!verdict.findings.empty()) {
      if (const Status done = fix_one(check, options, &fixed); !done.ok())
        fixed.refusal = done.error();
      if (fixed.repairs) tell_tried(fixed.explored.tried, verdict, &*fixed.repairs);
    }
    list.push_back(std::move(fixed));
  }
  return list;
}

Result<std::vector<Fixed>> fix_path(const std::string& path, const CheckOptions& check,
                                    const explore::Options& options) {
  BOHR_TRY(explored, explore_path(path, check, options));
  return fix_all(std::move(explored), check, options);
}

std::vector<report::Subject> subjects_of(std::span<const Fixed> fixed) {
  std::vector<report::Subject> subjects;
  for (const Fixed& one : fixed) {
    subjects.push_back(subjects_of(std::span(&one.explored, 1)).front());
    if (one.repairs) subjects.back().repairs = &*one.repairs;
    if (one.refusal) subjects.back().not_repaired = to_string(*one.refusal);
  }
  return subjects;
}

ExitStatus status_of(std::span<const Fixed> fixed, const std::vector<HazardClass>& require) {
  ExitStatus status = ExitStatus::clean;
  for (const Fixed& one : fixed)
    status = worst(status, status_of(std::span(&one.explored, 1), require));
  return status;
}

}  // namespace bohr::app

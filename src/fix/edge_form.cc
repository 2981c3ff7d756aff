// SPDX-License-Identifier: Apache-2.0
#include "fix/edge_form.h"

#include <algorithm>
#include <set>

#include "check/check.h"
#include "fix/apply.h"
#include "fix/proposals.h"

namespace bohr::fix {

namespace {

constexpr size_t kMostDropped = 100;  // edges that are tried one by one

// The sites of the findings that are left. A program that cannot be checked has all of them left.
Result<std::set<std::string>> left_with(const Program& program, std::span<const RepairPart> parts,
                                        bool strict_threads) {
  BOHR_TRY(repaired, with_repairs(program, parts));
  check::Options options;
  options.strict_threads = strict_threads;
  BOHR_TRY(verdict, check::check(repaired, options));
  std::set<std::string> sites;
  for (const Cause& cause : verdict.causes)
    if (!cause.findings.empty()) sites.insert(cause.site);
  return sites;
}

bool inside_graphs(const Repair& repair) {
  return std::all_of(repair.parts.begin(), repair.parts.end(),
                     [](const RepairPart& part) { return part.graph.valid(); });
}

}  // namespace

Result<EdgeForm> edge_form(const Program& program, const Verdict& verdict, bool strict_threads) {
  BOHR_TRY(setting, setting_of(program, verdict, strict_threads));
  EdgeForm form;
  std::set<std::string> without;
  for (const Cause& cause : verdict.causes) {
    if (cause.suppressed) continue;
    bool any = false;
    for (const Repair& repair : proposals_for(setting, cause)) {
      if (repair.kind != RepairKind::edge || !inside_graphs(repair)) continue;
      any = true;
      for (const RepairPart& part : repair.parts)
        if (std::find(form.parts.begin(), form.parts.end(), part) == form.parts.end())
          form.parts.push_back(part);
    }
    if (!any) without.insert(cause.site);
  }
  BOHR_TRY(left, left_with(program, form.parts, strict_threads));
  without.insert(left.begin(), left.end());
  for (size_t i = std::min(form.parts.size(), kMostDropped); i-- > 0;) {
    std::vector<RepairPart> fewer = form.parts;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    BOHR_TRY(still, left_with(program, fewer, strict_threads));
    if (std::includes(left.begin(), left.end(), still.begin(), still.end()))
      form.parts = std::move(fewer);
  }
  form.without.assign(without.begin(), without.end());
  return form;
}

}  // namespace bohr::fix

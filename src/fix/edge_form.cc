// SPDX-License-Identifier: Apache-2.0
#include "fix/edge_form.h"

#include <algorithm>
#include <set>

#include "fix/proposals.h"
#include "fix/repaired.h"

namespace bohr::fix {

namespace {

constexpr size_t kMostEdgesDropped = 100;  // edges that are tried one by one

// The sites of the findings that are left. A program that cannot be checked has all of them left.
Result<std::set<std::string>> left_with(const Setting& setting, std::span<const RepairPart> parts) {
  BOHR_TRY(with, repaired(setting, parts));
  BOHR_TRY(verdict, check::check(with.program, with.check));
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

Result<EdgeForm> edge_form(const Program& program, const Verdict& verdict,
                           const check::Options& check, ShownOrders shown, const Refuted& refuted) {
  BOHR_TRY(setting, setting_of(program, verdict, check, std::move(shown)));
  EdgeForm form;
  std::set<std::string> without;
  for (const Cause& cause : verdict.causes) {
    if (cause.suppressed) continue;
    bool any = false;
    for (const Repair& repair : proposals_for(setting, cause)) {
      if (repair.kind != RepairKind::edge || !inside_graphs(repair)) continue;
      if (refuted(cause, repair)) continue;
      any = true;
      for (const RepairPart& part : repair.parts)
        if (std::find(form.parts.begin(), form.parts.end(), part) == form.parts.end())
          form.parts.push_back(part);
    }
    if (!any) without.insert(cause.site);
  }
  BOHR_TRY(left, left_with(setting, form.parts));
  without.insert(left.begin(), left.end());
  for (size_t i = std::min(form.parts.size(), kMostEdgesDropped); i-- > 0;) {
    std::vector<RepairPart> fewer = form.parts;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
    BOHR_TRY(still, left_with(setting, fewer));
    if (std::includes(left.begin(), left.end(), still.begin(), still.end()))
      form.parts = std::move(fewer);
  }
  form.without.assign(without.begin(), without.end());
  return form;
}

}  // namespace bohr::fix

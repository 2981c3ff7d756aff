// SPDX-License-Identifier: Apache-2.0
// A cause is found again by its site. Where it is not, check::Elsewhere says why, as for --compare:
// only what was changed about order, lifetimes or bytes confirms a repair, not that the work is
// gone.
#include "app/confirm.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/files.h"
#include "app/run_dir.h"
#include "check/absence.h"
#include "report/absence_text.h"

namespace bohr::app {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Error nothing_there(const std::string& before, const std::string& why) {
  return {"confirm-nothing", before, "", why,
          "name the folder of a run, or of bohr attach, with --explore --fix"};
}

std::string text_of(const Json& part, const char* name) {
  const auto found = part.find(name);
  return found != part.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string sentence_of(const Json& part) {
  const std::string block = text_of(part, "block"), until = text_of(part, "until");
  if (text_of(part, "kind") == "separate") return "give " + block + " memory of its own";
  return "keep " + block + (until.empty() ? "" : " until " + until);
}

// By site, the parts of each proposal as one sentence; one proposal a site is enough.
Result<std::map<std::string, std::string>> in_copies(const std::string& before) {
  const auto text = read_text(before + "/findings.json");
  if (!text.ok()) return text.error();
  const Json document = Json::parse(text.value(), nullptr, false);
  if (!document.is_object() || !document.contains("fixes") || !document["fixes"].is_array())
    return nothing_there(before, "findings.json is damaged, or lists no repairs");
  std::map<std::string, std::string> repairs;
  for (const Json& part : document["fixes"]) {
    if (!part.is_object() || text_of(part, "verified_in") != "copy") continue;
    std::string& sentence = repairs[text_of(part, "site")];
    if (sentence.empty()) sentence = sentence_of(part);
  }
  repairs.erase("");
  if (repairs.empty()) return nothing_there(before, "no repair of it was verified in a copy");
  return repairs;
}

// An attachment's folder lies in that of the run.
Result<std::vector<Checked>> recorded_in(const std::string& before, const CheckOptions& options) {
  const bool own = !processes_in(before).empty();
  const fs::path above = fs::path(before) / "..";
  return check_path(own ? before : above.lexically_normal().string(), options);
}

struct Known {
  const Checked* process = nullptr;
  const Cause* cause = nullptr;
};

Known find(std::span<const Checked> processes, const std::string& site, bool candidates) {
  for (const Checked& process : processes) {
    const Verdict& verdict = process.verdict;
    for (const Cause& cause : candidates ? verdict.candidate_causes : verdict.causes)
      if (cause.site == site && !cause.findings.empty()) return {&process, &cause};
  }
  return {};
}

Known find(std::span<const Checked> processes, const std::string& site) {
  const Known finding = find(processes, site, false);
  return finding.cause != nullptr ? finding : find(processes, site, true);
}

// What says most over the processes, unless one of them says nothing.
Result<Absence> absence_in(std::span<const Checked> now, const Known& known, bool strict_threads) {
  std::optional<Absence> most;
  for (const Checked& process : now) {
    BOHR_TRY(arenas, check::make_arenas(process.program, strict_threads));
    const check::Elsewhere elsewhere(process.program, process.verdict, arenas);
    Absence one = elsewhere.why(known.process->program, known.process->verdict, *known.cause);
    if (one.kind <= AbsenceKind::unrecorded) return one;
    if (!most || one.kind > most->kind) most = std::move(one);
  }
  return most.value_or(Absence());
}

Confirmed meaning_of(AbsenceKind kind) {
  if (kind == AbsenceKind::reused) return Confirmed::no;
  return kind >= AbsenceKind::not_freed ? Confirmed::yes : Confirmed::unknown;
}

}  // namespace

Result<std::vector<Confirmation>> confirm(const std::string& before, std::span<const Checked> now,
                                          const CheckOptions& options) {
  BOHR_TRY(repairs, in_copies(before));
  BOHR_TRY(then, recorded_in(before, options));
  std::vector<Confirmation> list;
  for (const auto& [site, repair] : repairs) {
    Confirmation one{site, repair, Confirmed::unknown, {}};
    const Known known = find(then, site);
    if (find(now, site, false).cause != nullptr) {
      one.confirmed = Confirmed::no, one.why = "it is still there";
    } else if (find(now, site, true).cause != nullptr) {
      one.confirmed = Confirmed::undecided, one.why = "its pair is there, and only replays decide";
    } else if (known.cause == nullptr) {
      one.why = "the recordings of before are gone";
    } else {
      BOHR_TRY(absence, absence_in(now, known, options.strict_threads));
      one.confirmed = meaning_of(absence.kind), one.why = report::absence_text(absence);
    }
    list.push_back(std::move(one));
  }
  return list;
}

std::string confirmation_line(const Confirmation& one) {
  const char* const words[] = {"VERIFIED", "NOT repaired", "not confirmed", "not confirmed"};
  return fmt::format("{}  {}: {} ({})", one.site, one.repair,
                     words[static_cast<size_t>(one.confirmed)], one.why);
}

}  // namespace bohr::app

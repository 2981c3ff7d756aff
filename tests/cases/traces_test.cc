// SPDX-License-Identifier: Apache-2.0
// Every recorded trace of tests/traces, read as it lies, gets the verdict that its name says:
// NAME.race has findings, NAME.clean none and complete coverage of what the allocator decides, but
// for the reason that tests/traces/reasons.txt names. NAME.candidate is racy but not decidable from
// parameters alone: the right pair, which tests/traces/candidates.txt names, is among the first
// three candidates or is a finding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "check/check.h"
#include "trace/open.h"

namespace bohr {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> trace_files() {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(BOHR_TRACES_DIR))
    if (entry.path().extension() == ".zst") files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  return files;
}

bool named(const std::string& file, const char* kind) {
  return file.find(std::string(".") + kind + ".bohr.zst") != std::string::npos;
}

// What stands behind the name of a trace in a list.
std::vector<std::string> listed(const std::string& list, const std::string& file) {
  std::ifstream in(std::string(BOHR_TRACES_DIR) + "/" + list);
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string name, word;
    std::vector<std::string> rest;
    words >> name;
    while (words >> word) rest.push_back(word);
    if (!name.empty() && file.rfind(name + ".", 0) == 0) return rest;
  }
  return {};
}

struct Wanted {
  std::string first, second;
};

// Lines "NAME FIRST SECOND": parts of the two labels, in any order.
Wanted wanted_pair(const std::string& file) {
  const std::vector<std::string> words = listed("candidates.txt", file);
  return words.size() == 2 ? Wanted{words[0], words[1]} : Wanted{};
}

// Lines "NAME REASON": all that keeps a clean trace from being complete.
bool complete_but_for_listed(const Verdict& verdict, const std::string& file) {
  const std::vector<std::string> reasons = listed("reasons.txt", file);
  if (reasons.empty())
    return check::complete_for(verdict,
                               {HazardClass::reuse, HazardClass::lifetime, HazardClass::pool});
  for (const HazardClass cls : {HazardClass::reuse, HazardClass::lifetime, HazardClass::pool})
    for (const std::string& reason : verdict.coverage[static_cast<size_t>(cls)].reasons)
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) return false;
  return true;
}

bool is_pair(const Finding& finding, const Wanted& wanted) {
  const auto in = [](const std::string& label, const std::string& part) {
    return label.find(part) != std::string::npos;
  };
  return (in(finding.first.label, wanted.first) && in(finding.second.label, wanted.second)) ||
         (in(finding.first.label, wanted.second) && in(finding.second.label, wanted.first));
}

std::string told(const std::vector<Finding>& findings) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(findings.size(), 10); ++i)
    text += std::string("  ") + to_string(findings[i].hazard) + " " + findings[i].first.label +
            " | " + findings[i].second.label + " " + to_string(findings[i].cls) + "\n";
  return text;
}

// The most suspicious pair of each of the first three causes.
std::vector<Finding> first_three(const Verdict& verdict) {
  std::vector<Finding> result;
  for (const Cause& cause : verdict.candidate_causes) {
    if (result.size() == 3) break;
    result.push_back(verdict.candidates[static_cast<size_t>(cause.findings.front())]);
  }
  return result;
}

class Traces : public testing::TestWithParam<std::string> {};

TEST_P(Traces, GetTheVerdictOfTheirName) {
  const std::string& file = GetParam();
  const auto input = trace::read_input(std::string(BOHR_TRACES_DIR) + "/" + file);
  ASSERT_TRUE(input.ok()) << to_string(input.error());
  const auto program = trace::to_program(input.value());
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const auto checked = check::check(program.value(), {});
  ASSERT_TRUE(checked.ok()) << to_string(checked.error());
  const Verdict& verdict = checked.value();
  const bool proved = std::any_of(verdict.findings.begin(), verdict.findings.end(),
                                  [](const Finding& finding) { return !finding.latent; });
  if (named(file, "race")) {
    EXPECT_TRUE(proved) << "candidates:\n" << told(verdict.candidates);
  } else if (named(file, "clean")) {
    EXPECT_TRUE(verdict.findings.empty()) << told(verdict.findings);
    EXPECT_TRUE(complete_but_for_listed(verdict, file)) << told(verdict.candidates);
  } else {
    ASSERT_TRUE(named(file, "candidate")) << "a trace's name says its verdict";
    const Wanted wanted = wanted_pair(file);
    ASSERT_FALSE(wanted.first.empty()) << "candidates.txt names no pair for it";
    std::vector<Finding> shown = first_three(verdict);
    shown.insert(shown.end(), verdict.findings.begin(), verdict.findings.end());
    EXPECT_TRUE(std::any_of(shown.begin(), shown.end(), [&](const Finding& finding) {
      return is_pair(finding, wanted);
    })) << told(shown);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& trace) {
  std::string name = trace.param.substr(0, trace.param.find(".bohr"));
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, Traces, testing::ValuesIn(trace_files()), test_name);

}  // namespace
}  // namespace bohr

// SPDX-License-Identifier: Apache-2.0
// The pages name every error code and every named reason of the source.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "app/files.h"
#include "report/words.h"

namespace bohr::app {
namespace {

namespace fs = std::filesystem;

const std::string kSource = BOHR_SOURCE_DIR;

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.insert((*at)[1]);
  }
  return found;
}

std::set<std::string> in_source(const std::regex& pattern) {
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(kSource + "/src")) {
    if (entry.path().extension() != ".cc") continue;
    const std::string text = read_text(entry.path()).value();
    const std::set<std::string> here = matches(text, pattern);
    found.insert(here.begin(), here.end());
  }
  return found;
}

TEST(AppDocs, EveryErrorCodeHasARow) {
  // Error{"code", …}, name_error(…, "code", …), refuse("code", …), return {"code", …
  const std::set<std::string> codes = in_source(std::regex(
      R"re((?:\bError\{|\w+_error\(\s*(?:\w+,\s*)?|refuse\(|return \{)\s*"([a-z]+(?:-[a-z]+)*)")re"));
  const std::string page = read_text(kSource + "/docs/errors.md").value();
  EXPECT_GT(codes.size(), 30u);
  for (const std::string& code : codes) {
    EXPECT_NE(page.find("| `" + code + "` |"), std::string::npos) << code << " has no row";
  }
}

TEST(AppDocs, EveryRowIsAnErrorCode) {
  const std::string page = read_text(kSource + "/docs/errors.md").value();
  const std::set<std::string> words = in_source(std::regex(R"re("([a-z]+(?:-[a-z]+)*)")re"));
  for (const std::string& code : matches(page, std::regex("\n\\| `([a-z-]+)` \\|"))) {
    EXPECT_TRUE(words.count(code)) << code << " is not in the source";
  }
}

TEST(AppDocs, EveryReasonIsExplained) {
  const std::string page = read_text(kSource + "/docs/limits.md").value();
  const std::set<std::string> reasons = matches(page, std::regex("\n\\| `([a-z-]+)` \\|"));
  EXPECT_GT(reasons.size(), 15u);
  for (const std::string& reason : reasons) {
    EXPECT_FALSE(report::reason_words(reason).empty()) << reason << " has no words";
  }
  const std::set<std::string> used = in_source(std::regex(
      R"re((?:diagnos\w*(?:\.|->)add(?:_order_lost)?\(|diagnose\([\w.]+,|undecided\([^";{]*|not_checked\([^";{]*|reasons = \{|\breason = )\s*"([a-z]+(?:-[a-z]+)+)")re"));
  EXPECT_GT(used.size(), 5u);
  for (const std::string& reason : used) {
    EXPECT_TRUE(reasons.count(reason)) << reason << " is not in docs/limits.md";
  }
}

}  // namespace
}  // namespace bohr::app

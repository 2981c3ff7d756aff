// SPDX-License-Identifier: Apache-2.0
#include "patch/counts.h"

#include <nlohmann/json.hpp>

namespace bohr::patch {

using Json = nlohmann::ordered_json;

std::string to_text(const Counts& counts) {
  const Json json = {{"applied", counts.applied},
                     {"not_needed", counts.not_needed},
                     {"unresolved", counts.unresolved},
                     {"of_fix", counts.of_fix},
                     {"whys", counts.whys},
                     {"refused", counts.refused}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Counts> parse_counts(std::string_view text, const std::string& source) {
  const Json json = Json::parse(text, nullptr, false);
  try {
    Counts counts;
    counts.applied = json.at("applied").get<int64_t>();
    counts.not_needed = json.at("not_needed").get<int64_t>();
    counts.unresolved = json.at("unresolved").get<int64_t>();
    counts.of_fix = json.at("of_fix").get<int64_t>();
    counts.whys = json.at("whys").get<std::vector<std::string>>();
    counts.refused = json.at("refused").get<std::string>();
    return counts;
  } catch (const Json::exception&) {
    return Error{"fix-file", source, "", "no agent wrote this", "remove it"};
  }
}

}  // namespace bohr::patch

// SPDX-License-Identifier: Apache-2.0
#include "patch/counts.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "patch/json_numbers.h"

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
    counts.applied = whole<int64_t>(json.at("applied"));
    counts.not_needed = whole<int64_t>(json.at("not_needed"));
    counts.unresolved = whole<int64_t>(json.at("unresolved"));
    counts.of_fix = whole<int64_t>(json.at("of_fix"));
    counts.whys = json.at("whys").get<std::vector<std::string>>();
    counts.refused = json.at("refused").get<std::string>();
    return counts;
  } catch (const std::exception&) {
    return Error{"fix-file", source, "", "no agent wrote this", "remove it"};
  }
}

}  // namespace bohr::patch

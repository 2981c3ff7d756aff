// SPDX-License-Identifier: Apache-2.0
// Whole numbers out of JSON that anybody may have written. The library would take fractions and
// numbers that are too large for them, which is undefined.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace bohr::patch {

// Throws std::out_of_range where it is no whole number, or none of that type.
template <class Number>
Number whole(const nlohmann::ordered_json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<uint64_t>();
    if (std::in_range<Number>(value)) return static_cast<Number>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.get<int64_t>();
    if (std::in_range<Number>(value)) return static_cast<Number>(value);
  }
  throw std::out_of_range("a number that is not whole, or does not fit");
}

}  // namespace bohr::patch

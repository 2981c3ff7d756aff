// SPDX-License-Identifier: Apache-2.0
#include "agent/ranks.h"

#include <charconv>
#include <cstdint>
#include <cstdlib>

#include "agent/environment.h"

namespace bohr::agent {
namespace {

bool read(std::string_view text, uint32_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool names_rank(std::string_view list, std::string_view rank) {
  uint32_t wanted = 0;
  if (!read(rank, &wanted)) return true;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(one.size() == list.size() ? one.size() : one.size() + 1);
    const size_t dash = one.find('-');
    uint32_t first = 0, last = 0;
    if (!read(one.substr(0, dash), &first)) return true;
    if (dash == std::string_view::npos) last = first;
    if (dash != std::string_view::npos && !read(one.substr(dash + 1), &last)) return true;
    if (first <= wanted && wanted <= last) return true;
  }
  return false;
}

bool is_wanted_rank() {
  const char* list = std::getenv(kRanksVariable);
  if (!list || !*list) return true;
  for (const RankVariables& launcher : kLaunchers)
    if (const char* rank = std::getenv(launcher.rank)) return names_rank(list, rank);
  return true;
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Which processes of a distributed program are recorded: BOHR_RANKS lists ranks, "0,2-3", and a
// launcher gave each process its own. A process that was given none is recorded.
#pragma once

#include <string_view>

namespace bohr::agent {

// Whether `list` names `rank`, which is decimal. A list or a rank that cannot be read names all: a
// recording too many is better than none.
bool names_rank(std::string_view list, std::string_view rank);

// Of this process.
bool is_wanted_rank();

}  // namespace bohr::agent

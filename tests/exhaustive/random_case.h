// SPDX-License-Identifier: Apache-2.0
// Random programs as case text, by seed: streams of all kinds, threads, agents, events, graphs that
// are launched several times, blocks that are freed and handed out again, programmatic launches,
// copies of all kinds. What the case format leaves open is not made: an eager use of a block after
// its free (but where a capture freed it, as graphs hand blocks to eager work), two live blocks
// with the same bytes, a free inside a capture of a block from outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bohr::naive {

// The lines of a case without expectations. `actions` is about how many ops it has, nodes included.
std::vector<std::string> random_case(uint64_t seed, size_t actions);

std::string join_lines(const std::vector<std::string>& lines);

}  // namespace bohr::naive

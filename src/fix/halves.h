// SPDX-License-Identifier: Apache-2.0
// The halves of updates as accesses of their own: a kernel that reads its old value in one place
// and writes the new one elsewhere.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "model/program.h"
#include "model/repair.h"

namespace bohr::fix {

// Where the k-th access of an op stands once its updates were parted: they become reads in their
// old places, and their writes follow behind all accesses that it had, in the same order.
uint32_t place_of_half(std::span<const Access> original, uint32_t k, Half half);

class Halves {
 public:
  explicit Halves(Program* program) : program_(*program) {}

  // The access, or the half of it, that a reference into the program as it was stands for. Parts
  // the updates of its op where a half is meant. Valid until the next call.
  Access* find(const AccessRef& ref);

 private:
  struct Home {
    Op* op = nullptr;
    uint32_t k = 0;
    uint32_t begin = 0;  // of its accesses before anything was parted
    uint32_t count = 0;
  };
  const Home& home_of(const AccessRef& ref);
  void part(const Home& home, std::vector<Access>* table);

  Program& program_;
  std::map<std::pair<GraphId, uint32_t>, Home> homes_;  // by graph and index, as asked for
  std::map<const Op*, std::vector<Access>> parted_;     // what its accesses were
};

}  // namespace bohr::fix

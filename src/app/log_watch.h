// SPDX-License-Identifier: Apache-2.0
// Notices, while a program runs, that its logs have new graphs in them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bohr::app {

class LogWatch {
 public:
  explicit LogWatch(std::string dir) : dir_(std::move(dir)) {}

  // Reads what the logs gained since the last call; returns how many graphs that added.
  int64_t poll();

 private:
  int64_t read_on(const std::string& path, uint64_t* offset);
  std::string dir_;
  std::map<std::string, uint64_t> offsets_;  // of the first frame not seen, by path
};

}  // namespace bohr::app

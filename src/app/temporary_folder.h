// SPDX-License-Identifier: Apache-2.0
// A folder of its own below the system's for temporary files, gone with it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace bohr::app {

class TemporaryFolder {
 public:
  static Result<std::unique_ptr<TemporaryFolder>> make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
#include "app/temporary_folder.h"

#include <cstdlib>
#include <filesystem>

namespace bohr::app {

namespace fs = std::filesystem;

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "bohr-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    return Error{"file-write", name, "", "no temporary folder can be made",
                 "set TMPDIR to a folder that is writable"};
  }
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(name));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace bohr::app

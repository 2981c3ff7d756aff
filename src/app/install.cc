// SPDX-License-Identifier: Apache-2.0
// Looks relative to /proc/self/exe, so that a moved or copied tree keeps working.
#include "app/install.h"

#include <filesystem>
#include <system_error>
#include <vector>

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

bool present(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// <prefix>/lib/bohr, lib64/bohr, or below a multiarch folder of lib.
std::vector<fs::path> library_folders() {
  const fs::path own = own_folder();
  const fs::path prefix = own.parent_path();
  std::vector<fs::path> folders = {own, prefix / "lib/bohr", prefix / "lib64/bohr"};
  std::error_code error;
  for (fs::directory_iterator at(prefix / "lib", error), end; !error && at != end;
       at.increment(error)) {
    folders.push_back(at->path() / "bohr");
  }
  return folders;
}

std::string find_shim(const fs::path& folder) {
  const fs::path shim = folder / "python";
  return present(shim / "sitecustomize.py") ? shim : fs::path();
}

}  // namespace

Result<AgentFiles> find_agent(const std::string& lib) {
  std::error_code error;
  const std::vector<fs::path> folders =
      lib.empty() ? library_folders() : std::vector<fs::path>{fs::absolute(lib, error)};
  for (const fs::path& folder : folders) {
    const fs::path agent = folder / "libbohr_agent.so", preload = folder / "libbohr_preload.so";
    if (present(agent) && present(preload)) return AgentFiles{agent, preload, find_shim(folder)};
  }
  return Error{"agent-missing", "cannot find libbohr_agent.so and libbohr_preload.so",
               folders.front(),
               "they are built only where the CUDA toolkit's headers (with CUPTI) are",
               "install the toolkit and build again; check, show and query work without it"};
}

Result<std::string> find_demo_program() {
  for (const fs::path& folder : library_folders())
    if (present(folder / "bohr_demo_layer")) return (folder / "bohr_demo_layer").string();
  return Error{"demo-program", "cannot find bohr_demo_layer", library_folders().front(),
               "it is built only where the CUDA toolkit's nvcc is",
               "install the toolkit and build again; without --cuda the demo needs no GPU"};
}

std::string find_traces() {
  const fs::path own = own_folder();
  for (const fs::path& folder : {own.parent_path() / "share/bohr/traces",
                                 own.parent_path().parent_path() / "tests/traces"}) {
    if (present(folder)) return folder;
  }
  return {};
}

}  // namespace bohr::app

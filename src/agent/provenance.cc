// SPDX-License-Identifier: Apache-2.0
// Versions come from names of files alone: of a mapped library, or of the folder in which a Python
// package keeps what it was installed as. No function of a foreign library is called.
#include "agent/provenance.h"

#include <dirent.h>

#include <cstdlib>
#include <mutex>
#include <set>

#include "agent/files.h"

namespace bohr::agent {

namespace {

constexpr size_t kMaxText = 1 << 20;
constexpr size_t kMaxMaps = size_t{1} << 25;

// What was told already, so that each is told once; one object for a process.
struct Told {
  std::mutex mutex;
  std::set<std::string> files;
  std::set<std::pair<std::string, std::string>> records;
};
Told& told() {
  static Told* all = new Told;  // never destroyed: the log is closed later than most
  return *all;
}

void add(Recorder& r, trace::ProvenanceKind what, const std::string& name,
         const std::string& value) {
  if (!told().records.emplace(name, value).second) return;
  r.log->append(trace::Provenance{what, r.log->text(name), r.log->text(value)});
}

std::string installed_version(const std::string& packages, const std::string& package) {
  DIR* folder = opendir(packages.c_str());
  if (folder == nullptr) return "";
  std::string version;
  while (const dirent* entry = readdir(folder)) {
    if (version_of_package(entry->d_name, package, &version)) break;
  }
  closedir(folder);
  return version;
}

void add_library(Recorder& r, const std::string& path) {
  const auto [packages, package] = package_of(path);
  std::string installed;
  if (!package.empty()) installed = installed_version(packages, package);
  if (!installed.empty() && package.rfind("nvidia_", 0) != 0)
    add(r, trace::ProvenanceKind::package, package, installed);
  const auto [name, version] = library_of(base_name(path));
  // A wheel's libraries are named by their major version, so the wheel's says more.
  const bool from_wheel = !installed.empty() && package.rfind("nvidia_", 0) == 0;
  const std::string& known = from_wheel ? installed : version;
  if (!name.empty() && !known.empty()) add(r, trace::ProvenanceKind::library, name, known);
}

}  // namespace

std::vector<std::string> own_arguments() {
  return split(read_file("/proc/self/cmdline", kMaxText), '\0');
}

void add_settings(Recorder& r) {
  const std::lock_guard lock(told().mutex);
  for (const char* name : kAllowedVariables) {
    if (const char* value = std::getenv(name))
      add(r, trace::ProvenanceKind::variable, name, kept_value(value));
  }
  for (const auto& [name, value] : allowed_options(own_arguments()))
    add(r, trace::ProvenanceKind::option, name, value);
}

void add_libraries(Recorder& r) {
  const std::lock_guard lock(told().mutex);
  const std::string maps = read_file("/proc/self/maps", kMaxMaps);
  for (size_t at = 0; at < maps.size();) {
    const size_t end = std::min(maps.find('\n', at), maps.size());
    const size_t slash = maps.find('/', at);
    if (slash < end) {
      const std::string path = maps.substr(slash, end - slash);
      if (told().files.insert(path).second) add_library(r, path);
    }
    at = end + 1;
  }
}

}  // namespace bohr::agent

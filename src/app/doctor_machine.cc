// SPDX-License-Identifier: Apache-2.0
// glibc, the folder of a run, the disk below it and the limits of this process, which a program
// under `bohr run` inherits.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "agent/environment.h"
#include "app/doctor_topics.h"
#include "report/words.h"

namespace bohr::app {

namespace fs = std::filesystem;

namespace {

constexpr int kFloorMajor = 2, kFloorMinor = 28;  // what tools/check_agent.sh holds the agent to
constexpr size_t kMostSocketPath = 107;           // of sockaddr_un
constexpr uint64_t kFewFiles = 64;
constexpr uint64_t kLittleMemory = uint64_t{256} << 20;

uint64_t limit_of(uint64_t max_log) { return max_log > 0 ? max_log : agent::kDefaultMaxLog; }

// The folder, or the first above it that exists.
std::string existing(const std::string& dir) {
  std::error_code error;
  fs::path path = fs::absolute(dir.empty() ? "." : dir, error).lexically_normal();
  while (!path.empty() && path != path.root_path() && !fs::exists(path, error))
    path = path.parent_path();
  return path;
}

void note(std::string* list, const std::string& what) {
  if (!list->empty()) *list += "; ";
  *list += what;
}

}  // namespace

Topic glibc_topic() {
  Topic topic{.name = "glibc"};
  const char* version = gnu_get_libc_version();
  int major = 0, minor = 0;
  const bool read = std::sscanf(version, "%d.%d", &major, &minor) == 2;
  topic.found = version;
  topic.facts["version"] = version;
  if (!read || std::pair(major, minor) >= std::pair(kFloorMajor, kFloorMinor)) return topic;
  topic.works = Works::no;
  topic.follows = fmt::format("the recorder needs glibc {}.{} or newer", kFloorMajor, kFloorMinor);
  return topic;
}

Topic folder_topic(const std::string& dir) {
  Topic topic{.name = "folder"};
  std::error_code error;
  const std::string wanted =
      fs::absolute(dir.empty() ? "." : dir, error).lexically_normal().string();
  const std::string above = existing(dir);
  topic.facts["path"] = wanted;
  topic.found = wanted + " can be written to";
  if (access(above.c_str(), W_OK | X_OK) != 0) {
    topic.works = Works::no;
    topic.found = fmt::format("{} cannot be written to: {}", above, std::strerror(errno));
    topic.follows = "choose another folder with -o";
  } else if (wanted.size() + std::strlen("/bohr-9999/explore.sock") > kMostSocketPath) {
    topic.works = Works::partly;
    topic.found += ", and its path is long";
    topic.follows = "--explore needs a shorter one (-o): a socket's path has 107 bytes at most";
  }
  return topic;
}

Topic disk_topic(const std::string& dir, uint64_t max_log) {
  Topic topic{.name = "disk"};
  struct statvfs info {};
  const std::string at = existing(dir);
  if (statvfs(at.c_str(), &info) != 0) {
    topic.works = Works::partly;
    topic.found = fmt::format("not known: {}: {}", at, std::strerror(errno));
    topic.follows = "a log ends where the disk is full; the report says so";
    return topic;
  }
  const uint64_t free = uint64_t{info.f_bavail} * info.f_frsize;
  topic.facts["free_bytes"] = std::to_string(free);
  topic.facts["max_log_bytes"] = std::to_string(limit_of(max_log));
  topic.found = report::bytes(free) + " free";
  if (free >= limit_of(max_log)) return topic;
  topic.works = Works::partly;
  topic.follows = fmt::format(
      "a process may log {} (--max-log): a log ends where the disk is full, and the report says so",
      report::bytes(limit_of(max_log)));
  return topic;
}

Topic limits_topic(uint64_t max_log) {
  Topic topic{.name = "limits"};
  const auto soft = [&topic](__rlimit_resource kind, const char* name) {
    rlimit limit{};
    const bool bounded = getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    topic.facts[name] = bounded ? std::to_string(limit.rlim_cur) : "unlimited";
    return bounded ? uint64_t{limit.rlim_cur} : UINT64_MAX;
  };
  const uint64_t file = soft(RLIMIT_FSIZE, "file_bytes");
  const uint64_t files = soft(RLIMIT_NOFILE, "open_files");
  const uint64_t memory = soft(RLIMIT_AS, "address_space_bytes");
  if (file < limit_of(max_log))
    note(&topic.found, "files of at most " + report::bytes(file) + " (ulimit -f)");
  if (files < kFewFiles)
    note(&topic.found, report::count(static_cast<int64_t>(files), "open file") + " (ulimit -n)");
  if (memory < kLittleMemory)
    note(&topic.found, report::bytes(memory) + " of addresses (ulimit -v)");
  if (topic.found.empty()) {
    topic.found = "none that a recording would meet";
    return topic;
  }
  topic.works = Works::partly;
  topic.follows = "a log ends where a limit is met, and the report says so; raise it with ulimit";
  return topic;
}

}  // namespace bohr::app

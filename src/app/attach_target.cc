// SPDX-License-Identifier: Apache-2.0
// An agent is known by its page, which the process maps: no environment is looked at, for that may
// have been cleared since.
#include "app/attach_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "agent/environment.h"
#include "app/files.h"
#include "replay/attach_page.h"

namespace bohr::app {

namespace fs = std::filesystem;
using replay::AttachPage;

namespace {

fs::path proc(pid_t pid) { return fs::path("/proc") / std::to_string(pid); }

// "PID (any name, even with a bracket) S PARENT ..."
pid_t parent_of(pid_t pid) {
  const auto text = read_text(proc(pid) / "stat");
  if (!text.ok()) return 0;
  const size_t name_end = text.value().rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.value().size()) return 0;
  return static_cast<pid_t>(std::strtol(text.value().c_str() + name_end + 4, nullptr, 10));
}

// The process and its descendants, as they are now.
std::vector<pid_t> tree_of(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10));
    children.emplace(parent_of(pid), pid);
  }
  std::vector<pid_t> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i) {
    const auto [begin, end] = children.equal_range(tree[i]);
    for (auto child = begin; child != end; ++child) tree.push_back(child->second);
  }
  std::sort(tree.begin(), tree.end());
  return tree;
}

// Nothing: none is mapped.
std::optional<Target> target_in(pid_t pid) {
  std::ifstream maps(proc(pid) / "maps");
  const std::string suffix = agent::kAttachSuffix;
  for (std::string line; std::getline(maps, line);) {
    const size_t path_begin = line.find('/');
    if (path_begin == std::string::npos || !line.ends_with(suffix)) continue;
    const std::string page = line.substr(path_begin);
    const std::string stem = page.substr(0, page.size() - suffix.size());
    if (fs::path(stem).filename().string().rfind(std::to_string(pid), 0) != 0) continue;
    return Target{pid, fs::path(page).parent_path(), stem + agent::kLogSuffix, page};
  }
  return std::nullopt;
}

Error page_error(const Target& target, const std::string& why) {
  return {"attach-page", target.page, "", why,
          "nothing of the program was touched; start it again under this version of bohr"};
}

}  // namespace

Result<std::vector<Target>> find_targets(pid_t pid) {
  std::error_code error;
  const std::string process = fmt::format("process {}", pid);
  if (pid <= 0 || !fs::exists(proc(pid), error))
    return Error{"no-process", process, "", "there is none", "see ps"};
  std::vector<Target> targets;
  for (const pid_t one : tree_of(pid))
    if (auto target = target_in(one)) targets.push_back(std::move(*target));
  if (!targets.empty()) return targets;
  if (access((proc(pid) / "maps").c_str(), R_OK) != 0 || !std::ifstream(proc(pid) / "maps"))
    return Error{"no-agent", process, "", "what it maps may not be read: it is another user's",
                 "attach as its user"};
  return Error{"no-agent", process, "",
               "no agent was loaded into it, nor into a process below it, or CUDA was not used yet",
               "start it under bohr run, or with the lines that bohr env prints"};
}

Result<std::unique_ptr<Attachment>> Attachment::open(const Target& target,
                                                     const std::string& socket) {
  const int file = ::open(target.page.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return page_error(target, std::strerror(errno));
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_uid != geteuid() ||
      static_cast<size_t>(status.st_size) < sizeof(AttachPage)) {
    close(file);
    return page_error(target, "it is no page of an agent of this user");
  }
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    return Error{"attach-taken", fmt::format("process {}", target.pid), "",
                 "another bohr is attached to it", "wait until that one is done"};
  }
  void* mapped = mmap(nullptr, sizeof(AttachPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return close(file), page_error(target, std::strerror(errno));
  auto* page = static_cast<AttachPage*>(mapped);
  std::unique_ptr<Attachment> attachment(new Attachment(file, mapped));
  if (page->magic != replay::kAttachMagic)
    return page_error(target, "the agent is of another version");
  if (socket.size() >= sizeof page->socket)
    return page_error(target, "the path of the socket is too long");
  std::memcpy(page->socket, socket.c_str(), socket.size() + 1);
  // The launch before it lets the allocator tell what it knows.
  page->launch = 2;
  page->turn.fetch_add(1, std::memory_order_release);
  return attachment;
}

Attachment::~Attachment() {
  auto* page = static_cast<AttachPage*>(page_);
  if (page->magic == replay::kAttachMagic && page->socket[0] != '\0') {
    page->socket[0] = '\0';
    page->turn.fetch_add(1, std::memory_order_release);
  }
  munmap(page_, sizeof(AttachPage));
  close(file_);
}

}  // namespace bohr::app

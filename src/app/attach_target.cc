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

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "agent/environment.h"
#include "app/process_tree.h"
#include "replay/attach_page.h"

namespace bohr::app {

namespace fs = std::filesystem;
using replay::AttachPage;

namespace {

fs::path proc(pid_t pid) { return fs::path("/proc") / std::to_string(pid); }

// Nothing: none is mapped.
std::optional<Target> target_in(pid_t pid) {
  const std::string suffix = agent::kAttachSuffix;
  for (const std::string& page : mapped_files(pid)) {
    if (!page.ends_with(suffix)) continue;
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
    return Error{"no-agent", process, "",
                 "what it maps may not be read: it is another user's, or the system forbids it",
                 "attach as its user, and in its container"};
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

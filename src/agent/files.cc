// SPDX-License-Identifier: Apache-2.0
#include "agent/files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bohr::agent {

std::string read_file(const std::string& path, size_t limit) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string bytes;
  char buffer[16 * 1024];
  ssize_t count = 0;
  while ((count = ::read(file, buffer, sizeof buffer)) > 0 && bytes.size() <= limit) {
    bytes.append(buffer, static_cast<size_t>(count));
  }
  ::close(file);
  if (count < 0 || bytes.size() > limit) bytes.clear();
  return bytes;
}

bool append(int file, const std::string& bytes) {
  struct stat info = {};
  rlimit limit = {};
  if (fstat(file, &info) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  const bool bounded = limit.rlim_cur != RLIM_INFINITY;
  if (bounded && static_cast<rlim_t>(info.st_size) + bytes.size() > limit.rlim_cur) return false;
  return write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace bohr::agent

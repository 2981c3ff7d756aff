// SPDX-License-Identifier: Apache-2.0
// The window is mapped from the page that holds its first byte; the new one is mapped before the
// old one is given up, so a failure leaves the file writable where it was.
#include "trace/writer/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

namespace bohr::trace {

int MappedFile::create(const char* path) {
  path_ = path;
  file_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat info = {};
  if (file_ < 0 || ::fstat(file_, &info) != 0) return errno;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  return 0;
}

bool MappedFile::is_ours(int file) const {
  struct stat info = {};
  return file >= 0 && ::fstat(file, &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
}

int MappedFile::descriptor() {
  if (is_ours(file_)) return file_;
  file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file_ >= 0 && !is_ours(file_)) {
    ::close(file_);
    file_ = -1;
  }
  return file_;
}

void MappedFile::close_file() {
  if (is_ours(file_)) ::close(file_);
  file_ = -1;
}

// Growing a file past the process's limit raises SIGXFSZ, which would kill the host.
static bool exceeds_file_limit(uint64_t size) {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  return limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

int MappedFile::move_window(uint64_t begin, uint64_t end) {
  if (exceeds_file_limit(end)) return EFBIG;
  const int file = descriptor();
  if (file < 0) return EBADF;
  int error = EINTR;
  while (error == EINTR) {
    error = ::posix_fallocate(file, static_cast<off_t>(window_end_),
                              static_cast<off_t>(end - window_end_));
  }
  if (error != 0) return error;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t aligned = begin / page * page;
  void* window = ::mmap(nullptr, end - aligned, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                        static_cast<off_t>(aligned));
  if (window == MAP_FAILED) return errno;
  if (window_ != nullptr) ::munmap(window_, window_end_ - window_begin_);
  window_ = static_cast<uint8_t*>(window);
  window_begin_ = aligned;
  window_end_ = end;
  return 0;
}

void MappedFile::finish(uint64_t size) {
  // When it cannot be cut, zeros stay behind the last record, which readers take for its end.
  const int file = descriptor();
  [[maybe_unused]] const int cut = file < 0 ? -1 : ::ftruncate(file, static_cast<off_t>(size));
  let_go();
}

void MappedFile::let_go() {
  if (window_ != nullptr) ::munmap(window_, window_end_ - window_begin_);
  close_file();
  window_ = nullptr;
}

void MappedFile::forget() {
  close_file();
  window_ = nullptr;
}

}  // namespace bohr::trace

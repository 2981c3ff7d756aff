// SPDX-License-Identifier: Apache-2.0
// The window is mapped from the page that holds its first byte; the new one is mapped before the
// old one is given up, so a failure leaves the file writable where it was.
#include "trace/writer/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>

namespace bohr::trace {

int MappedFile::create(const char* path) {
  file_ = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  return file_ < 0 ? errno : 0;
}

// Growing a file past the process's limit raises SIGXFSZ, which would kill the host.
static bool exceeds_file_limit(uint64_t size) {
  struct rlimit limit = {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  return limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur;
}

int MappedFile::move_window(uint64_t begin, uint64_t end) {
  if (exceeds_file_limit(end)) return EFBIG;
  int error = EINTR;
  while (error == EINTR) {
    error = ::posix_fallocate(file_, static_cast<off_t>(window_end_),
                              static_cast<off_t>(end - window_end_));
  }
  if (error != 0) return error;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t aligned = begin / page * page;
  void* window = ::mmap(nullptr, end - aligned, PROT_READ | PROT_WRITE, MAP_SHARED, file_,
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
  [[maybe_unused]] const int cut = ::ftruncate(file_, static_cast<off_t>(size));
  let_go();
}

void MappedFile::let_go() {
  if (window_ != nullptr) ::munmap(window_, window_end_ - window_begin_);
  if (file_ >= 0) ::close(file_);
  window_ = nullptr;
  file_ = -1;
}

void MappedFile::forget() {
  if (file_ >= 0) ::close(file_);
  window_ = nullptr;
  file_ = -1;
}

}  // namespace bohr::trace

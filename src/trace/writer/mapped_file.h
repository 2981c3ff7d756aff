// SPDX-License-Identifier: Apache-2.0
// A growing file that is written through a mapping of its end. What was stored is in the kernel's
// page cache at once, so it outlives the process without a system call for each record. Each window
// is reserved on disk before it is mapped: a full disk is an error here and no SIGBUS later.
//
// Programs close descriptors that they do not know, all of them when they become daemons, and a
// file of theirs may get the number next. So the descriptor is looked at before each use: where it
// is not our file's any more it is left alone, and the file is opened again by its path.
#pragma once

#include <cstdint>
#include <string>

namespace bohr::trace {

class MappedFile {
 public:
  MappedFile() = default;
  ~MappedFile() { let_go(); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Creates the file (mode 0600, must not exist). 0, or errno.
  int create(const char* path);

  // Makes [begin, end) writable; what lies before `begin` may be out of reach from now on. 0, or
  // errno, and then the window is as it was; EBADF: the descriptor was closed, and there is no such
  // file at the path any more.
  int move_window(uint64_t begin, uint64_t end);

  uint64_t window_end() const { return window_end_; }
  uint8_t* at(uint64_t offset) const { return window_ + (offset - window_begin_); }

  // Cuts the file to `size` bytes and closes it.
  void finish(uint64_t size);

  // Unmaps and closes, leaving the file as it is.
  void let_go();

  // In a forked child, where another thread's move_window may have been cut short: closes the file
  // and leaves the mapping, whose bounds cannot be trusted, to the end of the process.
  void forget();

 private:
  // The descriptor, if need be a new one; or -1.
  int descriptor();
  bool is_ours(int file) const;
  void close_file();

  std::string path_;
  int file_ = -1;
  uint64_t device_ = 0, inode_ = 0;  // what the file is known by
  uint8_t* window_ = nullptr;
  uint64_t window_begin_ = 0;
  uint64_t window_end_ = 0;
};

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
#include "agent/attach.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace bohr::agent {

replay::AttachPage* make_attach_page(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const int file = open(path.c_str(), kFlags, 0600);
  if (file < 0) return nullptr;
  void* page = MAP_FAILED;
  if (ftruncate(file, sizeof(replay::AttachPage)) == 0)
    page = mmap(nullptr, sizeof(replay::AttachPage), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) return nullptr;
  return new (page) replay::AttachPage;
}

std::string socket_in(const replay::AttachPage& page) {
  return std::string(page.socket, strnlen(page.socket, sizeof page.socket));
}

}  // namespace bohr::agent

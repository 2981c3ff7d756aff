// SPDX-License-Identifier: Apache-2.0
// Whoever sits where bohr should listen, and is not bohr: listens at PATH, reads what the first
// peer says, and answers as ANSWER has it: `nonsense`, `nothing` (closes), `length` (a length, and
// then closes), `silence` (until the peer has had enough). Creates PATH.ready when it can be
// connected to.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

bool read_all(int peer, char* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(peer, to, bytes);
    if (got <= 0) return false;
    to += got, bytes -= static_cast<size_t>(got);
  }
  return true;
}

// A message comes in as many pieces as it likes: its length, its kind and so many bytes.
bool read_message(int peer) {
  uint32_t bytes = 0;
  if (!read_all(peer, reinterpret_cast<char*>(&bytes), sizeof bytes)) return false;
  std::string rest(size_t{1} + bytes, '\0');
  return read_all(peer, rest.data(), rest.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string path = argv[1], answer = argv[2];
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 3;
  if (listen(listening, 1) != 0) return 3;
  std::fclose(std::fopen((path + ".ready").c_str(), "w"));
  const int peer = accept(listening, nullptr, nullptr);
  if (peer < 0 || !read_message(peer)) return 4;
  char more;
  if (answer == "silence") return read(peer, &more, sizeof more) == 0 ? 0 : 4;
  const uint32_t size = answer == "length" ? 0x7fffffff : 16;
  char frame[sizeof size + 1 + 16];
  std::memset(frame, 0xff, sizeof frame);
  std::memcpy(frame, &size, sizeof size);
  const size_t said = answer == "nothing" ? 0 : answer == "length" ? sizeof size : sizeof frame;
  if (said > 0 && write(peer, frame, said) != static_cast<ssize_t>(said)) return 4;
}

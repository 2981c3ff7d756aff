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
  char offer[4096];
  if (peer < 0 || read(peer, offer, sizeof offer) <= 0) return 4;
  if (answer == "silence") return read(peer, offer, sizeof offer) == 0 ? 0 : 4;
  const uint32_t size = answer == "length" ? 0x7fffffff : 16;
  char frame[sizeof size + 1 + 16];
  std::memset(frame, 0xff, sizeof frame);
  std::memcpy(frame, &size, sizeof size);
  const size_t said = answer == "nothing" ? 0 : answer == "length" ? sizeof size : sizeof frame;
  if (said > 0 && write(peer, frame, said) != static_cast<ssize_t>(said)) return 4;
}

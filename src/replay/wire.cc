// SPDX-License-Identifier: Apache-2.0
#include "replay/wire.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace bohr::replay {

namespace {

Error peer_gone(const char* why) {
  return {"remote-lost", "the other process", "", why,
          "it has ended, or was stopped; what was found so far is kept"};
}

Status send_all(int socket, const void* data, size_t size) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0) {
    // A peer that is gone must not raise SIGPIPE in a program that is not ours.
    const ssize_t sent = ::send(socket, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return peer_gone("the connection broke while sending");
    from += sent, size -= static_cast<size_t>(sent);
  }
  return Nothing{};
}

Status receive_all(int socket, void* data, size_t size) {
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = ::recv(socket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return peer_gone("the connection broke");
    to += got, size -= static_cast<size_t>(got);
  }
  return Nothing{};
}

}  // namespace

Status send(int socket, const Message& message) {
  if (message.body.size() >= kMostFrame) return bad_message("a message of more than 2 GiB");
  const auto size = static_cast<uint32_t>(message.body.size());
  BOHR_TRY_STATUS(send_all(socket, &size, sizeof size));
  BOHR_TRY_STATUS(send_all(socket, &message.kind, sizeof message.kind));
  return send_all(socket, message.body.data(), message.body.size());
}

Result<Message> receive(int socket) {
  Message message;
  uint32_t size = 0;
  BOHR_TRY_STATUS(receive_all(socket, &size, sizeof size));
  if (size >= kMostFrame) return bad_message("a message of more than 2 GiB");
  BOHR_TRY_STATUS(receive_all(socket, &message.kind, sizeof message.kind));
  // In parts, so that a length alone takes no memory.
  constexpr size_t kPart = size_t{16} << 20;
  while (message.body.size() < size) {
    const size_t old = message.body.size();
    message.body.resize(std::min<size_t>(size, old + kPart));
    BOHR_TRY_STATUS(receive_all(socket, message.body.data() + old, message.body.size() - old));
  }
  return message;
}

void put_error(BodyWriter* body, const Error& error) {
  for (const std::string* part :
       {&error.code, &error.what, &error.where, &error.why, &error.remedy})
    body->text(*part);
}

Error get_error(BodyReader* body) {
  Error error;
  for (std::string* part : {&error.code, &error.what, &error.where, &error.why, &error.remedy})
    *part = body->text();
  return error;
}

Error bad_message(const std::string& what) {
  return {"remote-message", "the other process", "", "it sent what is not understood: " + what,
          "use the agent and the tool of one version"};
}

}  // namespace bohr::replay

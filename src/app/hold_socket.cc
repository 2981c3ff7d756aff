// SPDX-License-Identifier: Apache-2.0
// The socket lies in the private folder of a run; that a peer is of the same user is checked too.
#include "app/hold_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "replay/service.h"

namespace bohr::app {

namespace {

Error socket_error(const std::string& path, int code) {
  return {"explore-socket", path, "", std::string("cannot listen there: ") + std::strerror(code),
          "choose a folder with a shorter path with -o"};
}

constexpr timeval kOfferPatience{5, 0};  // for what an agent says at once
constexpr timeval kForever{0, 0};

void set_patience(int socket, const timeval& patience) {
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

std::optional<ucred> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer;
}

bool is_ours(int socket) {
  const auto peer = peer_of(socket);
  return peer && peer->uid == geteuid();
}

}  // namespace

pid_t Connection::peer() const {
  const auto peer = peer_of(socket_);
  return peer ? peer->pid : -1;
}

bool Connection::has_ended() const {
  pollfd end{socket_, POLLRDHUP, 0};
  return poll(&end, 1, 0) > 0;
}

Connection::~Connection() {
  if (socket_ >= 0) close(socket_);
}

Result<replay::Offer> Connection::offer() const {
  if (!is_ours(socket_))
    return Error{"remote-message", "the socket of this run", "", "another user connected to it",
                 ""};
  BOHR_TRY(message, replay::receive(socket_));
  BOHR_TRY(offer, replay::offer_of(message.body));
  if (offer.version == BOHR_VERSION) return std::move(offer);
  go_on(0);
  return Error{"remote-message", offer.log, "",
               fmt::format("the agent is of version {}, this is {}", offer.version, BOHR_VERSION),
               "nothing of it is explored; use the agent and the tool of one version"};
}

void Connection::go_on(uint64_t ask_again, std::chrono::milliseconds rest) const {
  replay::Answer answer;
  answer.ask_again = ask_again;
  answer.rest_ms = static_cast<uint64_t>(rest.count());
  // A guest that is gone needs no answer.
  static_cast<void>(replay::send(socket_, {0, replay::body_of(answer)}));
}

Status Connection::explore(const replay::Answer& answer) const {
  BOHR_TRY_STATUS(replay::send(socket_, {0, replay::body_of(answer)}));
  set_patience(socket_, kForever);  // replays take what they take
  BOHR_TRY(reply, replay::receive(socket_));
  if (reply.kind == static_cast<uint8_t>(replay::Reply::done)) return Nothing{};
  replay::BodyReader body(reply.body);
  return replay::get_error(&body);
}

Result<HoldSocket> HoldSocket::listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return socket_error(path, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  HoldSocket socket(path, ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.socket_ < 0 ||
      bind(socket.socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || ::listen(socket.socket_, SOMAXCONN) != 0)
    return socket_error(path, errno);
  return socket;
}

HoldSocket::HoldSocket(HoldSocket&& other) noexcept
    : path_(std::move(other.path_)), socket_(std::exchange(other.socket_, -1)) {}

HoldSocket::~HoldSocket() {
  if (socket_ < 0) return;
  close(socket_);
  unlink(path_.c_str());
}

bool HoldSocket::wait(std::chrono::milliseconds patience) const {
  pollfd waiting{socket_, POLLIN, 0};
  return poll(&waiting, 1, static_cast<int>(patience.count())) > 0;
}

std::optional<Connection> HoldSocket::accept() const {
  if (!wait(std::chrono::milliseconds(0))) return std::nullopt;
  const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return std::nullopt;
  set_patience(socket, kOfferPatience);
  return Connection(socket);
}

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Where agents offer the launches that they hold, and what is said on such a connection before the
// replays begin (replay/hold.h). A connection that is dropped lets its guest go.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "replay/hold.h"

namespace bohr::app {

// Closes its socket.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection();
  Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Connection& operator=(Connection&&) = delete;

  // The first message. Error `remote-message` from another user, another version, or nonsense; of
  // another version the agent is told to go on.
  Result<replay::Offer> offer() const;
  // "Go on, and ask again at that launch (0: never), not before `rest`."
  void go_on(uint64_t ask_again, std::chrono::milliseconds rest = {}) const;
  // "Explore": whether replays can be had now.
  Status explore(const replay::Answer& answer) const;
  // The socket is the caller's from here on.
  int take() && { return std::exchange(socket_, -1); }
  pid_t peer() const;
  // The agent waits no longer, or is gone.
  bool has_ended() const;

 private:
  int socket_;
};

class HoldSocket {
 public:
  // Error `explore-socket`.
  static Result<HoldSocket> listen(const std::string& path);
  ~HoldSocket();
  HoldSocket(HoldSocket&& other) noexcept;
  HoldSocket& operator=(HoldSocket&&) = delete;

  const std::string& path() const { return path_; }
  // The next connection that waits.
  std::optional<Connection> accept() const;
  // Until a connection waits, at most so long.
  bool wait(std::chrono::milliseconds patience) const;

 private:
  HoldSocket(std::string path, int socket) : path_(std::move(path)), socket_(socket) {}
  std::string path_;
  int socket_;
};

}  // namespace bohr::app

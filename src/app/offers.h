// SPDX-License-Identifier: Apache-2.0
// The offers that wait for an answer. Whoever explores one guest is busy for a while; the others
// must not stand still so long. So a thread takes in what comes, and answers what has waited as
// long as a guest may be held: "go on, and ask later".
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/hold_socket.h"

namespace bohr::app {

struct Offered {
  Connection connection;
  Result<replay::Offer> offer;  // the error of one that cannot be read
  std::chrono::steady_clock::time_point since;
};

class Offers {
 public:
  // `longest`: that a guest waits for an answer; 0: for ever.
  Offers(HoldSocket socket, std::chrono::milliseconds longest);
  ~Offers();
  Offers(const Offers&) = delete;
  Offers& operator=(const Offers&) = delete;

  const std::string& path() const { return socket_.path(); }
  // The one that has waited longest, or comes in within `patience`. Guests that waited no longer,
  // or ended, are left out.
  std::optional<Offered> next(std::chrono::milliseconds patience);

 private:
  void take_in();
  void answer_late();
  void watch();

  HoldSocket socket_;
  std::chrono::milliseconds longest_;
  std::mutex mutex_;  // guards what is below
  std::list<Offered> waiting_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace bohr::app

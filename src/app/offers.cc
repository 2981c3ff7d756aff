// SPDX-License-Identifier: Apache-2.0
#include "app/offers.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>

namespace bohr::app {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kWatchTurn{50};
constexpr milliseconds kPaused{20};  // for a search that is paused: its guest was held before
constexpr int kRests = 4;            // of the time that was waited for nothing

milliseconds waited(const Offered& offered) {
  return std::chrono::duration_cast<milliseconds>(steady_clock::now() - offered.since);
}

}  // namespace

// The signals that end or interrupt are the main thread's.
Offers::Offers(HoldSocket socket, milliseconds longest)
    : socket_(std::move(socket)), longest_(longest) {
  if (longest_.count() == 0) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Offers::~Offers() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

std::optional<Offered> Offers::next(milliseconds patience) {
  const auto until = steady_clock::now() + patience;
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      take_in();
      while (!waiting_.empty()) {
        Offered first = std::move(waiting_.front());
        waiting_.pop_front();
        if (!first.connection.has_ended()) return first;
      }
    }
    const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    socket_.wait(left);
  }
}

void Offers::take_in() {
  while (auto connection = socket_.accept()) {
    auto offer = connection->offer();
    waiting_.push_back({std::move(*connection), std::move(offer), steady_clock::now()});
  }
}

void Offers::answer_late() {
  waiting_.remove_if([this](const Offered& offered) {
    if (!offered.offer.ok()) return false;
    const replay::Offer& offer = offered.offer.value();
    const milliseconds since = waited(offered);
    if (since < (offer.paused ? std::min(kPaused, longest_) : longest_)) return false;
    offered.connection.go_on(offer.launch + 1, kRests * since);
    return true;
  });
}

void Offers::watch() {
  for (;;) {
    socket_.wait(kWatchTurn);
    std::lock_guard lock(mutex_);
    if (over_) return;
    take_in();
    answer_late();
  }
}

}  // namespace bohr::app

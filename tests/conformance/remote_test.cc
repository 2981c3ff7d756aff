// SPDX-License-Identifier: Apache-2.0
// A replayer at the other end of a socket keeps the contract, and so does whoever serves it when
// the asking side goes away.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "conformance/replayer_suite.h"
#include "forwarding_replayer.h"
#include "replay/remote/replayer.h"
#include "replay/service.h"
#include "replay/symbolic/replayer.h"
#include "trace/case_reader.h"

namespace bohr::test {
namespace {

using namespace replay;

Program conformance_program() {
  auto program = trace::read_case(kConformanceCase, "conformance");
  BOHR_CHECK(program.ok());
  return std::move(program).value();
}

std::array<int, 2> socket_pair() {
  std::array<int, 2> ends = {};
  BOHR_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  return ends;
}

// A thread that serves symbolic memory at one end, as the agent serves real memory.
class Server {
 public:
  explicit Server(int socket)
      : thread_([this, socket] {
          auto replayer = symbolic_replayer(conformance_program());
          BOHR_CHECK(replayer.ok());
          const auto served = serve(socket, *replayer.value());
          released_ = served.ok() && served.value() == Served::released;
          close(socket);
        }) {}
  ~Server() { join(); }
  bool join() {
    if (thread_.joinable()) thread_.join();
    return released_;
  }

 private:
  bool released_ = false;
  std::thread thread_;
};

// A base is destroyed after the one behind it: the server outlives its client.
struct ServedBy {
  Server server;
};
class ServedReplayer : private ServedBy, public ForwardingReplayer {
 public:
  explicit ServedReplayer(const std::array<int, 2>& ends)
      : ServedBy{Server(ends[0])},
        ForwardingReplayer(remote_replayer(conformance_program(), ends[1])) {}
};

std::unique_ptr<Replayer> make_remote() { return std::make_unique<ServedReplayer>(socket_pair()); }

INSTANTIATE_TEST_SUITE_P(Remote, ReplayerSuite, testing::Values(Maker{"remote", make_remote}));

TEST(RemoteReplayer, RefusalsArriveAsTheyWereMeant) {
  ServedReplayer served(socket_pair());
  const auto outcome = served.run_unforced(1);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, "no-own-run");
  EXPECT_FALSE(outcome.error().remedy.empty());
}

TEST(RemoteReplayer, AServerWhosePeerIsGoneReleases) {
  const auto ends = socket_pair();
  Server server(ends[0]);
  auto client = remote_replayer(conformance_program(), ends[1]);
  ASSERT_TRUE(client->learn().ok());
  client.reset();
  EXPECT_TRUE(server.join());
}

// A process that goes on while it is let go and can be had again, as often as it is: a slow machine
// takes longer than any patience. Its thread serves one connection after another.
class Guest {
 public:
  Guest() : thread_([this] { live(); }) {}
  ~Guest() {
    end();
    changed_.notify_all();
    thread_.join();
  }

  // Nobody can have it from now on.
  void end() {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }

  Patience patience(std::chrono::milliseconds most) {
    Patience patience;
    patience.most = most;
    patience.reconnect = [this](std::chrono::milliseconds) { return connect(); };
    return patience;
  }

  Result<int> connect() {
    std::lock_guard lock(mutex_);
    if (ended_) return Error{"remote-lost", "the guest", "", "it ended", ""};
    const auto ends = socket_pair();
    waiting_.push_back(ends[0]);
    ++connections_;
    changed_.notify_all();
    return ends[1];
  }

  // How each connection ended, once all have.
  std::vector<Served> served() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::minutes(1),
                      [this] { return served_.size() == connections_; });
    return served_;
  }

 private:
  void live() {
    const auto replayer = symbolic_replayer(conformance_program());
    BOHR_CHECK(replayer.ok());
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const int socket = waiting_.front();
      waiting_.erase(waiting_.begin());
      lock.unlock();
      const auto how = serve(socket, *replayer.value());
      BOHR_CHECK(how.ok());
      close(socket);
      lock.lock();
      served_.push_back(how.value());
      changed_.notify_all();
    }
  }

  std::mutex mutex_;  // all below
  std::condition_variable changed_;
  bool ended_ = false;
  std::vector<int> waiting_;
  size_t connections_ = 0;
  std::vector<Served> served_;
  std::thread thread_;
};

const std::vector<int32_t> kInOrder = {0, 1, 2, 3};

// What a run leaves is looked at before the other side may go on.
TEST(RemoteReplayer, PausesBetweenRuns) {
  Guest guest;
  const auto patience = guest.patience(std::chrono::milliseconds(1));
  Holds holds;
  {
    const auto client =
        remote_replayer(conformance_program(), guest.connect().value(), patience, &holds);
    ASSERT_TRUE(client->learn().ok());
    const int64_t before = holds.count;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_TRUE(client->run({.order = kInOrder}).ok());
    EXPECT_EQ(holds.count, before + 1);
    EXPECT_TRUE(client->release().ok());
  }
  std::vector<Served> all(static_cast<size_t>(holds.count), Served::paused);
  all.back() = Served::released;
  EXPECT_EQ(guest.served(), all);
  EXPECT_GT(holds.longest.count(), 0);
}

// Whoever explores may think for long: the other side goes on meanwhile, and what the last run left
// is made again where it is still looked at.
TEST(RemoteReplayer, LetsGoWhileNobodyAsks) {
  Guest guest;
  const auto patience = guest.patience(std::chrono::milliseconds(50));
  Holds holds;
  const auto client =
      remote_replayer(conformance_program(), guest.connect().value(), patience, &holds);
  ASSERT_TRUE(client->learn().ok());
  ASSERT_TRUE(client->run({.order = kInOrder}).ok());
  const auto written = client->written(1);
  const auto left = client->digest(written);
  const auto before = static_cast<size_t>(holds.count);
  EXPECT_EQ(guest.served(), std::vector<Served>(before, Served::paused))
      << "it was let go, and nobody has asked for it again";
  const auto again = client->digest(written);
  ASSERT_TRUE(left.ok() && again.ok());
  EXPECT_EQ(left.value(), again.value());
  EXPECT_EQ(static_cast<size_t>(holds.count), before + 1);
  EXPECT_TRUE(client->release().ok());
}

// Its memory was put back when it was let go.
TEST(RemoteReplayer, ThereIsNothingToReleaseWhereThePeerEndedWhileNobodyAsked) {
  Guest guest;
  const auto patience = guest.patience(std::chrono::milliseconds(20));
  const auto client = remote_replayer(conformance_program(), guest.connect().value(), patience);
  ASSERT_TRUE(client->learn().ok());
  guest.end();
  const auto served = guest.served();
  EXPECT_EQ(served, std::vector<Served>(served.size(), Served::paused)) << "not released";
  EXPECT_TRUE(client->release().ok());
}

TEST(RemoteReplayer, ThereIsNothingToReleaseWhereThePeerDidNotComeBack) {
  Guest guest;
  const auto patience = guest.patience(std::chrono::milliseconds(1));
  const auto client = remote_replayer(conformance_program(), guest.connect().value(), patience);
  ASSERT_TRUE(client->learn().ok());
  guest.end();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto outcome = client->run({.order = kInOrder});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, "remote-lost");
  EXPECT_TRUE(client->release().ok());
}

TEST(RemoteReplayer, StopsWhenItIsToldTo) {
  const auto ends = socket_pair();
  Server server(ends[0]);
  Patience patience;
  bool stop = false;
  patience.stop = [&] { return stop; };
  const auto client = remote_replayer(conformance_program(), ends[1], patience);
  ASSERT_TRUE(client->learn().ok());
  stop = true;
  const std::vector<int32_t> order = {0, 1, 2, 3};
  const auto outcome = client->run({.order = order});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, "interrupted");
  EXPECT_TRUE(client->release().ok()) << "what was held is let go all the same";
}

TEST(RemoteReplayer, AClientWhosePeerIsGoneSaysSo) {
  const auto ends = socket_pair();
  const auto client = remote_replayer(conformance_program(), ends[1]);
  close(ends[0]);
  const auto saved = client->learn();
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().code, "remote-lost");
}

// What a peer of another version, or a broken one, may say to learn().
TEST(RemoteReplayer, RepliesThatDoNotFitAreRefused) {
  Learned short_one;
  short_one.written.resize(2);
  BodyWriter nonsense;
  nonsense.number(~uint64_t{0});
  const Message replies[] = {{1, body_of(short_one)}, {1, nonsense.take()}, {2, {}}, {9, {}}};
  for (const Message& reply : replies) {
    const auto ends = socket_pair();
    const auto client = remote_replayer(conformance_program(), ends[1]);
    ASSERT_TRUE(send(ends[0], reply).ok());
    const auto saved = client->learn();
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.error().code, "remote-message");
    close(ends[0]);
  }
}

TEST(RemoteService, RequestsThatDoNotFitAreRefused) {
  const auto ends = socket_pair();
  Server server(ends[0]);
  const Message asked[] = {{2, {1, 2, 3}}, {5, {}}, {6, {}}, {77, {}}};
  for (const Message& ask : asked) {
    ASSERT_TRUE(send(ends[1], ask).ok());
    const auto reply = receive(ends[1]);
    ASSERT_TRUE(reply.ok());
    EXPECT_EQ(reply.value().kind, static_cast<uint8_t>(Reply::refused));
    BodyReader body(reply.value().body);
    EXPECT_EQ(get_error(&body).code, "remote-message");
  }
  close(ends[1]);
}

TEST(RemoteService, ALengthAloneTakesNoMemory) {
  const auto ends = socket_pair();
  const uint32_t size = 0x7fffffff;
  ASSERT_EQ(write(ends[1], &size, sizeof size), static_cast<ssize_t>(sizeof size));
  close(ends[1]);
  const auto message = receive(ends[0]);
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.error().code, "remote-lost");
  close(ends[0]);
}

}  // namespace
}  // namespace bohr::test

// SPDX-License-Identifier: Apache-2.0
// A replayer at the other end of a socket keeps the contract, and so does whoever serves it when
// the asking side goes away.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

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

std::unique_ptr<Replayer> make() { return std::make_unique<ServedReplayer>(socket_pair()); }

INSTANTIATE_TEST_SUITE_P(Remote, ReplayerSuite, testing::Values(Maker{"remote", make}));

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

// What a run leaves is looked at before the other side may go on.
TEST(RemoteReplayer, PausesBetweenRuns) {
  const auto first = socket_pair(), second = socket_pair();
  std::vector<Served> served;
  std::thread server([&] {
    auto replayer = symbolic_replayer(conformance_program());
    BOHR_CHECK(replayer.ok());
    for (const int socket : {first[0], second[0]}) {
      const auto how = serve(socket, *replayer.value());
      if (how.ok()) served.push_back(how.value());
      close(socket);
    }
  });
  Patience patience;
  patience.most = std::chrono::milliseconds(1);
  int connections = 0;
  patience.reconnect = [&](std::chrono::milliseconds rest) -> Result<int> {
    EXPECT_GT(rest.count(), 0);
    ++connections;
    return second[1];
  };
  Holds holds;
  {
    const auto client = remote_replayer(conformance_program(), first[1], patience, &holds);
    ASSERT_TRUE(client->learn().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::vector<int32_t> order = {0, 1, 2, 3};
    ASSERT_TRUE(client->run({.order = order}).ok());
    EXPECT_EQ(connections, 1);
    EXPECT_EQ(holds.count, 2);
    EXPECT_TRUE(client->release().ok());
  }
  server.join();
  EXPECT_EQ(served, (std::vector<Served>{Served::paused, Served::released}));
  EXPECT_GT(holds.longest.count(), 0);
}

// Whoever explores may think for long: the other side goes on meanwhile, and what the last run left
// is made again where it is still looked at.
TEST(RemoteReplayer, LetsGoWhileNobodyAsks) {
  const auto first = socket_pair(), second = socket_pair();
  std::atomic<int> paused = 0;
  std::thread server([&] {
    auto replayer = symbolic_replayer(conformance_program());
    BOHR_CHECK(replayer.ok());
    for (const int socket : {first[0], second[0]}) {
      const auto how = serve(socket, *replayer.value());
      paused += how.ok() && how.value() == Served::paused;
      close(socket);
    }
  });
  Patience patience;
  patience.most = std::chrono::milliseconds(50);
  patience.reconnect = [&](std::chrono::milliseconds) -> Result<int> { return second[1]; };
  Holds holds;
  {
    const auto client = remote_replayer(conformance_program(), first[1], patience, &holds);
    ASSERT_TRUE(client->learn().ok());
    const std::vector<int32_t> order = {0, 1, 2, 3};
    ASSERT_TRUE(client->run({.order = order}).ok());
    const auto written = client->written(1);
    const auto left = client->digest(written);
    for (int i = 0; i < 500 && paused == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(paused, 1);
    EXPECT_EQ(holds.count, 1) << "nobody has asked for it again";
    const auto again = client->digest(written);
    ASSERT_TRUE(left.ok() && again.ok());
    EXPECT_EQ(left.value(), again.value());
    EXPECT_EQ(holds.count, 2);
    EXPECT_TRUE(client->release().ok());
  }
  server.join();
}

// Its memory was put back when it was let go.
TEST(RemoteReplayer, ThereIsNothingToReleaseWhereThePeerEndedWhileNobodyAsked) {
  const auto ends = socket_pair();
  Server server(ends[0]);
  Patience patience;
  patience.most = std::chrono::milliseconds(20);
  patience.reconnect = [](std::chrono::milliseconds) -> Result<int> {
    return Error{"remote-lost", "the guest", "", "it ended", ""};
  };
  const auto client = remote_replayer(conformance_program(), ends[1], patience);
  ASSERT_TRUE(client->learn().ok());
  EXPECT_FALSE(server.join()) << "it was paused, not released";
  EXPECT_TRUE(client->release().ok());
}

TEST(RemoteReplayer, ThereIsNothingToReleaseWhereThePeerDidNotComeBack) {
  const auto ends = socket_pair();
  Server server(ends[0]);
  Patience patience;
  patience.most = std::chrono::milliseconds(1);
  patience.reconnect = [](std::chrono::milliseconds) -> Result<int> {
    return Error{"remote-lost", "the guest", "", "it ended", ""};
  };
  const auto client = remote_replayer(conformance_program(), ends[1], patience);
  ASSERT_TRUE(client->learn().ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::vector<int32_t> order = {0, 1, 2, 3};
  const auto outcome = client->run({.order = order});
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

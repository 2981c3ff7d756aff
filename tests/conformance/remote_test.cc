// SPDX-License-Identifier: Apache-2.0
// A replayer at the other end of a socket keeps the contract, and so does whoever serves it when
// the asking side goes away.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "conformance/replayer_suite.h"
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
          released_ = serve(socket, *replayer.value()).ok();
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

// Forwards, so that the server outlives its client.
class Served : public Replayer {
 public:
  explicit Served(const std::array<int, 2>& ends)
      : server_(ends[0]), inner_(remote_replayer(conformance_program(), ends[1])) {}
  const Program& program() const override { return inner_->program(); }
  std::span<const Step> steps() const override { return inner_->steps(); }
  Result<Saved> learn() override { return inner_->learn(); }
  std::span<const ByteRange> written(int32_t step) const override { return inner_->written(step); }
  Result<Outcome> run(const Request& request) override { return inner_->run(request); }
  Result<Outcome> run_unforced(uint64_t seed) override { return inner_->run_unforced(seed); }
  Status restore() override { return inner_->restore(); }
  Status release() override { return inner_->release(); }
  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    return inner_->digest(ranges);
  }
  Result<Bytes> fetch(ByteRange range) override { return inner_->fetch(range); }

 private:
  Server server_;
  std::unique_ptr<Replayer> inner_;
};

std::unique_ptr<Replayer> make() { return std::make_unique<Served>(socket_pair()); }

INSTANTIATE_TEST_SUITE_P(Remote, ReplayerSuite, testing::Values(Maker{"remote", make}));

TEST(RemoteReplayer, RefusalsArriveAsTheyWereMeant) {
  Served served(socket_pair());
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

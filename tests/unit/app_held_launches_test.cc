// SPDX-License-Identifier: Apache-2.0
// What is answered to agents that offer a launch. The agent is this test: it says all it has to say
// at once, lets the offers be taken, and reads what came back.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "agent/environment.h"
#include "app/held_launches.h"
#include "replay/service.h"

namespace bohr::app {
namespace {

namespace fs = std::filesystem;

const std::string kRaceLog = std::string(BOHR_SOURCE_DIR) + "/tests/golden/race.bohr";
const std::string kCleanLog = std::string(BOHR_SOURCE_DIR) + "/tests/golden/clean.bohr";

// The one launch of the one graph of both logs.
replay::Offer offer_of_log(const std::string& log) { return {BOHR_VERSION, log, 1, 1, 10, 2}; }

class HeldLaunchesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "bohr-held-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
    listen({});
  }
  void TearDown() override {
    for (const int agent : agents_) close(agent);
    held_.reset();
    fs::remove_all(dir_);
  }

  void listen(const HoldOptions& options) {
    held_.reset();
    auto held = HeldLaunches::listen(dir_, options, {},
                                     [this](const std::string& line) { said_ += line + "\n"; });
    ASSERT_TRUE(held.ok()) << to_string(held.error());
    held_ = std::move(held).value();
  }

  int connected() {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string path = held_->variables()[agent::kExploreVariable];
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(agent, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    agents_.push_back(agent);
    return agent;
  }
  int offering(const replay::Offer& offer) {
    const int agent = connected();
    EXPECT_TRUE(replay::send(agent, {0, replay::body_of(offer)}).ok());
    return agent;
  }
  void turn(bool stop = false) {
    held_->turn([stop] { return stop; });
  }
  static Result<replay::Answer> answer_to(int agent) {
    BOHR_TRY(message, replay::receive(agent));
    return replay::answer_of(message.body);
  }
  // The agent goes on, and asks again at that launch.
  void expect_go_on(int agent, uint64_t ask_again) {
    const auto answer = answer_to(agent);
    ASSERT_TRUE(answer.ok()) << to_string(answer.error());
    EXPECT_FALSE(answer.value().explore);
    EXPECT_EQ(answer.value().ask_again, ask_again);
    const auto more = replay::receive(agent);
    ASSERT_FALSE(more.ok()) << "the connection is left open";
    EXPECT_EQ(more.error().code, "remote-lost");
  }
  void expect_go_on(const replay::Offer& offer, uint64_t ask_again) {
    const int agent = offering(offer);
    turn();
    expect_go_on(agent, ask_again);
  }

  std::string dir_;
  std::string said_;
  std::unique_ptr<HeldLaunches> held_;
  std::vector<int> agents_;
};

TEST_F(HeldLaunchesTest, TheGuestIsToldWhereAndWhen) {
  HoldOptions options;
  options.launch = 3;
  listen(options);
  const auto variables = held_->variables();
  EXPECT_EQ(variables.at(agent::kExploreLaunchVariable), "3");
  const std::string path = variables.at(agent::kExploreVariable);
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  held_.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(HeldLaunchesTest, AFolderMayBeTooDeep) {
  const auto held = HeldLaunches::listen(dir_ + "/" + std::string(200, 'x'), {}, {}, {});
  ASSERT_FALSE(held.ok());
  EXPECT_EQ(held.error().code, "explore-socket");
}

TEST_F(HeldLaunchesTest, AnAgentOfAnotherVersionGoesOn) {
  replay::Offer offer = offer_of_log(kRaceLog);
  offer.version = "0.0.0-other";
  expect_go_on(offer, 0);
  EXPECT_NE(said_.find("0.0.0-other"), std::string::npos) << said_;
}

TEST_F(HeldLaunchesTest, WhatIsNoOfferIsDropped) {
  const int agent = connected();
  ASSERT_TRUE(replay::send(agent, {0, {1, 2, 3}}).ok());
  const int gone = connected();
  shutdown(gone, SHUT_WR);
  const int next = offering(offer_of_log(kCleanLog));
  turn();
  for (const int dropped : {agent, gone}) EXPECT_FALSE(replay::receive(dropped).ok());
  expect_go_on(next, 0);
}

TEST_F(HeldLaunchesTest, AGraphWithNothingToDecideGoesOn) {
  expect_go_on(offer_of_log(kCleanLog), 0);
}

TEST_F(HeldLaunchesTest, AGraphThatIsNotAskedForGoesOn) {
  HoldOptions options;
  options.graphs = {"graph 2"};
  listen(options);
  expect_go_on(offer_of_log(kRaceLog), 0);
}

// The log may not hold the launch yet: asked again at the next one.
TEST_F(HeldLaunchesTest, ALaunchThatIsNoRecordYetIsAskedForAgain) {
  replay::Offer exec = offer_of_log(kRaceLog);
  exec.exec = 9;
  expect_go_on(exec, 11);
  replay::Offer graph = offer_of_log(kRaceLog);
  graph.graph = 9;
  expect_go_on(graph, 11);
}

TEST_F(HeldLaunchesTest, ALogThatCannotBeReadIsNamed) {
  expect_go_on(offer_of_log(dir_ + "/none.bohr"), 0);
  EXPECT_NE(said_.find("none.bohr"), std::string::npos) << said_;
}

TEST_F(HeldLaunchesTest, NothingIsHeldOnceItShallStop) {
  const int agent = offering(offer_of_log(kRaceLog));
  turn(true);
  expect_go_on(agent, 0);
}

TEST_F(HeldLaunchesTest, ASuspiciousGraphIsAskedForWithItsPlan) {
  const int agent = offering(offer_of_log(kRaceLog));
  replay::BodyWriter refusal;
  replay::put_error(&refusal, {"child-graph", "a launch", "node 1", "it holds another graph", ""});
  const auto refused = static_cast<uint8_t>(replay::Reply::refused);
  ASSERT_TRUE(replay::send(agent, {refused, refusal.take()}).ok());
  turn();
  const auto answer = answer_to(agent);
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_TRUE(answer.value().explore);
  EXPECT_EQ(answer.value().nodes, (std::vector<int32_t>{0, 1}));
  // A set of one block and a copy of it to another, told by the log: both write what is known.
  const ByteRange set{0x7f0000001000, 0x7f0000002000}, copied{0x7f0000101000, 0x7f0000102000};
  const replay::Plan& plan = answer.value().plan;
  ASSERT_EQ(plan.steps.size(), 2u);
  EXPECT_EQ(plan.steps[0].named, (std::vector<ByteRange>{set}));
  EXPECT_EQ(plan.steps[1].named, (std::vector<ByteRange>{set, copied}));
  EXPECT_EQ(plan.steps[0].writes, (std::vector<ByteRange>{set}));
  EXPECT_EQ(plan.steps[1].may_write, (std::vector<ByteRange>{copied})) << "it reads the other";
  EXPECT_EQ(plan.steps[1].writes, (std::vector<ByteRange>{copied}));
  EXPECT_EQ(plan.blank, (std::vector<ByteRange>{set})) << "what the two race for";
  EXPECT_NE(said_.find("graph 1, launch 10: held"), std::string::npos) << said_;
  EXPECT_NE(said_.find("it holds another graph"), std::string::npos) << said_;
}

// It made its launch before it was answered: that is no answer to a later offer.
TEST_F(HeldLaunchesTest, AnAgentThatWaitedNoLongerIsPassedOver) {
  const int agent = offering(offer_of_log(kRaceLog));
  shutdown(agent, SHUT_WR);
  turn();
  EXPECT_EQ(said_, "");
  EXPECT_FALSE(held_->has_taken(kRaceLog, 1));
  expect_go_on(offer_of_log(kCleanLog), 0);
}

// Nobody takes offers meanwhile, as while another guest is explored.
TEST_F(HeldLaunchesTest, AGuestStandsStillNoLongerThanOneMayBeHeld) {
  HoldOptions options;
  options.max_pause = std::chrono::milliseconds(100);
  listen(options);
  const int agent = offering(offer_of_log(kRaceLog));
  const auto answer = answer_to(agent);
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_FALSE(answer.value().explore);
  EXPECT_EQ(answer.value().ask_again, 11u);
  EXPECT_GE(answer.value().rest_ms, 400u) << "four times as long as it waited";
  turn();
  EXPECT_EQ(said_, "") << "it is not taken any more";
}

}  // namespace
}  // namespace bohr::app

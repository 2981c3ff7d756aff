// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>

#include "app/guest.h"

namespace bohr::app {
namespace {

GuestEnd end_of(const std::string& script, const std::map<std::string, std::string>& set = {}) {
  auto guest = Guest::start({"sh", "-c", script}, set);
  EXPECT_TRUE(guest.ok()) << to_string(guest.error());
  const auto end = guest.value()->wait(10'000);
  EXPECT_TRUE(end.has_value());
  return end.value_or(GuestEnd{});
}

TEST(AppGuest, CodeAndSignal) {
  EXPECT_EQ(end_of("exit 0").code, 0);
  EXPECT_EQ(end_of("exit 7").code, 7);
  EXPECT_EQ(end_of("kill -9 $$").signal, SIGKILL);
  EXPECT_TRUE(failed_by_itself(end_of("exit 7")));
  EXPECT_TRUE(failed_by_itself(end_of("kill -11 $$")));
  EXPECT_EQ(shell_code(end_of("kill -9 $$")), 137);
}

TEST(AppGuest, GetsItsVariables) {
  EXPECT_EQ(end_of("test \"$BOHR_TEST\" = 'a b'", {{"BOHR_TEST", "a b"}}).code, 0);
  setenv("BOHR_TEST", "old", 1);
  EXPECT_EQ(end_of("test \"$BOHR_TEST\" = new", {{"BOHR_TEST", "new"}}).code, 0);
  EXPECT_EQ(end_of("test \"$BOHR_TEST\" = old").code, 0);
  unsetenv("BOHR_TEST");
}

TEST(AppGuest, NoSuchProgram) {
  const auto guest = Guest::start({"/no/such/program"}, {});
  ASSERT_FALSE(guest.ok());
  EXPECT_EQ(guest.error().code, "guest-start");
}

TEST(AppGuest, SignalsArePassedOn) {
  auto guest = Guest::start(
      {"sh", "-c", "trap 'exit 5' TERM; trap 'exit 6' USR1; echo; sleep 10 & wait"}, {});
  ASSERT_TRUE(guest.ok());
  EXPECT_FALSE(guest.value()->wait(300).has_value());  // the traps are set by then
  kill(getpid(), SIGTERM);
  const auto end = guest.value()->wait(10'000);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->code, 5);
  EXPECT_EQ(end->passed_on, SIGTERM);
  EXPECT_FALSE(failed_by_itself(*end));
}

TEST(AppGuest, SignalsThatEndNothingAreNoExcuse) {
  auto guest = Guest::start({"sh", "-c", "trap 'exit 6' USR1; sleep 10 & wait"}, {});
  ASSERT_TRUE(guest.ok());
  EXPECT_FALSE(guest.value()->wait(300).has_value());
  kill(getpid(), SIGUSR1);
  const auto end = guest.value()->wait(10'000);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->code, 6);
  EXPECT_TRUE(failed_by_itself(*end));
}

TEST(AppGuest, StartsWithOurSignalMask) {
  // A blocked SIGTERM would be inherited by the guest and make it immune.
  const auto guest = Guest::start({"sh", "-c", "kill -TERM $$; sleep 5"}, {});
  ASSERT_TRUE(guest.ok());
  const auto end = guest.value()->wait(4'000);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->signal, SIGTERM);
}

}  // namespace
}  // namespace bohr::app

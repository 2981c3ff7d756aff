// SPDX-License-Identifier: Apache-2.0
// Preloaded: the time of day jumps to and fro by days, as when somebody sets it. Time that only
// passes is left alone.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {
std::atomic<int> calls = 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (clock == CLOCK_REALTIME) time->tv_sec += (++calls % 2 == 0 ? -1 : 1) * calls * 86400;
  return static_cast<int>(result);
}
extern "C" int gettimeofday(timeval* time, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec, time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Serves a Replayer over a socket; the other end is replay/remote.
//
// One request, one reply, in turn. Steps are those of the replayer; the asking side knows their
// program. When the peer goes away, or says that it is done, memory is restored and verified
// before serve() returns, so at most one order runs after a peer has died.
#pragma once

#include "replay/replayer.h"
#include "replay/wire.h"

namespace bohr::replay {

enum class Ask : uint8_t {
  learn = 1,
  run,
  run_unforced,
  restore,
  digest,
  fetch,
  release,
  pause,
  time,
  run_variant
};
enum class Reply : uint8_t { done = 1, refused };

// Bodies of messages, for both ends.
struct Learned {
  Saved saved;
  std::vector<std::vector<ByteRange>> written;  // by step
};
// A request that owns what it is made of.
struct OwnedRequest {
  std::vector<int32_t> order;
  std::vector<Content> contents;
  std::vector<Pin> pins;
  std::vector<uint64_t> expected;
  std::vector<int32_t> keep;
  std::vector<ByteRange> ignored;
  std::vector<Move> moved;
  bool stepwise = false;
  bool observe = false;
  Request view() const;
};
struct TimeRequest {
  std::vector<Variant> variants;
  int32_t rounds = 0;
};
Bytes body_of(const Variant& variant);
Result<Variant> variant_of(std::span<const uint8_t> body);
Bytes body_of(const TimeRequest& request);
Bytes body_of(const Timings& timings);
Result<TimeRequest> time_request_of(std::span<const uint8_t> body);
Result<Timings> timings_of(std::span<const uint8_t> body);
Bytes body_of(const Request& request);
Bytes body_of(const Outcome& outcome);
Bytes body_of(const Learned& learned);
Result<OwnedRequest> request_of(std::span<const uint8_t> body);
Result<Outcome> outcome_of(std::span<const uint8_t> body);
Result<Learned> learned_of(std::span<const uint8_t> body);

// Until the peer pauses, or goes away; in the second case the replayer is released. What a broken
// peer sent last is the error of neither.
enum class Served : uint8_t { paused, released };
Result<Served> serve(int socket, Replayer& replayer);

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Checks what comes back: the other side may be another version, or broken.
#include "replay/remote/replayer.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "replay/schedule.h"
#include "replay/service.h"

namespace bohr::replay {

namespace {

constexpr int kMostTimings = 16;  // requests, of which each is a slice

class RemoteReplayer : public Replayer {
 public:
  RemoteReplayer(Program program, int socket, Patience patience, Holds* holds)
      : program_(std::move(program)),
        socket_(socket),
        patience_(std::move(patience)),
        holds_(holds ? holds : &own_holds_),
        steps_(steps_of(program_)) {}
  ~RemoteReplayer() override { let_go(); }

  const Program& program() const override { return program_; }
  std::span<const Step> steps() const override { return steps_; }
  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Saved> learn() override {
    auto reply = ask(Ask::learn, {});
    if (!reply.ok() && reply.error().code == "explore-observe" && patience_.reconnect) {
      BOHR_TRY_STATUS(pause());
      reply = ask(Ask::learn, {});
    }
    if (!reply.ok()) return reply.error();
    BOHR_TRY(learned, learned_of(reply.value()));
    if (learned.written.size() != steps_.size()) return bad_message("steps of another launch");
    written_ = std::move(learned.written);
    return learned.saved;
  }

  Result<Outcome> run(const Request& request) override {
    BOHR_TRY_STATUS(pause_where_due());
    if (socket_ < 0) return lost();
    patience_.note_run(&request);
    const auto reply = ask(Ask::run, body_of(request));
    if (reply.ok() || survives(reply.error())) patience_.note_run(nullptr);
    if (!reply.ok()) return reply.error();
    BOHR_TRY(outcome, outcome_of(reply.value()));
    const bool fits = outcome.ran <= steps_.size() &&
                      outcome.digests.size() == (request.stepwise ? steps_.size() : 0) &&
                      outcome.kept.size() == request.keep.size();
    if (!fits) return bad_message("an outcome of another request");
    for (const Changed& changed : outcome.changed)
      if (changed.step < 0 || static_cast<size_t>(changed.step) >= steps_.size())
        return bad_message("a step that does not exist");
    return std::move(outcome);
  }

  Result<Outcome> run_unforced(uint64_t seed) override {
    BOHR_TRY_STATUS(pause_where_due());
    BodyWriter body;
    body.number(seed);
    return own_run(ask(Ask::run_unforced, body.take()));
  }

  Result<Outcome> run_variant(const Variant& variant) override {
    BOHR_TRY_STATUS(pause_where_due());
    return own_run(ask(Ask::run_variant, body_of(variant)));
  }

  // The other side ends early where rounds take long, so as to be let go between them.
  Result<Timings> time(std::span<const Variant> variants, int32_t rounds) override {
    BOHR_TRY_STATUS(check_variants(*this, variants));
    Timings all;
    const auto enough = static_cast<size_t>(rounds) * variants.size();
    for (int turn = 0; turn < kMostTimings && all.ns.size() < enough; ++turn) {
      BOHR_TRY_STATUS(pause_where_due());
      TimeRequest request{{variants.begin(), variants.end()}, rounds};
      request.rounds -= static_cast<int32_t>(all.ns.size() / variants.size());
      BOHR_TRY(reply, ask(Ask::time, body_of(request)));
      BOHR_TRY(some, timings_of(reply));
      const bool whole = !some.ns.empty() && some.ns.size() % variants.size() == 0;
      const bool fits = some.step_ns.empty() || some.step_ns.size() == steps_.size();
      if (!whole || !fits) return bad_message("times of another request");
      all.ns.insert(all.ns.end(), some.ns.begin(), some.ns.end());
      all.step_ns = std::move(some.step_ns);
      all.virtual_time = some.virtual_time;
    }
    return all;
  }

  Status restore() override { return nothing(ask(Ask::restore, {})); }
  // A process that is gone has nothing to be put back.
  Status release() override {
    if (socket_ < 0) return Nothing{};
    BOHR_TRY(reply, ask(Ask::release, {}));
    BodyReader answer(reply);
    holds_->memory.device = answer.number();
    holds_->memory.host = answer.number();
    if (!answer.done()) return bad_message("more than a confirmation");
    return Nothing{};
  }

  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    BodyWriter body;
    body.ranges(ranges);
    BOHR_TRY(reply, ask(Ask::digest, body.take()));
    BodyReader answer(reply);
    std::vector<uint64_t> digests = answer.numbers<uint64_t>();
    if (!answer.done() || digests.size() != ranges.size()) return bad_message("digests");
    return digests;
  }

  Result<Bytes> fetch(ByteRange range) override {
    BodyWriter body;
    body.ranges({&range, 1});
    BOHR_TRY(reply, ask(Ask::fetch, body.take()));
    BodyReader answer(reply);
    Bytes bytes = answer.block();
    if (!answer.done()) return bad_message("bytes");
    return bytes;
  }

 private:
  Result<Outcome> own_run(const Result<Bytes>& reply) const {
    if (!reply.ok()) return reply.error();
    BOHR_TRY(outcome, outcome_of(reply.value()));
    if (!outcome.spans.empty() && outcome.spans.size() != steps_.size())
      return bad_message("an outcome of another request");
    return std::move(outcome);
  }

  Result<Bytes> ask(Ask kind, Bytes body) {
    if (socket_ < 0) return lost();
    if (kind != Ask::release && kind != Ask::pause && patience_.stop()) {
      return Error{"interrupted", program_.source, "", "the search was asked to stop",
                   "run it again without a signal"};
    }
    BOHR_TRY_STATUS(send(socket_, {static_cast<uint8_t>(kind), std::move(body)}));
    BOHR_TRY(reply, receive(socket_));
    if (reply.kind == static_cast<uint8_t>(Reply::done)) return std::move(reply.body);
    BodyReader answer(reply.body);
    const Error error = get_error(&answer);
    const bool known = reply.kind == static_cast<uint8_t>(Reply::refused) && answer.done();
    return known ? error : bad_message("a reply of kind " + std::to_string(reply.kind));
  }

  static bool survives(const Error& error) {
    return error.code != "process-lost" && error.code != "watchdog" && error.code != "remote-lost";
  }

  static Status nothing(const Result<Bytes>& reply) {
    if (!reply.ok()) return reply.error();
    if (!reply.value().empty()) return bad_message("more than a confirmation");
    return Nothing{};
  }

  // Between runs only: what a run left is looked at after it.
  Status pause_where_due() {
    const bool due = patience_.most.count() > 0 && patience_.reconnect &&
                     Clock::now() - held_since_ >= patience_.most;
    return due ? pause() : Status(Nothing{});
  }

  Status pause() override {
    if (!patience_.reconnect) return restore();
    BOHR_TRY_STATUS(nothing(ask(Ask::pause, {})));
    // It has as much time for itself as it was held.
    const auto held = Clock::now() - held_since_;
    let_go();
    BOHR_TRY(socket,
             patience_.reconnect(std::chrono::duration_cast<std::chrono::milliseconds>(held)));
    socket_ = socket;
    held_since_ = Clock::now();
    ++holds_->count;
    return Nothing{};
  }

  void let_go() {
    if (socket_ < 0) return;
    close(std::exchange(socket_, -1));
    const std::chrono::nanoseconds held = Clock::now() - held_since_;
    holds_->longest = std::max(holds_->longest, held);
    holds_->all += held;
  }

  Error lost() const {
    return {"remote-lost", program_.source, "", "the other process did not come back", ""};
  }

  using Clock = std::chrono::steady_clock;
  Program program_;
  int socket_;
  Patience patience_;
  Holds own_holds_;
  Holds* holds_;
  Clock::time_point held_since_ = Clock::now();
  std::vector<Step> steps_;
  std::vector<std::vector<ByteRange>> written_;
};

}  // namespace

std::unique_ptr<Replayer> remote_replayer(Program program, int socket, Patience patience,
                                          Holds* holds) {
  return std::make_unique<RemoteReplayer>(std::move(program), socket, std::move(patience), holds);
}

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Checks what comes back: the other side may be another version, or broken.
//
// Two things end a hold after its time: a request that would begin a run then, and, while nothing
// is asked at all because whoever explores is thinking, a thread of our own. What the last run left
// is gone after the second kind; where it is looked at nevertheless, that run is made again.
#include "replay/remote/replayer.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "replay/schedule.h"
#include "replay/service.h"

namespace bohr::replay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAtOnce{20};
constexpr int kMostTimings = 16;  // requests, of which each is a slice

class RemoteReplayer : public Replayer {
 public:
  RemoteReplayer(Program program, int socket, Patience patience, Holds* holds)
      : program_(std::move(program)),
        socket_(socket),
        patience_(std::move(patience)),
        holds_(holds ? holds : &own_holds_),
        steps_(steps_of(program_)) {
    if (patience_.most.count() > 0 && patience_.reconnect)
      keeper_ = std::thread([this] { keep(); });
  }
  ~RemoteReplayer() override {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    if (keeper_.joinable()) keeper_.join();
    let_go();
  }

  const Program& program() const override { return program_; }
  std::span<const Step> steps() const override { return steps_; }
  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Saved> learn() override {
    std::lock_guard lock(mutex_);
    BOHR_TRY_STATUS(come_back());
    auto reply = ask(Ask::learn, {});
    if (!reply.ok() && reply.error().code == "explore-observe" && patience_.reconnect) {
      BOHR_TRY_STATUS(rest());
      reply = ask(Ask::learn, {});
    }
    if (!reply.ok()) return reply.error();
    BOHR_TRY(learned, learned_of(reply.value()));
    if (learned.written.size() != steps_.size()) return bad_message("steps of another launch");
    written_ = std::move(learned.written);
    return learned.saved;
  }

  Result<Outcome> run(const Request& request) override {
    std::lock_guard lock(mutex_);
    BOHR_TRY_STATUS(begin_run());
    if (socket_ < 0) return lost();
    patience_.note_run(&request);
    const auto reply = ask_run(Ask::run, body_of(request));
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
    std::lock_guard lock(mutex_);
    BOHR_TRY_STATUS(begin_run());
    BodyWriter body;
    body.number(seed);
    return own_run(ask_run(Ask::run_unforced, body.take()));
  }

  Result<Outcome> run_variant(const Variant& variant) override {
    std::lock_guard lock(mutex_);
    BOHR_TRY_STATUS(begin_run());
    return own_run(ask_run(Ask::run_variant, body_of(variant)));
  }

  // The other side ends early where rounds take long, so as to be let go between them.
  Result<Timings> time(std::span<const Variant> variants, int32_t rounds) override {
    BOHR_TRY_STATUS(check_variants(*this, variants));
    std::lock_guard lock(mutex_);
    Timings all;
    const auto enough = static_cast<size_t>(rounds) * variants.size();
    for (int turn = 0; turn < kMostTimings && all.ns.size() < enough; ++turn) {
      BOHR_TRY_STATUS(begin_run());
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

  Status restore() override {
    std::lock_guard lock(mutex_);
    last_run_.reset();
    return away_ ? Status(Nothing{}) : nothing(ask(Ask::restore, {}));
  }
  // A process that is gone has nothing to be put back.
  Status release() override {
    std::lock_guard lock(mutex_);
    // Who was let go had its memory put back then, and may have ended since.
    if (away_ && !come_back().ok()) return Nothing{};
    if (socket_ < 0) return Nothing{};
    BOHR_TRY(reply, ask(Ask::release, {}));
    BodyReader answer(reply);
    holds_->memory.device = answer.number();
    holds_->memory.host = answer.number();
    if (!answer.done()) return bad_message("more than a confirmation");
    return Nothing{};
  }

  Result<std::vector<uint64_t>> digest(std::span<const ByteRange> ranges) override {
    std::lock_guard lock(mutex_);
    BOHR_TRY_STATUS(come_back_to_run());
    BodyWriter body;
    body.ranges(ranges);
    BOHR_TRY(reply, ask(Ask::digest, body.take()));
    BodyReader answer(reply);
    std::vector<uint64_t> digests = answer.numbers<uint64_t>();
    if (!answer.done() || digests.size() != ranges.size()) return bad_message("digests");
    return digests;
  }

  Result<Bytes> fetch(ByteRange range) override {
    std::lock_guard lock(mutex_);
    BOHR_TRY_STATUS(come_back_to_run());
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
    answered_ = Clock::now();
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

  struct Asked {
    Ask kind;
    Bytes body;
  };

  // A run, to be made again where what it left is lost and still wanted.
  Result<Bytes> ask_run(Ask kind, Bytes body) {
    last_run_ = Asked{kind, body};
    return ask(kind, std::move(body));
  }

  // Requests that follow each other at once are not parted.
  Clock::time_point thinking_until() const {
    return std::max(held_since_ + patience_.most, answered_ + kAtOnce);
  }

  bool is_due() const { return Clock::now() - held_since_ >= patience_.most; }

  // What the run before left is not looked at any more.
  Status begin_run() {
    last_run_.reset();
    if (away_) return come_back();
    const bool due = patience_.most.count() > 0 && patience_.reconnect && is_due();
    return due ? rest() : Status(Nothing{});
  }

  Status pause() override {
    std::lock_guard lock(mutex_);
    if (!patience_.reconnect) return nothing(ask(Ask::restore, {}));
    return away_ ? come_back() : rest();
  }

  Status rest() {
    BOHR_TRY_STATUS(go_away());
    return come_back();
  }

  Status go_away() {
    BOHR_TRY_STATUS(nothing(ask(Ask::pause, {})));
    // It has as much time for itself as it was held.
    back_at_ = Clock::now() + (Clock::now() - held_since_);
    let_go();
    away_ = true;
    return Nothing{};
  }

  Status come_back() {
    if (!away_) return Nothing{};
    away_ = false;
    const auto left = std::max(back_at_ - Clock::now(), Clock::duration::zero());
    BOHR_TRY(socket,
             patience_.reconnect(std::chrono::duration_cast<std::chrono::milliseconds>(left)));
    socket_ = socket;
    held_since_ = Clock::now();
    ++holds_->count;
    changed_.notify_all();
    return Nothing{};
  }

  Status come_back_to_run() {
    const bool was_away = away_;
    BOHR_TRY_STATUS(come_back());
    if (!was_away || !last_run_) return Nothing{};
    const auto again = ask(last_run_->kind, last_run_->body);
    return again.ok() ? Status(Nothing{}) : Status(again.error());
  }

  // The thread that lets the other side go while nobody asks.
  void keep() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      if (away_ || socket_ < 0)
        changed_.wait(lock);
      else if (Clock::now() < thinking_until())
        changed_.wait_until(lock, thinking_until());
      else if (!go_away().ok())
        return;  // the next request tells why
    }
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

  Program program_;
  int socket_;
  Patience patience_;
  Holds own_holds_;
  Holds* holds_;
  Clock::time_point held_since_ = Clock::now();
  std::vector<Step> steps_;
  std::vector<std::vector<ByteRange>> written_;
  std::mutex mutex_;  // what is above and below; held while something is asked
  std::condition_variable changed_;
  bool away_ = false;  // the other side was let go, and can be had again
  bool over_ = false;
  Clock::time_point back_at_, answered_;
  std::optional<Asked> last_run_;
  std::thread keeper_;
};

}  // namespace

std::unique_ptr<Replayer> remote_replayer(Program program, int socket, Patience patience,
                                          Holds* holds) {
  return std::make_unique<RemoteReplayer>(std::move(program), socket, std::move(patience), holds);
}

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Checks what comes back: the other side may be another version, or broken.
#include "replay/remote/replayer.h"

#include <unistd.h>

#include "replay/service.h"

namespace bohr::replay {

namespace {

class RemoteReplayer : public Replayer {
 public:
  RemoteReplayer(Program program, int socket, std::function<bool()> stop)
      : program_(std::move(program)),
        socket_(socket),
        stop_(std::move(stop)),
        steps_(steps_of(program_)) {}
  ~RemoteReplayer() override { close(socket_); }

  const Program& program() const override { return program_; }
  std::span<const Step> steps() const override { return steps_; }
  std::span<const ByteRange> written(int32_t step) const override {
    return written_[static_cast<size_t>(step)];
  }

  Result<Saved> learn() override {
    BOHR_TRY(reply, ask(Ask::learn, {}));
    BOHR_TRY(learned, learned_of(reply));
    if (learned.written.size() != steps_.size()) return bad_message("steps of another launch");
    written_ = std::move(learned.written);
    return learned.saved;
  }

  Result<Outcome> run(const Request& request) override {
    BOHR_TRY(reply, ask(Ask::run, body_of(request)));
    BOHR_TRY(outcome, outcome_of(reply));
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
    BodyWriter body;
    body.number(seed);
    BOHR_TRY(reply, ask(Ask::run_unforced, body.take()));
    BOHR_TRY(outcome, outcome_of(reply));
    if (!outcome.spans.empty() && outcome.spans.size() != steps_.size())
      return bad_message("an outcome of another request");
    return std::move(outcome);
  }

  Status restore() override { return nothing(ask(Ask::restore, {})); }
  Status release() override { return nothing(ask(Ask::release, {})); }

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
  Result<Bytes> ask(Ask kind, Bytes body) {
    if (kind != Ask::release && stop_()) {
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

  static Status nothing(const Result<Bytes>& reply) {
    if (!reply.ok()) return reply.error();
    if (!reply.value().empty()) return bad_message("more than a confirmation");
    return Nothing{};
  }

  Program program_;
  int socket_;
  std::function<bool()> stop_;
  std::vector<Step> steps_;
  std::vector<std::vector<ByteRange>> written_;
};

}  // namespace

std::unique_ptr<Replayer> remote_replayer(Program program, int socket, std::function<bool()> stop) {
  return std::make_unique<RemoteReplayer>(std::move(program), socket, std::move(stop));
}

}  // namespace bohr::replay

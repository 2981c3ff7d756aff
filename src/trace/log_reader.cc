// SPDX-License-Identifier: Apache-2.0
// Walks the frames of an event log from its head on and stops at the first that is not whole.
//
// Nothing behind damage is read: where a frame's size is in doubt, so is where the next one begins,
// and records behind a gap would look as if nothing had been between. A log that simply ends early
// (its process was killed, or still runs) has lost its tail but no order within what is there. That
// goes for a size of 0 whatever follows it: the record that was being written, or, when the file
// was read while it grew, records that came after.
#include "trace/log_reader.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "trace/record_codec.h"
#include "trace/writer/framing.h"

namespace bohr::trace {
namespace {

using Decode = bool (*)(BodyReader&, size_t string_count, Record*);
constexpr size_t kKinds = 128;

template <class R>
bool decode_as(BodyReader& reader, size_t string_count, Record* record) {
  return read_body(reader, string_count, &record->emplace<R>());
}

std::array<Decode, kKinds> make_decoders() {
  std::array<Decode, kKinds> decoders{};
  for_each_kind([&](auto kind) {
    using R = decltype(kind);
    static_assert(static_cast<size_t>(R::kKind) < kKinds);
    if constexpr (!std::is_same_v<R, String>) {
      decoders[static_cast<size_t>(R::kKind)] = &decode_as<R>;
    }
  });
  return decoders;
}

enum class Step { record, finished, unfinished, cut, damaged };

class LogWalk {
 public:
  LogWalk(std::span<const uint8_t> bytes, const std::string& source) : bytes_(bytes) {
    log_.source = source;
    log_.strings.emplace_back();
  }

  // Of a part, whose strings are those of `log`.
  LogWalk(std::span<const uint8_t> bytes, Log log) : bytes_(bytes), log_(std::move(log)) {}

  Log run_part() {
    Step step = Step::record;
    while (step == Step::record) step = next();
    if (step == Step::damaged || step == Step::cut) explain(step);
    return std::move(log_);
  }

  Log run() {
    Step step = Step::record;
    while (step == Step::record) step = next();
    explain(step);
    for (const auto& [kind, count] : unknown_) {
      note("records of the unknown kind " + std::to_string(kind) +
               " were skipped: a newer recorder wrote them",
           count, false);
    }
    return std::move(log_);
  }

 private:
  Step next();
  bool decode(std::span<const uint8_t> payload);
  bool add_string(BodyReader& reader);
  void explain(Step step);
  void note(std::string text, uint64_t count, bool loses_order);
  size_t left() const { return bytes_.size() - at_; }
  bool only_zeros_left() const {
    return std::all_of(bytes_.begin() + static_cast<ptrdiff_t>(at_), bytes_.end(),
                       [](uint8_t byte) { return byte == 0; });
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = kLogHeadSize;
  Log log_;
  uint64_t last_seq_ = 0;
  bool ended_ = false;
  bool noted_loss_ = false;
  std::map<uint64_t, uint64_t> unknown_;
  const std::array<Decode, kKinds> decoders_ = make_decoders();
};

Step LogWalk::next() {
  if (ended_) return Step::finished;
  if (left() < kFrameHeadSize) return only_zeros_left() ? Step::unfinished : Step::cut;
  const uint8_t* head = bytes_.data() + at_;
  const uint32_t size = load_u32(head);
  if (size == 0) return Step::unfinished;
  if (size > kMaxPayload) return Step::damaged;
  if (size > left() - kFrameHeadSize) return Step::cut;
  const auto payload = bytes_.subspan(at_ + kFrameHeadSize, size);
  if (load_u32(head + 4) != frame_checksum(size, payload.data())) return Step::damaged;
  if (!decode(payload)) return Step::damaged;
  at_ += std::min(frame_size(size), left());
  return Step::record;
}

bool LogWalk::decode(std::span<const uint8_t> payload) {
  BodyReader reader(payload, log_.strings.size());
  const uint64_t kind = reader.varint();
  if (!reader.ok()) return false;
  if (kind == static_cast<uint64_t>(Kind::string)) return add_string(reader);
  if (kind >= kKinds || decoders_[kind] == nullptr) {
    ++unknown_[kind];
    return true;
  }
  Record record;
  if (!decoders_[kind](reader, log_.strings.size(), &record)) return false;
  std::visit([&](const auto& r) { last_seq_ = std::max(last_seq_, seq_of(r)); }, record);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&record)) {
    noted_loss_ = noted_loss_ || log_.strings[diagnostic->reason.id] == "lost-records";
  }
  ended_ = std::holds_alternative<End>(record);
  log_.records.push_back(std::move(record));
  return true;
}

bool LogWalk::add_string(BodyReader& reader) {
  String record;
  if (!read_body(reader, log_.strings.size(), &record)) return false;
  if (record.id != log_.strings.size()) return false;  // the writer counts up from 1
  log_.strings.push_back(std::move(record.text));
  return true;
}

void LogWalk::explain(Step step) {
  const std::string place = " at byte " + std::to_string(at_) + " of " +
                            std::to_string(bytes_.size()) + " (" + std::to_string(left()) +
                            " bytes left)";
  if (step == Step::damaged) {
    note("the log is damaged" + place + "; what follows was not read", 1, true);
  } else if (step == Step::cut) {
    note("the log was cut off inside a record" + place, 1, false);
  } else if (step == Step::unfinished) {
    note("the log has no end: its process was killed or still runs; its records stop" + place, 1,
         false);
  } else {
    const uint64_t lost = std::get<End>(log_.records.back()).lost;
    if (!only_zeros_left()) note("the log goes on behind its end" + place, 1, true);
    if (lost > 0 && !noted_loss_) note("the recorder could not keep all records", lost, true);
  }
}

void LogWalk::note(std::string text, uint64_t count, bool loses_order) {
  const auto add = [&](std::string value) {
    log_.strings.push_back(std::move(value));
    return Text{static_cast<uint32_t>(log_.strings.size() - 1)};
  };
  Diagnostic diagnostic;
  diagnostic.seq = last_seq_;
  diagnostic.reason = add("lost-records");
  diagnostic.text = add(std::move(text));
  diagnostic.count = count;
  diagnostic.loses_order = loses_order;
  diagnostic.from = last_seq_;
  log_.records.push_back(diagnostic);
}

std::optional<Error> refuse_head(std::span<const uint8_t> bytes, const std::string& source) {
  const size_t magic = std::min(bytes.size(), sizeof kLogMagic);
  if (magic == 0 || !std::equal(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(magic),
                                std::begin(kLogMagic))) {
    return Error{"log-not-a-log", source, "byte 0", "this is no event log",
                 "give a log, a trace or a case"};
  }
  if (bytes.size() < kLogHeadSize) {
    return Error{"log-damaged-head", source, "byte " + std::to_string(bytes.size()),
                 "the event log ends within its head", "record again"};
  }
  const uint8_t* sum = bytes.data() + kLogHeadSize - 4;
  if (load_u32(sum) != crc32c(bytes.data(), kLogHeadSize - 4)) {
    return Error{"log-damaged-head", source, "bytes 0 to 31",
                 "the checksum of the event log's head is wrong", "record again"};
  }
  const uint32_t version = load_u32(bytes.data() + 8);
  if (version == 0 || version > kLogVersion) {
    return Error{"log-version", source, "byte 8",
                 "the event log has version " + std::to_string(version) +
                     ", and this program reads up to version " + std::to_string(kLogVersion),
                 "use a newer bohr"};
  }
  return std::nullopt;
}

}  // namespace

Record::Record() = default;
Record::Record(const Record& other) = default;
Record::Record(Record&& other) noexcept = default;
Record& Record::operator=(const Record& other) = default;
Record& Record::operator=(Record&& other) noexcept = default;
Record::~Record() = default;
bool Record::operator==(const Record& other) const {
  return static_cast<const AnyRecord&>(*this) == static_cast<const AnyRecord&>(other);
}

void add_part(std::span<const uint8_t> bytes, Log* log) {
  // One that was just begun anew has no head yet.
  if (refuse_head(bytes, log->source)) return;
  *log = LogWalk(bytes, std::move(*log)).run_part();
}

Result<Log> read_log(std::span<const uint8_t> bytes, const std::string& source) {
  if (auto error = refuse_head(bytes, source)) return *std::move(error);
  return LogWalk(bytes, source).run();
}

}  // namespace bohr::trace

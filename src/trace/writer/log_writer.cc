// SPDX-License-Identifier: Apache-2.0
// Records are encoded straight into the mapped window, under one mutex, and become visible by
// storing their size last (see framing.h). kTailRoom bytes of the window stay free for the records
// that end the log, so these fit however the log stopped.
//
// Once a record finds no room the log stops for good: a Diagnostic says where and why, and all that
// comes later is only counted. `close` brings its count up to date; a process that is killed before
// leaves it at 1.
#include "trace/writer/log_writer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>
#include <system_error>
#include <unordered_map>

#include "trace/writer/encode.h"
#include "trace/writer/framing.h"
#include "trace/writer/mapped_file.h"

namespace bohr::trace {
namespace {

static_assert(std::endian::native == std::endian::little, "sizes are stored as native words");

constexpr uint64_t kExtent = uint64_t{4} << 20;
// Two strings, a Diagnostic and End: below 300 bytes with every number at its longest.
constexpr uint64_t kTailRoom = 512;

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using TextIds = std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>>;

// Stored last and as one word: whoever reads the file sees the record whole or not at all.
void publish(uint8_t* frame, uint32_t size) {
  __atomic_store_n(reinterpret_cast<uint32_t*>(frame), size, __ATOMIC_RELEASE);
}

}  // namespace

struct LogWriter::State {
  // Read without the mutex, which another thread may hold for ever in a forked child.
  std::atomic<bool> open{false};
  std::atomic<uint64_t> lost{0};
  std::atomic<uint64_t> offset{kLogHeadSize};

  std::mutex mutex;
  MappedFile file;
  uint64_t limit = 0;
  TextIds ids;
  uint32_t next_text = 1;
  uint64_t last_seq = 0;
  bool stopped = false;
  bool is_part = false;
  bool full = false;                           // the newest record that was refused: for the limit
  const char* refused = "the file was ended";  // why it was
  bool abandoned = false;
  Diagnostic stop_note;
  uint64_t stop_note_offset = 0;  // 0: there is none

  // Makes room for the payload's frame and the tail, or stops the log, which has then lost a record
  // of sequence number `seq`.
  bool make_room(size_t payload, uint64_t seq);
  // The window must have room.
  template <class R>
  void put(const R& record, size_t payload);
  template <class R>
  bool append(const R& record);
  Text put_tail_text(const char* text);
  void put_stop_note();
  void stop(const char* why, uint64_t seq);
};

bool LogWriter::State::make_room(size_t payload, uint64_t seq) {
  const char* why = nullptr;
  const uint64_t need = offset + frame_size(payload) + kTailRoom;
  if (payload > kMaxPayload) {
    why = "a record was too long";
  } else if (need <= file.window_end()) {
    return true;
  } else if (need > limit) {
    why = "the log reached its size limit";
  } else {
    const uint64_t begin = offset;
    const uint64_t end = std::min(limit, std::max(need, begin + kExtent));
    const int error = file.move_window(begin, end);
    if (error == 0) return true;
    why = error == ENOSPC  ? "no space left on the disk of the log"
          : error == EFBIG ? "the log reached the process's limit for files (ulimit -f)"
          : error == EBADF ? "the program closed the log's file, which is not at its path any more"
                           : "the log could not grow";
  }
  refused = why;
  full = need > limit;
  if (!is_part) stop(why, seq);
  return false;
}

template <class R>
void LogWriter::State::put(const R& record, size_t payload) {
  const auto size = static_cast<uint32_t>(payload);
  uint8_t* frame = file.at(offset);
  uint8_t* begin = frame + kFrameHeadSize;
  uint8_t* end = put_payload(begin, record);
  std::memset(end, 0, frame_size(payload) - kFrameHeadSize - payload);
  store_u32(frame + 4, frame_checksum(size, begin));
  publish(frame, size);
  offset.store(offset + frame_size(payload), std::memory_order_relaxed);
}

template <class R>
bool LogWriter::State::append(const R& record) {
  const size_t payload = payload_size(record);
  const uint64_t seq = seq_of(record);
  const std::lock_guard<std::mutex> lock(mutex);
  last_seq = std::max(last_seq, seq);
  if (open && !stopped && make_room(payload, seq == 0 ? last_seq : seq)) {
    put(record, payload);
    return true;
  }
  ++lost;
  return false;
}

Text LogWriter::State::put_tail_text(const char* text) {
  const String record{.id = next_text, .text = text};
  put(record, payload_size(record));
  return {next_text++};
}

void LogWriter::State::put_stop_note() {
  stop_note_offset = offset;
  put(stop_note, payload_size(stop_note));
}

void LogWriter::State::stop(const char* why, uint64_t seq) {
  stopped = true;
  try {
    stop_note.reason = put_tail_text("lost-records");
    stop_note.text = put_tail_text(why);
  } catch (...) {
    return;  // out of memory: End still tells how many were lost
  }
  stop_note.seq = last_seq;
  stop_note.from = seq;
  stop_note.loses_order = true;
  put_stop_note();
}

std::unique_ptr<LogWriter> LogWriter::nowhere() {
  return std::unique_ptr<LogWriter>(new LogWriter(std::make_unique<State>()));
}

std::unique_ptr<LogWriter> LogWriter::create(const std::string& path, uint64_t limit,
                                             std::string* why) {
  try {
    if (limit < kLogHeadSize + kTailRoom) {
      *why = "a log of " + std::to_string(limit) + " bytes has no room for records";
      return nullptr;
    }
    auto state = std::make_unique<State>();
    state->limit = limit;
    int error = state->file.create(path.c_str());
    if (error == 0) {
      error = state->file.move_window(0, std::min(limit, kExtent));
      if (error != 0) ::unlink(path.c_str());
    }
    if (error != 0) {
      *why = "cannot create " + path + ": " + std::system_category().message(error);
      return nullptr;
    }
    encode_log_head(state->file.at(0), kLogVersion);
    state->open = true;
    return std::unique_ptr<LogWriter>(new LogWriter(std::move(state)));
  } catch (...) {
    *why = "out of memory";
    return nullptr;
  }
}

std::unique_ptr<LogWriter> LogWriter::create_part(const std::string& path, uint64_t limit,
                                                  std::string* why) {
  auto part = create(path, limit, why);
  if (part) part->state_->is_part = true;
  return part;
}

LogWriter::LogWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

LogWriter::~LogWriter() {
  if (state_->open) {
    state_->file.finish(state_->offset);
  } else if (state_->abandoned) {
    // Another thread may have been changing it when the process forked: it must not be walked.
    [[maybe_unused]] const State* left_to_exit = state_.release();
  }
}

Text LogWriter::text(std::string_view value) {
  State& state = *state_;
  if (value.empty() || !state.open) return {};
  try {
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (const auto found = state.ids.find(value); found != state.ids.end()) return {found->second};
    if (!state.open || state.stopped) return {};
    const String record{.id = state.next_text, .text = std::string(value)};
    const size_t payload = payload_size(record);
    if (!state.make_room(payload, state.last_seq)) return {};
    state.ids.emplace(record.text, record.id);
    state.put(record, payload);
    ++state.next_text;
    return {record.id};
  } catch (...) {
    return {};  // out of memory: the record that wanted it has an empty text
  }
}

template <class R>
bool LogWriter::append(const R& record) {
  if (state_->open) return state_->append(record);
  ++state_->lost;
  return false;
}

uint64_t LogWriter::lost() const { return state_->lost; }
uint64_t LogWriter::bytes() const { return state_->offset; }

void LogWriter::close(uint64_t seq) {
  State& state = *state_;
  if (!state.open) return;
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.open.exchange(false)) return;
  const End end{.seq = seq, .lost = state.lost};
  if (state.stop_note_offset != 0) {
    state.offset = state.stop_note_offset;
    publish(state.file.at(state.offset), 0);
    state.stop_note.count = end.lost;
    state.put_stop_note();
  }
  state.put(end, payload_size(end));
  state.file.finish(state.offset);
}

bool LogWriter::is_full() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->full;
}

const char* LogWriter::why_refused() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->refused;
}

void LogWriter::end_part(const Diagnostic* last) {
  State& state = *state_;
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.open.exchange(false)) return;
  if (last) state.put(*last, payload_size(*last));
  state.file.finish(state.offset);
}

void LogWriter::abandon() {
  state_->abandoned = true;
  state_->open = false;
  state_->file.forget();
}

template bool LogWriter::append(const Process&);
template bool LogWriter::append(const Device&);
template bool LogWriter::append(const Thread&);
template bool LogWriter::append(const Stack&);
template bool LogWriter::append(const Function&);
template bool LogWriter::append(const Framework&);
template bool LogWriter::append(const Provenance&);
template bool LogWriter::append(const Scope&);
template bool LogWriter::append(const Stream&);
template bool LogWriter::append(const StreamGone&);
template bool LogWriter::append(const Name&);
template bool LogWriter::append(const StreamHandle&);
template bool LogWriter::append(const Clock&);
template bool LogWriter::append(const Kernel&);
template bool LogWriter::append(const Copy&);
template bool LogWriter::append(const Set&);
template bool LogWriter::append(const HostFunc&);
template bool LogWriter::append(const Unmodelled&);
template bool LogWriter::append(const HostWrite&);
template bool LogWriter::append(const AccessRecord&);
template bool LogWriter::append(const Timing&);
template bool LogWriter::append(const Code&);
template bool LogWriter::append(const TensorMap&);
template bool LogWriter::append(const Conditional&);
template bool LogWriter::append(const EventRecord&);
template bool LogWriter::append(const EventWait&);
template bool LogWriter::append(const HostSync&);
template bool LogWriter::append(const HostAccess&);
template bool LogWriter::append(const CaptureBegin&);
template bool LogWriter::append(const CaptureEnd&);
template bool LogWriter::append(const Graph&);
template bool LogWriter::append(const Node&);
template bool LogWriter::append(const Edges&);
template bool LogWriter::append(const Exec&);
template bool LogWriter::append(const ExecChange&);
template bool LogWriter::append(const Launch&);
template bool LogWriter::append(const ExecGone&);
template bool LogWriter::append(const GraphVersion&);
template bool LogWriter::append(const MemAlloc&);
template bool LogWriter::append(const MemFree&);
template bool LogWriter::append(const Mapping&);
template bool LogWriter::append(const BlockAlloc&);
template bool LogWriter::append(const BlockFree&);
template bool LogWriter::append(const History&);
template bool LogWriter::append(const Segment&);
template bool LogWriter::append(const EntryCall&);
template bool LogWriter::append(const Diagnostic&);

}  // namespace bohr::trace

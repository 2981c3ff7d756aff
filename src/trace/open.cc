// SPDX-License-Identifier: Apache-2.0
// Reads a file whole, decompresses it where needed, tells its format by its first bytes, and hands
// it to that format's reader.
#include "trace/open.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <span>
#include <system_error>
#include <unordered_set>

#include "trace/case_reader.h"
#include "trace/import.h"
#include "trace/sqlite_trace.h"
#include "trace/tar.h"
#include "trace/writer/framing.h"
#include "trace/writer/recent_log.h"
#include "trace/zstd.h"

namespace bohr::trace {
namespace {

constexpr size_t kMostBytes = size_t{8} << 30;
constexpr const char* kGiveOne = "give an event log, a SQLite trace or a case";

// Closes a file unless it is standard input.
class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ > STDIN_FILENO) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

Error cannot_read(const std::string& path, int error) {
  const char* remedy = error == ENOENT   ? "check the path"
                       : error == EACCES ? "the trace's files are private to the user who ran the "
                                           "program: read as that user"
                                         : "";
  return {"input-unreadable", path, "", std::system_category().message(error), remedy};
}

Result<std::vector<uint8_t>> read_all(int file, const std::string& source) {
  std::vector<uint8_t> bytes;
  struct stat status = {};
  if (::fstat(file, &status) != 0) return cannot_read(source, errno);
  if (S_ISDIR(status.st_mode)) {
    return Error{"input-directory", source, "", "this is a directory",
                 "give one of the files in it, or see the whole with: bohr show DIR"};
  }
  if (S_ISREG(status.st_mode)) bytes.reserve(static_cast<size_t>(status.st_size) + 1);
  std::vector<uint8_t> chunk(size_t{1} << 20);
  while (true) {
    const ssize_t got = ::read(file, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(source, errno);
    if (got == 0) return bytes;
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
    if (bytes.size() > kMostBytes) {
      return Error{"input-too-large", source, "",
                   "it has more than " + std::to_string(kMostBytes) + " bytes", kGiveOne};
    }
  }
}

bool begins_with(const std::vector<uint8_t>& bytes, const uint8_t* magic, size_t size) {
  return bytes.size() >= size && std::equal(magic, magic + size, bytes.begin());
}

Result<Format> format_of(const Input& input) {
  static constexpr std::array<uint8_t, 16> kSqliteMagic = {'S', 'Q', 'L', 'i', 't', 'e', ' ', 'f',
                                                           'o', 'r', 'm', 'a', 't', ' ', '3', 0};
  const auto& bytes = input.bytes;
  if (begins_with(bytes, kLogMagic, sizeof kLogMagic)) return Format::log;
  if (begins_with(bytes, kSqliteMagic.data(), kSqliteMagic.size())) return Format::sqlite;
  // Text has no zero bytes; a log whose process was killed before it began has nothing else.
  if (std::find(bytes.begin(), bytes.end(), uint8_t{0}) == bytes.end()) return Format::text;
  return Error{"input-unknown", input.source, "",
               "its first bytes are those of no format that bohr reads", kGiveOne};
}

Error no_records(const Input& input) {
  return {"input-no-records", input.source, "", "a case holds no recorded calls",
          "give an event log or a SQLite trace"};
}

int64_t count_work(const Log& log) {
  return std::count_if(log.records.begin(), log.records.end(), [](const Record& record) {
    return std::holds_alternative<Kernel>(record) || std::holds_alternative<Copy>(record) ||
           std::holds_alternative<Set>(record) || std::holds_alternative<HostFunc>(record) ||
           std::holds_alternative<Launch>(record) || std::holds_alternative<Node>(record);
  });
}

void note_other_processes(size_t others, Log* log) {
  const auto add = [&](std::string text) {
    log->strings.push_back(std::move(text));
    return Text{static_cast<uint32_t>(log->strings.size() - 1)};
  };
  Diagnostic note;
  note.reason = add("other-processes");
  note.text = add("the trace holds " + std::to_string(others) +
                  " more processes, which were not looked at");
  note.count = others;
  log->records.emplace_back(note);
}

// What `bohr share` puts into a bundle.
Result<std::vector<uint8_t>> trace_in_bundle(std::span<const uint8_t> bytes,
                                             const std::string& source) {
  BOHR_TRY(files, read_tar(bytes, source));
  for (TarFile& file : files)
    if (file.name.substr(file.name.rfind('/') + 1) == kBundledTrace) return std::move(file.bytes);
  return Error{"input-tar", source, "", std::string("the archive holds no ") + kBundledTrace,
               "give a bundle that bohr share made, or unpack it and give what is in it"};
}

// Most logs have none. One that cannot be read is as one that is not there.
std::vector<std::vector<uint8_t>> recent_beside(const std::string& path) {
  std::vector<std::vector<uint8_t>> parts;
  for (const char* suffix : kRecentSuffixes) {
    const File file(::open((path + suffix).c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) continue;
    Result<std::vector<uint8_t>> bytes = read_all(file.number(), path + suffix);
    if (bytes.ok()) parts.push_back(std::move(bytes).value());
  }
  return parts;
}

// The recorder says in the log that it writes them, and begins one at once.
bool has_recent(const Log& log) {
  return std::any_of(log.records.begin(), log.records.end(), [&](const Record& record) {
    const auto* one = std::get_if<Provenance>(&record);
    return one && log.strings[one->name.id] == kRecentName;
  });
}

// What was kept in the log later, because graphs may need it, lies in the recent work as well.
class Kept {
 public:
  explicit Kept(std::span<const Record> records) {
    for (const Record& record : records) std::visit([&](const auto& r) { add(r); }, record);
  }
  bool operator()(const Record& record) const {
    return std::visit([&](const auto& r) { return has(r); }, record);
  }

 private:
  void add(const MemAlloc& r) { calls_.insert(r.call.seq); }
  void add(const BlockAlloc& r) { calls_.insert(r.call.seq); }
  void add(const History& r) { entries_.insert(r.index); }
  void add(const EntryCall& r) { said_.insert(r.index); }
  template <class R>
  void add(const R&) {}
  bool has(const MemAlloc& r) const { return calls_.contains(r.call.seq); }
  bool has(const BlockAlloc& r) const { return calls_.contains(r.call.seq); }
  bool has(const History& r) const { return entries_.contains(r.index); }
  bool has(const EntryCall& r) const { return said_.contains(r.index); }
  template <class R>
  bool has(const R&) const {
    return false;
  }
  std::unordered_set<uint64_t> calls_, entries_, said_;  // sequence numbers, indices
};

void add_recent(const Input& input, Log* log) {
  const size_t whole = log->records.size();
  for (const std::vector<uint8_t>& part : input.recent) add_part(part, log);
  const auto recent = log->records.begin() + static_cast<ptrdiff_t>(whole);
  const Kept kept({log->records.begin(), recent});
  log->records.erase(std::remove_if(recent, log->records.end(), std::cref(kept)),
                     log->records.end());
  if (!input.recent.empty() || !has_recent(*log)) return;
  const auto add = [&](std::string text) {
    log->strings.push_back(std::move(text));
    return Text{static_cast<uint32_t>(log->strings.size() - 1)};
  };
  Diagnostic missing;
  missing.reason = add("lost-records");
  missing.text =
      add("the work outside graphs was recorded in files beside the log (" +
          std::string(kRecentSuffixes[0]) + ", " + kRecentSuffixes[1] + "), which are not there");
  missing.loses_order = true;
  missing.to = ~uint64_t{0};
  log->records.emplace_back(missing);
}

}  // namespace

Result<Input> read_input(const std::string& path) {
  Input input;
  input.source = path;
  // Before the log: what they name is in it then, also while it is written.
  input.recent = recent_beside(path);
  const File file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return cannot_read(path, errno);
  BOHR_TRY(bytes, read_all(file.number(), path));
  input.bytes = std::move(bytes);
  if (is_zstd(input.bytes)) {
    BOHR_TRY(plain, decompress(input.bytes, kMostBytes, path));
    input.bytes = std::move(plain);
  }
  if (is_tar(input.bytes)) {
    BOHR_TRY(trace, trace_in_bundle(input.bytes, path));
    input.bytes = std::move(trace);
  }
  if (input.bytes.empty()) return Error{"input-empty", path, "", "it is empty", kGiveOne};
  BOHR_TRY(format, format_of(input));
  input.format = format;
  return input;
}

Result<std::vector<Log>> to_logs(const Input& input) {
  if (input.format == Format::text) return no_records(input);
  if (input.format == Format::sqlite) return read_sqlite(input.bytes, input.source);
  BOHR_TRY(log, read_log(input.bytes, input.source));
  add_recent(input, &log);
  std::vector<Log> logs;
  logs.push_back(std::move(log));
  return logs;
}

Result<std::vector<Log>> read_logs(const std::string& path) {
  BOHR_TRY(input, read_input(path));
  return to_logs(input);
}

Result<Log> to_log(const Input& input) {
  BOHR_TRY(logs, to_logs(input));
  if (logs.empty()) {
    return Error{"input-no-records", input.source, "", "the trace holds no process",
                 "record again"};
  }
  auto most = std::max_element(logs.begin(), logs.end(), [](const Log& a, const Log& b) {
    return count_work(a) < count_work(b);
  });
  if (logs.size() > 1) note_other_processes(logs.size() - 1, &*most);
  return std::move(*most);
}

Result<Program> to_program(const Input& input) {
  if (input.format == Format::text) {
    const auto* text = reinterpret_cast<const char*>(input.bytes.data());
    return read_case({text, input.bytes.size()}, input.source);
  }
  BOHR_TRY(log, to_log(input));
  return import_log(log);
}

Result<store::Database> to_database(const Input& input) {
  if (input.format == Format::text) return no_records(input);
  if (input.format == Format::sqlite) {
    BOHR_TRY(database, store::Database::from_bytes(input.bytes, input.source));
    BOHR_TRY_STATUS(check_is_trace(database));
    BOHR_TRY_STATUS(database.allow_only_queries());
    return std::move(database);
  }
  BOHR_TRY(logs, to_logs(input));
  BOHR_TRY(database, sqlite_in_memory(logs));
  BOHR_TRY_STATUS(database.allow_only_queries());
  return std::move(database);
}

}  // namespace bohr::trace

// SPDX-License-Identifier: Apache-2.0
// An allocation is logged behind it, a free ahead of it, so of one address the lines stand in the
// order of what they tell. A last line without an end was being written when the program ended.
#include "trace/rmm_log.h"

#include <array>
#include <charconv>

namespace bohr::trace {

namespace {

constexpr std::string_view kHeader = "Thread,Time,Action,Pointer,Size,Stream";
constexpr size_t kColumns = 6;
using Columns = std::array<std::string_view, kColumns>;

std::string_view without_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool split(std::string_view line, Columns* columns) {
  for (size_t i = 0; i < kColumns; ++i) {
    const size_t comma = line.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == kColumns)) return false;
    (*columns)[i] = line.substr(0, comma);
    line.remove_prefix(i + 1 == kColumns ? line.size() : comma + 1);
  }
  return true;
}

bool number(std::string_view text, int base, uint64_t* value) {
  if (base == 16 && text.substr(0, 2) == "0x") text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool action(std::string_view text, HistoryAction* action) {
  if (text == "allocate") return *action = HistoryAction::alloc, true;
  *action = HistoryAction::free_requested;
  return text == "free" || text == "deallocate";
}

// "11:22:33.123456", in older versions "11:22:33:123456"; 0 where it is neither.
uint64_t time_of_day(std::string_view text) {
  uint64_t hours = 0, minutes = 0, seconds = 0, micros = 0;
  if (text.size() != 15 || text[2] != ':' || text[5] != ':' ||
      !number(text.substr(0, 2), 10, &hours) || !number(text.substr(3, 2), 10, &minutes) ||
      !number(text.substr(6, 2), 10, &seconds) || !number(text.substr(9), 10, &micros))
    return 0;
  return (((hours * 60 + minutes) * 60 + seconds) * 1000000 + micros) * 1000;
}

Error log_damaged(const std::string& source, size_t line, const std::string& why) {
  return {"history-damaged", source, "line " + std::to_string(line), why,
          "give the log that rmm::mr::logging_resource_adaptor wrote"};
}

}  // namespace

bool looks_like_rmm_log(std::string_view text) {
  return without_return(text.substr(0, text.find('\n'))) == kHeader;
}

Result<AllocatorHistory> history_of_rmm_log(std::string_view text, const std::string& source) {
  AllocatorHistory history;
  history.source = source;
  history.allocator = "RMM";
  history.times_of_day = true;
  size_t number_of = 0;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = without_return(text.substr(0, end));
    text.remove_prefix(end + 1);
    ++number_of;
    // A second adaptor that wrote to the same file began with its own header.
    if (line.empty() || line == kHeader) continue;
    Columns columns;
    if (!split(line, &columns)) return log_damaged(source, number_of, "it has not six columns");
    if (columns[2] == "allocate failure") continue;
    HistoryEvent event;
    if (!action(columns[2], &event.action))
      return log_damaged(source, number_of, "an unknown action");
    if (!number(columns[3], 16, &event.address) || !number(columns[4], 10, &event.bytes) ||
        !number(columns[5], 16, &event.stream))
      return log_damaged(source, number_of, "its pointer, size or stream is no number");
    event.time_ns = time_of_day(columns[1]);
    if (event.address == 0 || event.bytes == 0) continue;  // of nothing
    history.events.push_back(event);
    if (event.action != HistoryAction::free_requested) continue;
    event.action = HistoryAction::free_completed;
    history.events.push_back(event);
  }
  if (history.events.empty())
    return Error{"history-empty", source, "", "it holds no allocation", "record again"};
  return history;
}

}  // namespace bohr::trace

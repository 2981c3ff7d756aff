// SPDX-License-Identifier: Apache-2.0
#include "app/import_history.h"

#include <algorithm>
#include <vector>

#include "app/files.h"
#include "app/run_dir.h"
#include "trace/add_history.h"
#include "trace/open.h"
#include "trace/sqlite_trace.h"

namespace bohr::app {

namespace {

using trace::Log;

Result<std::vector<Log>> logs_of(const std::string& path) {
  if (is_directory(path)) return read_logs(path);
  return trace::read_logs(path);
}

uint64_t pid_of(const Log& log) {
  for (const trace::Record& record : log.records)
    if (const auto* process = std::get_if<trace::Process>(&record)) return process->pid;
  return 0;
}

bool uses_gpu(const Log& log) {
  return std::any_of(log.records.begin(), log.records.end(), [](const trace::Record& record) {
    return std::holds_alternative<trace::Kernel>(record) ||
           std::holds_alternative<trace::Launch>(record) ||
           std::holds_alternative<trace::Copy>(record) ||
           std::holds_alternative<trace::Set>(record);
  });
}

// The one process that the history can be of.
Result<size_t> choose(const std::vector<Log>& logs, const HistoryImport& what) {
  std::vector<size_t> fit;
  std::string pids;
  for (size_t i = 0; i < logs.size(); ++i) {
    if (!uses_gpu(logs[i])) continue;
    pids += (pids.empty() ? "" : ", ") + std::to_string(pid_of(logs[i]));
    if (what.pid == 0 || pid_of(logs[i]) == what.pid) fit.push_back(i);
  }
  if (fit.size() == 1) return fit.front();
  if (fit.empty())
    return Error{"history-process", what.recording, "", "no process of it fits",
                 pids.empty() ? "record the program again" : "--pid takes one of " + pids};
  return Error{"history-process", what.recording, "", "several processes used the GPU: " + pids,
               "say with --pid whose history it is"};
}

}  // namespace

Result<HistoryImported> import_history(const HistoryImport& what) {
  BOHR_TRY(text, read_text(what.history));
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  BOHR_TRY(history, trace::read_history({bytes, text.size()}, what.history));
  BOHR_TRY(logs, logs_of(what.recording));
  BOHR_TRY(chosen, choose(logs, what));
  BOHR_TRY(added, trace::add_history(logs[chosen], history));
  logs[chosen] = std::move(added.log);
  BOHR_TRY_STATUS(trace::write_sqlite(logs, what.output));
  return HistoryImported{process_name(logs[chosen], what.recording), history.allocator,
                         added.blocks, added.left_out, added.frees_open};
}

}  // namespace bohr::app

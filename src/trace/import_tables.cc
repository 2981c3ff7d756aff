// SPDX-License-Identifier: Apache-2.0
#include "trace/import_tables.h"

#include <set>
#include <vector>

namespace bohr::trace {

namespace {

constexpr int32_t kUnknownContext = -1;

StreamKind kind_of(StreamType type) {
  switch (type) {
    case StreamType::blocking:
      return StreamKind::blocking;
    case StreamType::legacy:
      return StreamKind::legacy;
    case StreamType::per_thread:
      return StreamKind::per_thread;
    default:
      return StreamKind::nonblocking;
  }
}

// The first of a name keeps it, the others get their number.
std::string unique_name(const std::string& wanted, uint32_t number, std::set<std::string>* taken) {
  if (taken->insert(wanted).second) return wanted;
  std::string name = wanted + " " + std::to_string(number);
  taken->insert(name);
  return name;
}

std::string stream_name(const Stream& stream, std::set<std::string>* taken) {
  if (stream.type == StreamType::legacy) return unique_name("default", stream.stream, taken);
  if (stream.type == StreamType::per_thread) return unique_name("per-thread", stream.stream, taken);
  return unique_name("stream " + std::to_string(stream.stream), stream.stream, taken);
}

bohr::Stack stack_of(const Log& log, const Stack& record) {
  bohr::Stack stack;
  for (size_t i = 0; i < record.functions.size(); ++i) {
    Frame frame;
    frame.function = text_of(log, record.functions[i]);
    if (i < record.files.size()) frame.file = text_of(log, record.files[i]);
    if (i < record.lines.size() && record.lines[i] <= INT32_MAX)
      frame.line = static_cast<int32_t>(record.lines[i]);
    frame.python = i < record.python.size() && record.python[i] != 0;
    stack.frames.push_back(std::move(frame));
  }
  return stack;
}

}  // namespace

Tables::Tables(const Log& log, const LogIndex& index, Program* program, Diagnostics* diagnostics)
    : log_(log), index_(index), program_(program), diagnostics_(diagnostics) {
  add_threads(log, index);
  add_stacks(log, index);
}

void Tables::add_threads(const Log& log, const LogIndex& index) {
  std::set<std::string> taken;
  for (const auto& [number, record] : index.threads) {
    threads_[number] = ActorId(program_->actors.size());
    std::string name(text_of(log, record->name.id));
    if (name.empty()) name = "thread " + std::to_string(number);
    program_->actors.push_back({unique_name(name, number, &taken), ActorKind::thread});
  }
}

void Tables::add_stacks(const Log& log, const LogIndex& index) {
  for (const auto& [number, record] : index.stacks) {
    stacks_[number] = StackId(program_->stacks.size());
    program_->stacks.push_back(stack_of(log, *record));
  }
}

StreamId Tables::stream(uint32_t number, uint64_t seq) {
  if (number == 0) return StreamId();
  const auto [it, is_new] = streams_.try_emplace(number, StreamId(program_->streams.size()));
  if (!is_new) return it->second;
  bohr::Stream stream;
  if (const auto record = index_.streams.find(number); record != index_.streams.end()) {
    const auto named = index_.stream_names.find(number);
    stream.name = named == index_.stream_names.end()
                      ? stream_name(*record->second, &stream_names_)
                      : unique_name(std::string(text_of(log_, named->second->text.id)), number,
                                    &stream_names_);
    stream.kind = kind_of(record->second->type);
    stream.context = static_cast<int32_t>(record->second->context & INT32_MAX);
  } else {
    stream.name = unique_name("stream " + std::to_string(number), number, &stream_names_);
    stream.context = kUnknownContext;
    diagnostics_->add_order_lost("lost-records", "a stream that no record describes", seq);
  }
  program_->streams.push_back(std::move(stream));
  return it->second;
}

ActorId Tables::thread(uint32_t number) {
  if (number == 0) return ActorId();
  const auto [it, is_new] = threads_.try_emplace(number, ActorId(program_->actors.size()));
  if (is_new) program_->actors.push_back({"thread " + std::to_string(number), ActorKind::thread});
  return it->second;
}

StackId Tables::stack(uint32_t number) const {
  const auto it = stacks_.find(number);
  return it == stacks_.end() ? StackId() : it->second;
}

NameId Tables::name(std::string_view text) {
  const auto it = names_.find(text);
  if (it != names_.end()) return it->second;
  const NameId id(program_->names.size());
  program_->names.emplace_back(text);
  names_.emplace(std::string(text), id);
  return id;
}

PoolId Tables::pool(const std::string& name) {
  const auto [it, is_new] = pools_.try_emplace(name, PoolId(program_->pools.size()));
  if (is_new) program_->pools.push_back({name});
  return it->second;
}

PoolId Tables::block_pool(uint64_t a, uint64_t b) {
  if (a == 0 && b == 0) return pool("default pool");
  return pool("graph pool " + std::to_string(a) + "." + std::to_string(b));
}

PoolId Tables::driver_pool(uint64_t handle) {
  if (handle == 0) return PoolId();
  const auto it = driver_pools_.find(handle);
  if (it != driver_pools_.end()) return it->second;
  const PoolId id = pool("memory pool " + std::to_string(driver_pools_.size() + 1));
  driver_pools_.emplace(handle, id);
  return id;
}

StreamId Tables::stream_of_context(uint32_t context) const {
  for (size_t i = 0; i < program_->streams.size(); ++i)
    if (program_->streams[i].context == static_cast<int32_t>(context & INT32_MAX))
      return StreamId(i);
  return StreamId();
}

bool Tables::one_context() const {
  for (const bohr::Stream& stream : program_->streams)
    if (stream.context != program_->streams.front().context) return false;
  return true;
}

bool Tables::contexts_known() const {
  for (const bohr::Stream& stream : program_->streams)
    if (stream.context == kUnknownContext) return false;
  return true;
}

std::string device_text(const Log& log, const LogIndex& index) {
  std::vector<std::pair<std::string, int>> names;
  for (const Device* device : index.devices) {
    std::string name(text_of(log, device->name.id));
    if (name.empty()) continue;
    if (!names.empty() && names.back().first == name)
      ++names.back().second;
    else
      names.emplace_back(std::move(name), 1);
  }
  std::string text;
  auto append = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, count] : names)
    append(count > 1 ? std::to_string(count) + " x " + name : name);
  if (const Process* process = index.process) {
    const std::string_view driver = text_of(log, process->driver_text.id);
    if (!driver.empty()) append("driver " + std::string(driver));
    if (process->driver != 0)
      append("CUDA " + std::to_string(process->driver / 1000) + "." +
             std::to_string(process->driver % 1000 / 10));
  }
  for (const Framework* framework : index.frameworks) {
    std::string part(text_of(log, framework->name.id));
    const std::string_view version = text_of(log, framework->version.id);
    if (!version.empty()) part += " " + std::string(version);
    if (!part.empty()) append(part);
  }
  return text;
}

}  // namespace bohr::trace

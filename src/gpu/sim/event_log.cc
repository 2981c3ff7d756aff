// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/event_log.h"

#include <utility>

namespace bohr::gpu::sim {

namespace {

constexpr uint32_t kContext = 1;
// Node::type, as CUgraphNodeType.
constexpr uint32_t kNodeKernel = 0;
constexpr uint32_t kNodeCopy = 1;
constexpr uint32_t kNodeSet = 2;
constexpr uint32_t kNodeHost = 3;
// CUgraphEdgeData packed: a programmatic edge leaves from the programmatic port.
constexpr uint64_t kProgrammaticEdge = 1 | 1 << 8;

trace::StreamType log_type(StreamKind kind) {
  switch (kind) {
    case StreamKind::nonblocking:
      return trace::StreamType::nonblocking;
    case StreamKind::blocking:
      return trace::StreamType::blocking;
    case StreamKind::legacy:
      return trace::StreamType::legacy;
    case StreamKind::per_thread:
      return trace::StreamType::per_thread;
  }
  return trace::StreamType::nonblocking;
}

trace::Mode log_mode(Mode mode) {
  switch (mode) {
    case Mode::read:
      return trace::Mode::read;
    case Mode::write:
      return trace::Mode::write;
    case Mode::update:
      return trace::Mode::update;
    case Mode::atomic:
      return trace::Mode::atomic;
  }
  return trace::Mode::read;
}

uint32_t node_type(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return kNodeKernel;
    case WorkKind::copy:
      return kNodeCopy;
    case WorkKind::fill:
      return kNodeSet;
    default:
      return kNodeHost;
  }
}

}  // namespace

trace::Memory log_memory(Region region) {
  switch (region) {
    case Region::device:
      return trace::Memory::device;
    case Region::pinned:
      return trace::Memory::pinned;
    case Region::pageable:
      return trace::Memory::pageable;
    case Region::none:
      break;
  }
  return trace::Memory::unknown;
}

Result<std::unique_ptr<EventLog>> EventLog::open(const Options& options, uint64_t device_bytes) {
  std::unique_ptr<trace::LogWriter> writer;
  if (!options.path.empty()) {
    std::string why;
    writer = trace::LogWriter::create(options.path, options.limit, &why);
    if (!writer)
      return Error{"file-write", options.path, "", why, "choose another file for the log"};
  }
  std::unique_ptr<EventLog> log(new EventLog(std::move(writer), options.declare));
  log->begin(device_bytes);
  return log;
}

void EventLog::begin(uint64_t device_bytes) {
  append(trace::Process{
      .pid = 1, .command = text("simulated program"), .recorder = text("bohr simulated GPU")});
  append(trace::Device{0, text("simulated GPU"), device_bytes});
  append(trace::Framework{text("simulated GPU"), {}, text("native"), {}});
  append(trace::Scope{.host_accesses = true});
}

uint32_t EventLog::function(const KernelLaunch& launch) {
  const Params& params = launch.params;
  const auto [it, is_new] = functions_.try_emplace(
      {launch.kernel.name, params.offsets(), params.sizes()}, functions_.size() + 1);
  if (is_new)
    append(trace::Function{it->second, text(launch.kernel.name), params.offsets(), params.sizes(),
                           true});
  return it->second;
}

uint32_t EventLog::stack(const Place& place) {
  if (place.file.empty() && place.function.empty()) return 0;
  const auto [it, is_new] =
      stacks_.try_emplace({place.function, place.file, place.line}, stacks_.size() + 1);
  if (is_new) {
    const bool python = place.file.ends_with(".py");
    append(trace::Stack{it->second,
                        {text(place.function).id},
                        {text(place.file).id},
                        {static_cast<uint64_t>(place.line)},
                        {static_cast<uint8_t>(python)}});
  }
  return it->second;
}

void EventLog::thread(Thread thread, const std::string& name) {
  append(trace::Thread{number_of(thread), number_of(thread), text(name)});
}

void EventLog::stream(uint64_t seq, Stream stream, const StreamOptions& options) {
  append(trace::Stream{.seq = seq,
                       .stream = number_of(stream),
                       .context = kContext,
                       .type = log_type(options.kind),
                       .priority = options.priority});
  if (!options.name.empty())
    append(trace::Name{.seq = seq, .stream = number_of(stream), .text = text(options.name)});
}

trace::Node EventLog::node_of(const Node& node) {
  const Work& work = node.work;
  trace::Node record;
  record.type = node_type(work.kind);
  record.seq = node.seq;
  record.thread = number_of(node.thread);
  record.stack = node.stack;
  record.stream = number_of(node.stream);
  if (work.kind == WorkKind::kernel) {
    record.function = function(work.launch);
    record.grid_x = work.launch.blocks;
    record.grid_y = record.grid_z = record.block_x = record.block_y = record.block_z = 1;
    record.attributes = work.launch.programmatic ? trace::kAttributeProgrammatic : 0;
    record.form = trace::ParamForm::array;
    record.params = work.launch.params.image();
  } else if (work.kind == WorkKind::copy || work.kind == WorkKind::fill) {
    record.dst = work.dst;
    record.src = work.src;
    record.width = work.bytes;
    record.dst_memory = log_memory(work.dst_region);
    record.src_memory = log_memory(work.src_region);
  }
  return record;
}

uint32_t EventLog::graph(uint64_t seq, uint32_t capture, const std::string& name,
                         const GraphVersion& version) {
  const uint32_t number = ++graphs_;
  append(trace::Graph{.seq = seq,
                      .graph = number,
                      .capture = capture,
                      .nodes = static_cast<uint32_t>(version.nodes.size()),
                      .edges = static_cast<uint32_t>(version.edges.size()),
                      .name = text(name)});
  uint32_t index = 0;
  for (const Node& node : version.nodes) {
    trace::Node record = node_of(node);
    record.graph = number;
    record.index = index;
    append(record);
    append_accesses(number, index, node.seq, node.work);
    ++index;
  }
  trace::Edges edges;
  edges.graph = number;
  for (const GraphEdge& edge : version.edges) {
    edges.from.push_back(static_cast<uint64_t>(edge.from));
    edges.to.push_back(static_cast<uint64_t>(edge.to));
    edges.types.push_back(edge.programmatic ? kProgrammaticEdge : 0);
  }
  append(edges);
  return number;
}

void EventLog::accesses(uint64_t seq, const Work& work) { append_accesses(0, 0, seq, work); }

// Copies and fills say it in their own records; the host's own accesses are no declarations.
void EventLog::append_accesses(uint32_t graph, uint32_t node, uint64_t seq, const Work& work) {
  if (work.kind == WorkKind::copy || work.kind == WorkKind::fill) return;
  if (!declare_ && work.kind != WorkKind::touch) return;
  for (const Access& access : work.accesses)
    append(trace::AccessRecord{.graph = graph,
                               .node = node,
                               .seq = seq,
                               .address = access.address,
                               .bytes = access.bytes,
                               .mode = log_mode(access.mode),
                               .source = trace::Source::declared,
                               .early = access.early});
}

void EventLog::close(uint64_t seq) {
  if (writer_) writer_->close(seq);
}

}  // namespace bohr::gpu::sim

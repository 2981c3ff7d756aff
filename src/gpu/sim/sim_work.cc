// SPDX-License-Identifier: Apache-2.0
// Work: it becomes an op of the tape or, on a stream that is being captured, a node.
#include <cstring>
#include <utility>

#include "gpu/sim/sim.h"

namespace bohr::gpu::sim {

namespace {

std::vector<uint8_t> owned(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

trace::Return returned(const Work& work, bool host_waits) {
  if (host_waits) return trace::Return::after_completion;
  return work.source_in_call ? trace::Return::after_source_read : trace::Return::at_once;
}

}  // namespace

// All that is declared must have been handed out by the driver; host code reaches host memory only.
Status Sim::check_reach(const Work& work) const {
  const bool host = work.kind == WorkKind::touch || work.kind == WorkKind::host_function;
  for (const Access& access : work.accesses) {
    const ByteRange range{access.address, access.address + access.bytes};
    const bool held = pinned_.holds(range) || (host && pageable_.holds(range)) ||
                      (!host && device_.holds(range)) ||
                      (work.kind == WorkKind::copy && pageable_.holds(range));
    if (held) continue;
    return Error{
        "sim-address", name_of(work),
        std::to_string(access.bytes) + " bytes at address " + std::to_string(access.address),
        "nobody was given this memory, or this work cannot reach it",
        "name memory that alloc or alloc_host gave out"};
  }
  return Nothing{};
}

void Sim::log_work(const Work& work, Stream stream, const trace::Call& call, bool host_waits) {
  const uint32_t on = number_of(stream);
  if (work.kind == WorkKind::kernel) {
    const KernelLaunch& launch = work.launch;
    trace::Kernel record{.call = call, .stream = on, .function = log_->function(launch)};
    record.grid_x = launch.blocks;
    record.grid_y = record.grid_z = record.block_x = record.block_y = record.block_z = 1;
    record.attributes = launch.programmatic ? trace::kAttributeProgrammatic : 0;
    record.form = trace::ParamForm::array;
    record.params = launch.params.image();
    log_->append(record);
  } else if (work.kind == WorkKind::copy) {
    trace::Copy record{.call = call, .stream = on, .dst = work.dst, .src = work.src};
    record.width = work.bytes;
    record.dst_memory = log_memory(work.dst_region);
    record.src_memory = log_memory(work.src_region);
    record.returned = returned(work, host_waits);
    log_->append(record);
  } else if (work.kind == WorkKind::fill) {
    trace::Set record{.call = call, .stream = on, .dst = work.dst, .width = work.bytes};
    log_->append(record);
  } else {
    log_->append(trace::HostFunc{call, on});
  }
  log_->accesses(call.seq, work);
}

Status Sim::submit(Work work, Stream stream) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  BOHR_TRY_STATUS(check_reach(work));
  if (Capture* capture = capture_of(stream)) {
    capture->add({std::move(work), stream, call.seq, thread_, call.stack});
    Status status = take_time(call);
    left(call);
    return status;
  }
  TapeOp op;
  op.kind = OpKind::work;
  op.stream = stream;
  if (work.kind == WorkKind::copy) {
    op.host_waits = work.dst_region == Region::pageable;
    work.source_in_call = work.src_region == Region::pageable && !op.host_waits;
  }
  op.work = std::move(work);
  const bool host_waits = op.host_waits;
  const size_t index = tape_.ops.size();
  Status status = issue(std::move(op), call);
  log_work(tape_.ops[index].work, stream, left(call), host_waits);
  return status;
}

Status Sim::launch(const KernelLaunch& launch, Stream stream) {
  BOHR_CHECK(launch.kernel.body != nullptr && launch.blocks > 0);
  Work work;
  work.kind = WorkKind::kernel;
  work.launch = launch;
  work.accesses = std::move(work.launch.accesses);
  return submit(std::move(work), stream);
}

Status Sim::copy(uint64_t dst, uint64_t src, uint64_t bytes, Stream stream) {
  Work work;
  work.kind = WorkKind::copy;
  work.dst = dst;
  work.src = src;
  work.bytes = bytes;
  work.dst_region = arena_.region_of({dst, dst + bytes});
  work.src_region = arena_.region_of({src, src + bytes});
  work.accesses = {{src, bytes, Mode::read}, {dst, bytes, Mode::write}};
  return submit(std::move(work), stream);
}

Status Sim::fill(uint64_t dst, uint8_t value, uint64_t bytes, Stream stream) {
  Work work;
  work.kind = WorkKind::fill;
  work.dst = dst;
  work.value = value;
  work.bytes = bytes;
  work.dst_region = arena_.region_of({dst, dst + bytes});
  work.accesses = {{dst, bytes, Mode::write}};
  return submit(std::move(work), stream);
}

Status Sim::host_function(std::vector<Access> accesses, HostFunction function, Stream stream) {
  Work work;
  work.kind = WorkKind::host_function;
  work.accesses = std::move(accesses);
  work.function = std::move(function);
  return submit(std::move(work), stream);
}

Status Sim::touched(Work work) {
  trace::Call call;
  BOHR_TRY_STATUS(enter(&call));
  work.kind = WorkKind::touch;
  BOHR_TRY_STATUS(check_reach(work));
  TapeOp op;
  op.kind = OpKind::touch;
  op.work = std::move(work);
  const size_t index = tape_.ops.size();
  Status status = issue(std::move(op), call);
  log_->append(trace::HostAccess{left(call)});
  log_->accesses(call.seq, tape_.ops[index].work);
  return status;
}

Status Sim::touch(std::vector<Access> accesses, HostFunction function) {
  Work work;
  work.accesses = std::move(accesses);
  work.function = std::move(function);
  return touched(std::move(work));
}

Status Sim::host_write(uint64_t address, std::span<const uint8_t> bytes) {
  Work work;
  work.accesses = {{address, bytes.size(), Mode::write}};
  work.function = [address, bytes = owned(bytes)](Accessor& memory) {
    const auto view = memory.write<uint8_t>(address, bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) view.put(i, bytes[i]);
  };
  return touched(std::move(work));
}

// The tape keeps the access alone: another run has no program that takes the bytes.
Status Sim::host_read(uint64_t address, std::span<uint8_t> bytes) {
  Work work;
  work.accesses = {{address, bytes.size(), Mode::read}};
  BOHR_TRY_STATUS(touched(std::move(work)));
  if (bytes.empty()) return Nothing{};
  std::memcpy(bytes.data(), arena_.at(address), bytes.size());
  return Nothing{};
}

}  // namespace bohr::gpu::sim

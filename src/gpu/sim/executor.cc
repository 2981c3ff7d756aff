// SPDX-License-Identifier: Apache-2.0
#include "gpu/sim/executor.h"

#include <cstring>
#include <string>

#include "base/hash.h"
#include "gpu/sim/mix.h"

namespace bohr::gpu::sim {

namespace {

const char* word(Mode mode) {
  switch (mode) {
    case Mode::read:
      return "read";
    case Mode::write:
      return "write";
    case Mode::update:
      return "update";
    case Mode::atomic:
      return "atomic";
  }
  return "";
}

Status checked(const Work& work, const Violation& violation) {
  if (!violation.happened) return Nothing{};
  return Error{"sim-access", name_of(work),
               "bytes 0x" + hex(violation.address, 12) + " to 0x" +
                   hex(violation.address + violation.bytes, 12) + ", mode " + word(violation.mode),
               "it touches what it did not declare",
               "declare the range with this mode where the work is issued"};
}

bool writes(Mode mode) { return mode != Mode::read; }

}  // namespace

uint32_t Executor::blocks(const Item& item) const {
  const Work& work = work_of(tape_, item);
  return work.kind == WorkKind::kernel ? work.launch.blocks : 1;
}

// Every page that the work may write counts as written: views cannot reach further.
Accessor Executor::accessor(const Work& work, Declared part) {
  for (const Access& access : work.accesses)
    if (writes(access.mode)) arena_->mark_written({access.address, access.address + access.bytes});
  return Accessor(work.accesses, part, arena_->base(), Arena::kOrigin);
}

uint64_t Executor::clock(const Item& item, uint32_t block) const {
  return mix(salt_, {static_cast<uint64_t>(item.op), static_cast<uint64_t>(item.node), block});
}

Status Executor::run_kernel(const Work& work, const Item& item, uint32_t index) {
  const KernelLaunch& launch = work.launch;
  Registers own{};
  Registers* registers = &own;
  if (item.part != Part::whole) {
    Carried& carried = carried_[{item.op, item.node}];
    carried.registers.resize(launch.blocks);
    registers = &carried.registers[index];
  }
  const uint64_t now = clock(item, index);
  if (item.part != Part::rest && launch.kernel.early) {
    Block block(accessor(work, Declared::early), launch, index, registers, now);
    launch.kernel.early(block);
    BOHR_TRY_STATUS(checked(work, block.violation()));
  }
  if (item.part == Part::early) return Nothing{};
  Block block(accessor(work, Declared::rest), launch, index, registers, now);
  launch.kernel.body(block);
  return checked(work, block.violation());
}

Status Executor::run_copy(const Work& work, const Item& item) {
  if (work.bytes == 0) return Nothing{};
  if (item.part == Part::source) {
    const uint8_t* from = arena_->at(work.src);
    carried_[{item.op, item.node}].staged.assign(from, from + work.bytes);
    return Nothing{};
  }
  arena_->mark_written({work.dst, work.dst + work.bytes});
  if (item.part == Part::whole) {
    std::memmove(arena_->at(work.dst), arena_->at(work.src), work.bytes);
    return Nothing{};
  }
  const std::vector<uint8_t>& staged = carried_[{item.op, item.node}].staged;
  if (staged.size() != work.bytes)
    return Error{"sim-order", "copy", "", "its write comes before the reading of its source",
                 "put the reading first"};
  std::memcpy(arena_->at(work.dst), staged.data(), staged.size());
  return Nothing{};
}

Status Executor::run_function(const Work& work) {
  Accessor memory = accessor(work, Declared::all);
  if (work.function) work.function(memory);
  return checked(work, memory.violation());
}

Status Executor::run_block(const Item& item, uint32_t block) {
  const Work& work = work_of(tape_, item);
  switch (work.kind) {
    case WorkKind::kernel:
      return run_kernel(work, item, block);
    case WorkKind::copy:
      return run_copy(work, item);
    case WorkKind::fill:
      if (work.bytes == 0) return Nothing{};
      arena_->mark_written({work.dst, work.dst + work.bytes});
      std::memset(arena_->at(work.dst), work.value, work.bytes);
      return Nothing{};
    case WorkKind::host_function:
    case WorkKind::touch:
      return run_function(work);
  }
  return Nothing{};
}

Status Executor::run(const Item& item) {
  for (uint32_t block = 0; block < blocks(item); ++block) BOHR_TRY_STATUS(run_block(item, block));
  return Nothing{};
}

}  // namespace bohr::gpu::sim

// SPDX-License-Identifier: Apache-2.0
// Any bytes as a case. What is read must be consistent, and a small program must be checked and
// judged without harm.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "check/check.h"
#include "check/judge.h"
#include "trace/case_reader.h"

namespace {

constexpr size_t kMaxBytesToRead = 1 << 16;
constexpr size_t kMaxOpsToCheck = 2000;

using bohr::Access;
using bohr::Graph;
using bohr::Op;
using bohr::Program;

void check_accesses(const Program& program, const std::vector<Access>& accesses, const Op& op) {
  BOHR_CHECK(size_t{op.access_begin} + op.access_count <= accesses.size());
  for (size_t i = op.access_begin; i < size_t{op.access_begin} + op.access_count; ++i) {
    const Access& access = accesses[i];
    const auto& lifetime = program.lifetimes[access.lifetime.index()];
    BOHR_CHECK(!access.range.empty());
    BOHR_CHECK(access.offset + access.range.size() <= lifetime.bytes);
    bool inside = false;
    for (const auto& piece : lifetime.pieces) inside |= piece.range.contains(access.range);
    BOHR_CHECK(inside);
  }
}

// Returns the number of ops and nodes.
size_t check_program(const Program& program) {
  size_t size = program.ops.size();
  for (const auto& lifetime : program.lifetimes) {
    uint64_t bytes = 0;
    for (const auto& piece : lifetime.pieces) {
      BOHR_CHECK(piece.offset == bytes);
      bytes += piece.range.size();
    }
    BOHR_CHECK(bytes == lifetime.bytes);
  }
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    check_accesses(program, program.accesses, op);
    BOHR_CHECK(!op.bound.valid() || op.bound.index() < i);
  }
  for (const Graph& graph : program.graphs) {
    size += graph.nodes.size() + graph.edges.size();
    for (const Op& node : graph.nodes) check_accesses(program, graph.accesses, node);
    for (const auto& edge : graph.edges) BOHR_CHECK(edge.from < edge.to);
  }
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxBytesToRead) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto program = bohr::trace::read_case(text, "fuzz");
  if (!program.ok()) {
    BOHR_CHECK(!program.error().code.empty());
    return 0;
  }
  if (check_program(program.value()) > kMaxOpsToCheck) return 0;
  const auto verdict = bohr::check::check(program.value(), {});
  if (verdict.ok()) bohr::check::judge(program.value(), verdict.value());
  return 0;
}

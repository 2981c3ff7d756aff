// SPDX-License-Identifier: Apache-2.0
#include "report_fixture.h"

namespace bohr::test {

namespace {

Stack python_stack(int32_t line, const char* function) {
  return {{{"cuLaunchKernel", "/usr/lib/libcuda.so.1", 0, false},
           {"at::native::add_kernel()", "/venv/lib/libtorch_cuda.so", 0, false},
           {"forward", "/venv/site-packages/torch/nn/modules/linear.py", 116, true},
           {function, "/srv/models/indexer.py", line, true},
           {"mqa", "/srv/models/deepseek_v4.py", 801, true}}};
}

Op node(NameId label, StreamId stream, StackId stack) {
  Op op;
  op.kind = OpKind::kernel;
  op.label = label;
  op.stream = stream;
  op.stack = stack;
  return op;
}

Lifetime block(const char* name, ByteRange range, StackId alloc, StackId free) {
  Lifetime lifetime;
  lifetime.name = name;
  lifetime.bytes = range.size();
  lifetime.pieces = {{range, 0}};
  lifetime.owner = StreamId(0);
  lifetime.pool = PoolId(0);
  lifetime.alloc_stack = alloc;
  lifetime.free_stack = free;
  return lifetime;
}

Program program() {
  Program program;
  program.source = "trace.bohr";
  program.device = "NVIDIA H200, CUDA 13.0";
  program.recorded = true;
  program.names = {"topk_transform", "void gemm::wq_b<float, (int)4>(float*, int)", "step"};
  program.streams = {{"main"}, {"idx"}};
  program.actors = {{"host", ActorKind::thread}};
  program.pools = {{"1"}};
  program.stacks = {python_stack(409, "forward_c4"), python_stack(815, "q_proj"),
                    python_stack(398, "alloc"), python_stack(412, "drop")};
  program.lifetimes = {
      block("logits", {0x10000, 0x20000}, StackId(2), StackId(3)),
      block("q", {0x18000, 0x28000}, StackId(1), StackId()),
  };
  Graph graph;
  graph.name = "bs=8";
  graph.nodes = {node(NameId(0), StreamId(1), StackId(0)),
                 node(NameId(1), StreamId(0), StackId(1))};
  program.graphs = {graph};
  Op launch;
  launch.kind = OpKind::launch;
  launch.graph = GraphId(0);
  launch.stream = StreamId(0);
  program.ops = {launch};
  return program;
}

Side side(const Program& program, int32_t node, LifetimeId lifetime, AccessMode mode) {
  const Op& op = program.graphs[0].nodes[static_cast<size_t>(node)];
  Side side;
  side.label = program.names[op.label.index()];
  side.where = program.streams[op.stream.index()].name;
  side.graph = GraphId(0);
  side.node = NodeId(node);
  side.launch = 1;
  side.mode = mode;
  side.source = AccessSource::params;
  side.block = program.lifetimes[lifetime.index()].name;
  side.lifetime = lifetime;
  side.stack = op.stack;
  return side;
}

Finding finding(const Program& program) {
  Finding finding;
  finding.hazard = Hazard::war;
  finding.kinds = 1 << static_cast<int>(Hazard::war);
  finding.cls = HazardClass::reuse;
  finding.first = side(program, 0, LifetimeId(0), AccessMode::read);
  finding.second = side(program, 1, LifetimeId(1), AccessMode::write);
  finding.range = {"q", 0, 0x8000};
  finding.names = {"q"};
  finding.order = {"main", "idx", "fork", "topk_transform", "join_idx"};
  finding.cause = 1;
  return finding;
}

void examine(Verdict* verdict) {
  for (Coverage& coverage : verdict->coverage) coverage.examined = 388;
}

}  // namespace

Sample reuse_sample() {
  Sample sample{program(), {}};
  Verdict& verdict = sample.verdict;
  examine(&verdict);
  verdict.outcome = bohr::Outcome::findings;
  verdict.findings = {finding(sample.program), finding(sample.program)};
  verdict.causes = {{.id = 1,
                     .site = "reuse-7c1e",
                     .cls = HazardClass::reuse,
                     .places = 1503,
                     .graphs = 12,
                     .freed = LifetimeId(0),
                     .findings = {0, 1}}};
  Coverage& data = verdict.coverage[static_cast<size_t>(HazardClass::data)];
  data.state = CoverageState::undecided;
  data.count = 4;
  data.reasons = {"unknown-direction"};
  verdict.assumptions = {"host-order-observed"};
  sample.program.diagnostics = {{"lost-records", "the log ends in the middle of a record", 1}};
  return sample;
}

Sample clean_sample() {
  Sample sample{program(), {}};
  examine(&sample.verdict);
  return sample;
}

Sample undecided_sample() {
  Sample sample{program(), {}};
  Verdict& verdict = sample.verdict;
  examine(&verdict);
  verdict.outcome = bohr::Outcome::incomplete;
  Finding one = finding(sample.program);
  one.cls = HazardClass::data;
  one.first.mode = one.second.mode = AccessMode::touch;
  one.second.lifetime = one.first.lifetime;
  one.second.block = one.range.name = "logits";
  one.reasons = {"unknown-direction"};
  one.suspicion = 0.25;
  Finding two = one;
  two.cause = 2;
  two.suspicion = 0.75;
  two.order = {};
  verdict.candidates = {one, two};
  verdict.candidate_causes = {{.id = 1,
                               .site = "data-0001",
                               .cls = HazardClass::data,
                               .places = 28,
                               .graphs = 1,
                               .findings = {0},
                               .candidate = true},
                              {.id = 2,
                               .site = "data-0002",
                               .cls = HazardClass::data,
                               .places = 1,
                               .graphs = 1,
                               .findings = {1},
                               .candidate = true}};
  Coverage& data = verdict.coverage[static_cast<size_t>(HazardClass::data)];
  data = {CoverageState::undecided, 2, 388, {"unknown-direction"}};
  Coverage& external = verdict.coverage[static_cast<size_t>(HazardClass::external)];
  external = {CoverageState::not_checked, 0, 0, {"foreign-writer"}};
  return sample;
}

}  // namespace bohr::test

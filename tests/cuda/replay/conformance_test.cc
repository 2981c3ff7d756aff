// SPDX-License-Identifier: Apache-2.0
// The CUDA replayer keeps the contract, in one process.
#include "conformance/replayer_suite.h"
#include "cuda/replay/fixture.h"
#include "forwarding_replayer.h"

namespace bohr::test {
namespace {

// The graph of kConformanceCase. A base is destroyed after the one behind it: the graph stays alive
// with its replayer.
struct Owned {
  GraphProgram graph{kConformanceCase};
  std::unique_ptr<replay::Replayer> replayer() {
    const auto at = [&](const char* buffer) { return graph.address(buffer); };
    graph.fill("in", 7);
    graph.add("hash_words", {at("in"), at("x"), 1024, 1}, 1024, {});
    graph.add("hash_words", {at("x"), at("y"), 1024, 2}, 1024, {0});
    graph.add("hash_words", {at("in"), at("x"), 1024, 3}, 1024, {0});
    graph.add("hash_words", {at("y"), at("z"), 1024, 4}, 1024, {1});
    return graph.replayer();
  }
};

class Owner : private Owned, public ForwardingReplayer {
 public:
  Owner() : ForwardingReplayer(Owned::replayer()) {}
};

std::unique_ptr<replay::Replayer> make() { return std::make_unique<Owner>(); }

INSTANTIATE_TEST_SUITE_P(Cuda, ReplayerSuite, testing::Values(Maker{"cuda", make}));

}  // namespace
}  // namespace bohr::test

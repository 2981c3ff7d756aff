# SPDX-License-Identifier: Apache-2.0
# pool_order.py race|clean: three graphs share one pool. The first leaves `t` for the second, which
# copies it out; then `t` is dropped, and the third one's `z` takes its block. Replays in capture
# order are right, replays with the third before the second are not.
# From parameters alone: the copy is an exact read of `t` through its baked address, and by then the
# bytes were last written through `z`, whose first access is a write. race: a finding of class pool.
# clean: clean under reuse, lifetime and pool.
import sys

import torch

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
torch.manual_seed(0)
x = torch.randn(N, device="cuda")
out = torch.zeros(N, device="cuda")
pool = torch.cuda.graph_pool_handle()
stream = torch.cuda.Stream()
torch.cuda.synchronize()


def capture(work):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool, stream=stream):
        result = work()
    return graph, result


first, t = capture(lambda: x * 2.0)
second, _ = capture(lambda: out.copy_(t))
del t
third, z = capture(lambda: x * -7.0)

with torch.cuda.stream(stream):
    for _ in range(2):
        for graph in (first, third, second) if race else (first, second, third):
            graph.replay()
torch.cuda.synchronize()

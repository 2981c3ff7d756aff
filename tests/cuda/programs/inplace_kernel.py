# SPDX-License-Identifier: Apache-2.0
# inplace_kernel.py candidate|clean: as inplace_copy.py, but the in-place write is a kernel.
# From parameters alone nobody can say that one of the two kernels writes `state`: its first access
# lies long before. candidate: no finding, a candidate of class data (unknown-direction). clean:
# clean under reuse, lifetime and pool.
import sys

import torch

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"candidate": True, "clean": False}[sys.argv[1]]
torch.manual_seed(0)
state = torch.randn(N, device="cuda")
out = torch.zeros(N, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        torch.neg(state, out=out)
    if not race:
        main.wait_stream(side)
    state.mul_(0.5)
    main.wait_stream(side)


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()

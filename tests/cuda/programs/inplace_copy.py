# SPDX-License-Identifier: Apache-2.0
# inplace_copy.py race|clean: a buffer is overwritten in place by a copy on the main stream while a
# side stream reads it; the join comes after.
# From parameters alone: the copy is an exact write of the whole block, unordered with the side
# kernel's use of it. race: a finding of class data. clean (the copy waits for the reader): clean
# under reuse, lifetime and pool.
import sys

import torch

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
torch.manual_seed(0)
state = torch.randn(N, device="cuda")
update = torch.randn(N, device="cuda")
out = torch.zeros(N, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        torch.neg(state, out=out)
    if not race:
        main.wait_stream(side)
    state.copy_(update)
    main.wait_stream(side)


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()

# SPDX-License-Identifier: Apache-2.0
# missing_record_stream_captured.py race|clean: in a capture a transient of the main stream is read
# on a side stream and dropped before the join, so that the next allocation takes its block.
# From parameters alone: the side stream's use of the old lifetime is unordered with the first
# access of the new one. race: a finding of class reuse. clean (the transient is held until the
# join): clean under reuse, lifetime and pool.
import sys

import torch

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
torch.manual_seed(0)
x = torch.randn(N, device="cuda")
k = torch.randn(N, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    q = x * 2.0
    side.wait_stream(main)
    with torch.cuda.stream(side):
        s = q + k
    held = None if race else q
    del q
    z = x * -7.0
    main.wait_stream(side)
    del held
    return s, z


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    outputs = step()
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()

# SPDX-License-Identifier: Apache-2.0
# compiled.py race|clean: torch.compile with CUDA-graph trees. The result of a step lies in memory of
# the graph, which the next step overwrites; a side stream copies it out, and the next step does not
# wait for it.
# From parameters alone: the copy is an exact read. race: a finding. clean: none.
import sys

import torch

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
torch.manual_seed(0)
x = torch.randn(N, device="cuda")
kept = torch.zeros(N, device="cuda")
side = torch.cuda.Stream()


@torch.compile(mode="reduce-overhead")
def layer(x):
    return torch.relu(x * 2.0 + 1.0)


with torch.no_grad():
    for step in range(6):  # eager, recorded, then replayed
        torch.compiler.cudagraph_mark_step_begin()
        main = torch.cuda.current_stream()
        y = layer(x)
        side.wait_stream(main)
        with torch.cuda.stream(side):
            kept.copy_(y)
        if not race:
            main.wait_stream(side)
        del y
torch.cuda.synchronize()

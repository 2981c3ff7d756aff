# SPDX-License-Identifier: Apache-2.0
# ranks.py race|clean, started by torchrun: each rank captures a step with a side stream, on a GPU of
# its own where there are enough; then the step ends with an all-reduce by NCCL, in the graph.
# race: the block that the side stream reads is dropped before main has joined it, and main's next
# tensor gets its bytes. clean: held.
# From parameters alone: race: a finding of class reuse in each rank, of one cause. clean: none.
import os
import sys

import torch
import torch.distributed as dist

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
rank, size = int(os.environ["LOCAL_RANK"]), int(os.environ["WORLD_SIZE"])
own_gpu = torch.cuda.device_count() >= size
torch.cuda.set_device(rank if own_gpu else 0)
if own_gpu:
    dist.init_process_group("nccl")
main, side = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.ones(N, device="cuda")
out = torch.zeros_like(x)
torch.cuda.synchronize()


def step():
    block = x * 2
    side.wait_stream(main)
    with torch.cuda.stream(side):
        out.copy_(block)
    held = None if race else block
    del block
    y = x * 3
    main.wait_stream(side)
    del held
    if own_gpu:
        dist.all_reduce(y)
    return y


with torch.cuda.stream(main):
    step()  # what is loaded and connected at its first use
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=main):
    y = step()
for _ in range(20):
    graph.replay()
torch.cuda.synchronize()
right = bool((out == 2).all()) and bool((y == 3 * (size if own_gpu else 1)).all())
print(f"rank {rank} {'right' if right else 'wrong'}", flush=True)
if own_gpu:
    dist.destroy_process_group()

# SPDX-License-Identifier: Apache-2.0
# triton_kernels.py race|clean: in a capture a Triton kernel writes a tensor that another one reads on
# a side stream, which is forked before the first instead of after it.
# From parameters alone: the first kernel is the first access of the tensor's lifetime, so it writes.
# race: a finding of class data. clean: clean.
import sys

import torch
import triton
import triton.language as tl

N = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
BLOCK = 1024


@triton.jit
def scale(source, target, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < n) * factor, mask=at < n)


def launch(source, target, factor):
    scale[(triton.cdiv(N, BLOCK),)](source, target, factor, N, BLOCK=BLOCK)


torch.manual_seed(0)
x = torch.randn(N, device="cuda")
out = torch.zeros(N, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    y = torch.empty_like(x)
    if race:
        side.wait_stream(main)
    launch(x, y, 2.0)
    if not race:
        side.wait_stream(main)
    with torch.cuda.stream(side):
        launch(y, out, 3.0)
    main.wait_stream(side)
    return y


launch(x, torch.empty_like(x), 2.0)  # compiled before the capture
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()

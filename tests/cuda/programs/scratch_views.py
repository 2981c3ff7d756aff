# SPDX-License-Identifier: Apache-2.0
# scratch_views.py race|candidate|clean: in a capture two streams use views of one scratch block
# that was never written before.
# race: both use its beginning. From parameters alone the side stream's first use is unordered with
# the first access of the lifetime, through the same address: a finding of class data.
# candidate: the views overlap by half, at different addresses into one block, which parameters do
# not decide: no finding, a candidate of class data. clean: two blocks, one for each stream; clean
# under reuse, lifetime and pool.
import sys

import torch

arm = sys.argv[1]
n = 10_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
torch.manual_seed(0)
x = torch.randn(n, device="cuda")
side = torch.cuda.Stream()
out = torch.zeros(n, device="cuda")
out_side = torch.zeros(n, device="cuda")
views = {
    "race": lambda: (lambda block: (block[:n], block[:n], block))(torch.empty(2 * n, device="cuda")),
    "candidate": lambda: (lambda block: (block[:n], block[n // 2 : n // 2 + n], block))(
        torch.empty(2 * n, device="cuda")
    ),
    "clean": lambda: (torch.empty(n, device="cuda"), torch.empty(n, device="cuda"), None),
}[arm]


def step(scratch, scratch_side):
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    torch.neg(x, out=scratch)
    torch.neg(scratch, out=out)
    with torch.cuda.stream(side):
        torch.abs(x, out=scratch_side)
        torch.abs(scratch_side, out=out_side)
    main.wait_stream(side)


scratch, scratch_side, block = views()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step(scratch, scratch_side)
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()

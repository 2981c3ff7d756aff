# SPDX-License-Identifier: Apache-2.0
# buckets.py race|clean: 20 batch sizes captured largest first into one pool, as servers do. In each
# a side stream still reads an activation when its last reference is dropped (race), so that the
# allocator hands its bytes out again and main writes them too early. Every other bucket keeps the
# activation in a buffer of its own, as a reader of another data type would. clean: it is held until
# the join.
# Launches each bucket 12 times, then 100 times more, and prints "right N of 2000".
import sys

import torch

BUCKETS, BEFORE, AFTER = 20, 12, 100
race = sys.argv[1] == "race"
torch.manual_seed(0)
w = torch.randn(256, 256, device="cuda")
side = torch.cuda.Stream()
ROW = 1 << 13
inputs = [torch.randn((i + 1) * ROW, device="cuda") for i in range(BUCKETS)]
keys = [torch.randn((i + 1) * ROW, device="cuda") for i in range(BUCKETS)]
buffers = [torch.empty_like(x) if i % 2 else None for i, x in enumerate(inputs)]


def step(i):
    main = torch.cuda.current_stream()
    q = torch.mul(inputs[i], 2.0, out=buffers[i])
    side.wait_stream(main)
    with torch.cuda.stream(side):
        s = q + keys[i]
    held = None if race else q
    del q
    y = w
    for _ in range(4):
        y = y @ w * 0.01
    z = inputs[i] * -7.0
    r = z.sum() + y.sum()
    main.wait_stream(side)
    del held
    return s, r


for i in range(BUCKETS):
    step(i)
torch.cuda.synchronize()
expected = [inputs[i] * 2.0 + keys[i] for i in range(BUCKETS)]
pool = torch.cuda.graph_pool_handle()
graphs, outputs = [None] * BUCKETS, [None] * BUCKETS
for i in reversed(range(BUCKETS)):
    graphs[i] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[i], pool=pool):
        outputs[i] = step(i)[0]
for _ in range(BEFORE):
    for graph in graphs:
        graph.replay()
torch.cuda.synchronize()
right = 0
for _ in range(AFTER):
    for i in range(BUCKETS):
        graphs[i].replay()
        torch.cuda.synchronize()
        right += torch.equal(outputs[i], expected[i])
print(f"right {right} of {BUCKETS * AFTER}", flush=True)

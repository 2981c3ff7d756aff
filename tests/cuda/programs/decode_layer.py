# SPDX-License-Identifier: Apache-2.0
# decode_layer.py race|clean: one attention layer of a decode step on two streams. The fused q/kv
# projection is split: keys and values go to the cache on a side stream, with their own norm and
# projections, while main goes on with the query. race: the fused block is dropped before main has
# joined the side stream, and main's next activation is handed its bytes. clean: it is held.
# The two branches take about as long, so that overlap gains.
# Prints "replay us median N" and "right N of 200".
import statistics
import sys

import torch

race = sys.argv[1] == "race"
torch.manual_seed(0)
BATCH, HIDDEN, RANK = 64, 2048, 1024
dtype = torch.bfloat16


def weight(rows, columns):
    return torch.randn(rows, columns, device="cuda", dtype=dtype) * columns**-0.5


hidden = torch.randn(BATCH, HIDDEN, device="cuda", dtype=dtype)
w_qkv, w_q = weight(2 * RANK, HIDDEN), weight(HIDDEN, RANK)
w_kv = [weight(RANK, RANK) for _ in range(20)]
w_up = [weight(HIDDEN, HIDDEN) for _ in range(16)]
w_out = weight(HIDDEN, HIDDEN)
cache = torch.zeros(BATCH, RANK, device="cuda", dtype=dtype)
side = torch.cuda.Stream()


def norm(x):
    return x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(dtype)


def step():
    main = torch.cuda.current_stream()
    fused = hidden @ w_qkv.T
    query = norm(fused[:, :RANK])
    side.wait_stream(main)
    with torch.cuda.stream(side):
        kv = norm(fused[:, RANK:])
        for w in w_kv:
            kv = norm(kv @ w.T)
        cache.copy_(kv)
    held = None if race else fused
    del fused
    q = query @ w_q.T
    for w in w_up:
        q = norm(q @ w.T)
    main.wait_stream(side)
    del held
    scores = torch.softmax((q[:, :RANK] * cache).float(), -1).to(dtype)
    return torch.cat([scores, cache], -1) @ w_out.T


for _ in range(3):
    step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = step()
graph.replay()
torch.cuda.synchronize()
expected = out.clone()
times, right = [], 0
for _ in range(200):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    times.append(begin.elapsed_time(end) * 1e3)
    right += torch.equal(out, expected)
print(f"replay us median {statistics.median(times):.1f}", flush=True)
print(f"right {right} of 200", flush=True)

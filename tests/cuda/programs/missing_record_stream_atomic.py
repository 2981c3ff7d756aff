# SPDX-License-Identifier: Apache-2.0
# missing_record_stream_atomic.py race|clean [REPLAYS]: as missing_record_stream_silent.py, but the
# tensor that is dropped too early comes from float atomics, so its bytes differ from run to run.
# Without pinning every order differs from every other; with it the racy arm differs in each replay
# of the wrong order and the clean one in none.
# Prints how many of the replays (2,000) left a value that no right run leaves.
import sys

import torch

arm = sys.argv[1]
replays = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
torch.manual_seed(0)
n = 1 << 14
x = torch.randn(64 * n, device="cuda")
index = torch.randint(0, n, (64 * n,), device="cuda")
k = torch.randn(n, device="cuda")
w = torch.randn(256, 256, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    q = torch.zeros(n, device="cuda").index_add_(0, index, x)
    side.wait_stream(main)
    with torch.cuda.stream(side):
        s = q + k
    if arm == "clean":
        q.record_stream(side)
    del q
    y = w
    for _ in range(6):
        y = y @ w * 0.01
    z = k * -7.0
    main.wait_stream(side)
    return s, z.sum() + y.sum()


for _ in range(3):
    step()
torch.cuda.synchronize()
right = torch.zeros(n, device="cuda").index_add_(0, index, x) + k
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    s, r = step()
bad = 0
for _ in range(replays):
    graph.replay()
    torch.cuda.synchronize()
    bad += not torch.allclose(s, right, rtol=1e-3, atol=1e-3)
print(f"{arm}: {bad} of {replays} replays left other values", flush=True)

# SPDX-License-Identifier: Apache-2.0
# replays_afterwards.py race|clean: the missing record_stream of missing_record_stream_silent.py,
# launched 20 times (the tenth may be explored) and then 2,000 times, each looked at and timed.
# Prints "right 2000 of 2000 afterwards, median N us".
import statistics
import sys
import time

import torch

BEFORE, AFTER = 20, 2000
race = sys.argv[1] == "race"
torch.manual_seed(0)
x = torch.randn(1 << 14, device="cuda")
k = torch.randn(1 << 14, device="cuda")
w = torch.randn(256, 256, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    q = x * 2.0
    side.wait_stream(main)
    with torch.cuda.stream(side):
        s = q + k
    if not race:
        q.record_stream(side)
    del q
    y = w
    for _ in range(6):
        y = y @ w * 0.01
    z = x * -7.0
    r = z.sum() + y.sum()
    main.wait_stream(side)
    return s, r


for _ in range(3):
    step()
torch.cuda.synchronize()
expected = x * 2.0 + k
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    s, r = step()
for _ in range(BEFORE):
    graph.replay()
    torch.cuda.synchronize()
right, times = 0, []
for _ in range(AFTER):
    begin = time.perf_counter()
    graph.replay()
    torch.cuda.synchronize()
    times.append((time.perf_counter() - begin) * 1e6)
    right += torch.equal(s, expected)
print(f"right {right} of {AFTER} afterwards, median {statistics.median(times):.1f} us")

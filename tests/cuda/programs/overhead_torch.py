# SPDX-License-Identifier: Apache-2.0
# overhead_torch.py: host cost of PyTorch's eager operations and captures, in one line of numbers. No
# race in it. See tools/gpu_bench.sh.
import time

import torch

x = torch.ones(32, device="cuda")
torch.cuda.synchronize()


def best_us(work, count=500, rounds=10):
    best = float("inf")
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            work()
        best = min(best, (time.perf_counter() - begin) / count * 1e6)
    return best


def capture_ms():
    graph = torch.cuda.CUDAGraph()
    begin = time.perf_counter()
    with torch.cuda.graph(graph):
        y = x
        for _ in range(1000):
            y = y + 1
    return (time.perf_counter() - begin) * 1e3


captures = min(capture_ms() for _ in range(4))
print(
    f"capture_1000_ms {captures:.1f} add_inplace_us {best_us(lambda: x.add_(1)):.2f} "
    f"add_us {best_us(lambda: x + 1):.2f} "
    f"empty_us {best_us(lambda: torch.empty(32, device='cuda')):.2f}"
)

#!/usr/bin/env python3
"""Records how PyTorch's caching allocator answers random calls, on a machine with a GPU: the
golden files of tests/unit/sim_allocator_pytorch_test.cc, whose head describes the lines.

The calls come from SEED. Outside captures the device is idle before each call, save for a stream
that is held by a long kernel, so it is known which events the allocator finds done.
Usage: record_allocator.py SEED CALLS LIMIT_MIB > tests/golden/allocator_NAME.txt
"""

import random
import sys

import torch

MIB = 1 << 20
STREAMS = 3
HOLD_CYCLES = 400_000_000
BASE = 0x7E0000000000  # taken off addresses


class Recorder:
    def __init__(self, seed, limit):
        self.random = random.Random(seed)
        self.streams = [torch.cuda.Stream() for _ in range(STREAMS)]
        self.numbers = {stream.cuda_stream: i for i, stream in enumerate(self.streams)}
        self.live, self.made = {}, 0  # tensors by number
        self.pools = {}  # handle by number
        self.graphs = []  # (graph, pool number)
        self.capture = None  # (graph, pool number, main stream, side streams)
        self.held = False
        self.entries = 0  # of the history, printed so far
        self.warm_up()
        # The limit counts what the allocator has reserved, this program's own segments included.
        total = torch.cuda.get_device_properties(0).total_memory
        reserved = torch.cuda.memory_reserved()
        fraction = (reserved + limit + 1000) / total
        torch.cuda.set_per_process_memory_fraction(fraction)
        print(f"> limit {int(fraction * total) - reserved}")

    def warm_up(self):
        """What captures themselves allocate stays on a stream of its own, out of the way."""
        with torch.cuda.stream(torch.cuda.Stream()):
            self.work = torch.zeros(1, device="cuda")
            self.first = torch.cuda.CUDAGraph()
            self.first.capture_begin(capture_error_mode="relaxed")
            self.work.add_(1)
            self.first.capture_end()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        torch.cuda.memory._record_memory_history("all", context=None, max_entries=10_000_000)

    def print_history(self, refused):
        trace = torch.cuda.memory._snapshot()["device_traces"][0]
        for entry in trace[self.entries :]:
            if entry["action"] not in ("snapshot", "oom"):
                stream = self.numbers[entry["stream"]]
                print(f"= {entry['action']} {entry['addr'] - BASE:x} {entry['size']} {stream}")
        self.entries = len(trace)
        if refused:
            print("= oom")

    def step(self):
        if self.capture is None and not self.held:
            torch.cuda.synchronize()
        refused = False
        kind = self.random.random()
        if kind < 0.40 or len(self.live) < 4:
            refused = self.alloc()
        elif kind < 0.74 or len(self.live) > 60:
            block = self.random.choice(sorted(self.live))
            print(f"> free {block}")
            del self.live[block]
        elif kind < 0.88:
            block, stream = self.random.choice(sorted(self.live)), self.any_stream()
            print(f"> use {block} {stream}")
            self.live[block].record_stream(self.streams[stream])
        elif kind < 0.91:
            self.hold_or_release()
        elif kind < 0.955:
            self.release()
            self.begin() if self.capture is None else self.end()
        elif self.capture is None:
            self.drop_or_empty(kind < 0.975)
        self.print_history(refused)

    def any_stream(self):
        return self.random.randrange(STREAMS)

    def any_size(self):
        kind = self.random.random()
        if kind < 0.35:
            return self.random.randint(1, 4096)
        if kind < 0.65:
            return self.random.randint(1, MIB)
        if kind < 0.90:
            return self.random.randint(MIB, 12 * MIB)
        return self.random.randint(10 * MIB, 40 * MIB)

    def alloc(self):
        size, stream, block = self.any_size(), self.any_stream(), self.made
        self.made += 1
        print(f"> alloc {block} {size} {stream}")
        try:
            with torch.cuda.stream(self.streams[stream]):
                self.live[block] = torch.empty(size, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError:
            return True
        return False

    def hold_or_release(self):
        if self.capture is None and not self.held:
            stream = self.any_stream()
            print(f"> hold {stream}")
            with torch.cuda.stream(self.streams[stream]):
                torch.cuda._sleep(HOLD_CYCLES)
            self.held = True
        else:
            self.release()

    def release(self):
        if self.held:
            print("> release")
            torch.cuda.synchronize()
            self.held = False

    def begin(self):
        main = self.any_stream()
        side = [(main + 1) % STREAMS] if self.random.random() < 0.7 else []
        pool = len(self.pools)
        in_use = sorted({number for _, number in self.graphs})
        if in_use and self.random.random() < 0.6:
            pool = self.random.choice(in_use)
        else:
            self.pools[pool] = torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.cuda.stream(self.streams[main]):
            graph.capture_begin(pool=self.pools[pool], capture_error_mode="relaxed")
            self.work.add_(1)
        for stream in side:
            self.streams[stream].wait_stream(self.streams[main])
        self.capture = (graph, pool, main, side)
        print(f"> capture {pool} {' '.join(map(str, [main] + side))}")

    def end(self):
        graph, pool, main, side = self.capture
        for stream in side:
            self.streams[main].wait_stream(self.streams[stream])
        with torch.cuda.stream(self.streams[main]):
            self.work.add_(1)
            graph.capture_end()
        self.graphs.append((graph, pool))
        self.capture = None
        print(f"> end {pool}")

    def drop_or_empty(self, drop):
        if drop and self.graphs:
            graph, pool = self.graphs.pop(self.random.randrange(len(self.graphs)))
            print(f"> drop {pool}")
            graph.reset()
        elif not drop and self.random.random() < 0.5:
            print("> empty")
            torch.cuda.empty_cache()


def main(arguments):
    seed, calls, limit = map(int, arguments)
    recorder = Recorder(seed, limit * MIB)
    for _ in range(calls):
        recorder.step()
    if recorder.capture is not None:
        recorder.end()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main(sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
# server.py PORT race|clean [WORKERS]: a small inference server that never ends by itself. A front
# takes requests over HTTP; workers, processes of their own that share one GPU, batch them and
# decode: for each batch size a graph, captured largest first into one pool, with a side stream, and
# a scheduler's stream that brings the prompts. race: in batches of 8 and 2 the fused block is
# dropped before main has joined the side stream, and main's next tensor gets its bytes. clean: held.
#
#   POST /decode {"seed": N}   {"answer": [...]}; reference_answer() says what is right
#   GET /ready                 200 once every worker has captured
#
# Each worker says when its graphs were captured. SIGTERM: what is under way is answered, then all
# processes end, with status 0. Workers whose front was killed end as well.
import json
import multiprocessing
import queue
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WIDTH, STEPS = 4096, 16
BUCKETS = [8, 4, 2, 1]
RACY = [8, 2]
MASK = (1 << 20) - 1
PORTIONS = 8  # sums that make an answer


def prompt(seed):
    import torch

    return (torch.arange(WIDTH, dtype=torch.int32) * 2654435 + seed * 40503) & MASK


def summed(rows):
    return (rows.reshape(-1, PORTIONS, WIDTH // PORTIONS) & 1023).sum(-1).tolist()


def reference_answer(seed):
    """What a request has to be answered with, computed on the CPU one step after the other."""
    x = prompt(seed)
    for _ in range(STEPS):
        kv, q = x * 5 + 1, x * 3 + 7
        for _ in range(4):
            kv = (kv * 7 + 3) & MASK
        for _ in range(8):
            q = (q * 3 + 1) & MASK
        x = (q * 2 + kv) & MASK
    return summed(x)[0]


class Decoder:
    """The captured steps of one worker."""

    def __init__(self, racy):
        import torch

        self.torch, self.racy = torch, racy
        self.main, self.side, self.scheduler = (torch.cuda.Stream() for _ in range(3))
        self.x = torch.zeros(BUCKETS[0], WIDTH, dtype=torch.int32, device="cuda")
        self.cache = torch.zeros_like(self.x)
        self.staged = torch.zeros(BUCKETS[0], WIDTH, dtype=torch.int32).pin_memory()
        self.graphs = {}
        torch.cuda.synchronize()  # what was zeroed on the default stream
        with torch.cuda.stream(self.main):
            for size in BUCKETS:
                self.step(size)
        torch.cuda.synchronize()
        pool = None
        for size in BUCKETS:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool, stream=self.main):
                self.step(size)
            pool = graph.pool()
            self.graphs[size] = graph

    def step(self, size):
        torch, main, side = self.torch, self.main, self.side
        x = self.x[:size]
        fused = torch.stack([x * 5 + 1, x * 3 + 7])
        side.wait_stream(main)
        with torch.cuda.stream(side):
            kv = (fused[0] * 7).add_(3).bitwise_and_(MASK)
            for _ in range(3):
                kv.mul_(7).add_(3).bitwise_and_(MASK)
            self.cache[:size].copy_(kv)
        q = fused[1].clone()
        held = None if self.racy and size in RACY else fused
        del fused
        for _ in range(8):
            q.mul_(3).add_(1).bitwise_and_(MASK)
        doubled = torch.stack([q * 2, q])
        main.wait_stream(side)
        del held
        x.copy_(doubled[0].add_(self.cache[:size]).bitwise_and_(MASK))

    def decode(self, seeds):
        torch = self.torch
        size = min(bucket for bucket in BUCKETS if bucket >= len(seeds))
        for row, seed in enumerate(seeds):
            self.staged[row] = prompt(seed)
        self.scheduler.wait_stream(self.main)
        with torch.cuda.stream(self.scheduler):
            self.x[:size].copy_(self.staged[:size], non_blocking=True)
        self.main.wait_stream(self.scheduler)
        with torch.cuda.stream(self.main):
            for _ in range(STEPS):
                self.graphs[size].replay()
            rows = self.x[: len(seeds)].cpu()
        return summed(rows)


def worker(rank, racy, requests, answers):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the front says when
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import torch

    torch.cuda.set_device(0)
    decoder = Decoder(racy)
    print(f"captured {time.time():.3f}", flush=True)
    answers.put((None, rank))
    front = multiprocessing.parent_process()
    while front.is_alive():
        try:
            batch = [requests.get(timeout=1)]
        except queue.Empty:
            continue
        while len(batch) < BUCKETS[0] and batch[-1] is not None:
            try:
                batch.append(requests.get(timeout=0.002))
            except queue.Empty:
                break
        last = batch[-1] is None
        if last:
            batch.pop()
        if batch:
            seeds = [seed for _, seed in batch]
            for (number, _), answer in zip(batch, decoder.decode(seeds)):
                answers.put((number, answer))
        if last:
            return


class Front:
    def __init__(self, workers, racy):
        context = multiprocessing.get_context("spawn")
        self.requests, self.answers = context.Queue(), context.Queue()
        self.ready, self.waiting, self.number = set(), {}, 0
        self.lock = threading.Lock()
        self.workers = [
            context.Process(target=worker, args=(rank, racy, self.requests, self.answers))
            for rank in range(workers)
        ]
        for process in self.workers:
            process.start()
        threading.Thread(target=self.collect, daemon=True).start()

    def collect(self):
        while True:
            number, answer = self.answers.get()
            if number is None:
                self.ready.add(answer)
                continue
            with self.lock:
                waiting = self.waiting.pop(number)
            waiting.put(answer)

    def is_ready(self):
        return len(self.ready) == len(self.workers)

    def ask(self, seed):
        waiting = queue.Queue()
        with self.lock:
            self.number += 1
            number = self.number
            self.waiting[number] = waiting
        self.requests.put((number, seed))
        return waiting.get(timeout=60)

    def end(self):
        for _ in self.workers:
            self.requests.put(None)
        for process in self.workers:
            process.join()


def handler_of(front):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5  # of a connection that asks nothing

        def log_message(self, *_):
            pass

        def reply(self, status, content):
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.reply(200 if front.is_ready() else 503, {"workers": len(front.ready)})

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.reply(200, {"answer": front.ask(int(request["seed"]))})

    return Handler


def main():
    port, arm = int(sys.argv[1]), sys.argv[2]
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    front = Front(workers, arm == "race")
    server = ThreadingHTTPServer(("127.0.0.1", port), handler_of(front))
    server.daemon_threads = False  # what is under way is answered
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"front pid {multiprocessing.current_process().pid}", flush=True)
    stop.wait()
    server.shutdown()
    server.server_close()
    front.end()
    print("ended well", flush=True)


if __name__ == "__main__":
    main()

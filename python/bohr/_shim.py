# SPDX-License-Identifier: Apache-2.0
"""Adds what PyTorch's caching allocator does to the recording of the process.

Two sources, because neither has all: live callbacks tell *when* a block was handed out or taken
back, in the agent's sequence numbers; the allocator's own history tells size, stream, pool and
stacks. The history is a ring, so it is drained after each capture, at exit, and before it can be
full; if it ever overflows, the recording says so instead of guessing.

Every entry from outside is guarded: an error becomes a diagnostic and the program goes on.
"""

import ctypes
import os
import sys

_RING = 100_000  # entries of the allocator's history
_DRAIN_AT = 40_000  # callbacks, each of which may make two entries

_ACTIONS = {
    "alloc": 0,
    "free_requested": 1,
    "free_completed": 2,
    "segment_alloc": 3,
    "segment_free": 4,
    "segment_map": 5,
    "segment_unmap": 6,
}
_OTHER = 7


class _Agent:
    """The agent's functions. The library that the driver injects is this very file, so opening it
    here gives the same state; it stays silent until cuInit has armed it."""

    def __init__(self, path):
        # PyDLL: calls keep the GIL, which the agent needs to read this thread's frames.
        library = ctypes.PyDLL(path)
        u32, u64, text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p

        def function(name, result, *arguments):
            found = getattr(library, name)
            found.restype, found.argtypes = result, arguments
            return found

        self.hello = function("bohr_hello", ctypes.c_int)
        self.block = function("bohr_block", None, ctypes.c_int, u64)
        self.framework = function("bohr_framework", None, text, text, text, text)
        self._diagnostic = function("bohr_diagnostic", None, text, text, ctypes.c_int)
        self.frame = function("bohr_frame", None, text, text, u32)
        self.stack = function("bohr_stack", u32)
        self.history = function("bohr_history", None, u64, u32, u32, u64, u64, u64, u64, u64, u32)
        self.segment = function("bohr_segment", None, u32, u64, u64, u64, u64, u64)
        self.close = function("bohr_close", None)

    def diagnostic(self, reason, text, loses_order=False):
        self._diagnostic(_bytes(reason), _bytes(text), int(loses_order))


def _bytes(text):
    return str(text).encode("utf-8", "replace")


class _Recorder:
    """Recording of one process's PyTorch. Made when torch is imported, works from CUDA's start."""

    def __init__(self, torch, agent):
        self.torch = torch
        self.agent = agent
        self.stacks = os.environ.get("BOHR_STACKS") != "0"
        self.callbacks = 0
        self.index = 0
        self.last_entry = {}  # device -> (entries consumed since the ring was last cleared)
        self.stack_numbers = {}
        self.segments = set()
        self.draining = False
        self.started = False

    def guarded(self, work, *arguments):
        try:
            return work(*arguments)
        except Exception as error:
            try:
                self.agent.diagnostic("allocator-order-unknown", f"shim: {error!r}")
            except Exception:
                pass
            return None

    # --- start

    def start(self):
        """At the first CUDA use, once PyTorch has initialised its allocator."""
        if self.started or not self.agent.hello():
            return
        self.started = True
        self.describe()
        if self.torch.cuda.memory.get_allocator_backend() != "native":
            return
        self.torch.cuda.memory._record_memory_history(
            "all",
            context="all" if self.stacks else None,
            stacks="python",
            max_entries=_RING,
        )
        trace = _module("torch.cuda._gpu_trace")
        self.torch._C._activate_gpu_trace()
        trace.register_callback_for_memory_allocation(self.allocated)
        trace.register_callback_for_memory_deallocation(self.freed)
        self.wrap_capture_end()

    def describe(self):
        backend = self.torch.cuda.memory.get_allocator_backend()
        settings = ""
        for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"):
            settings = settings or os.environ.get(name, "")
        if os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING"):
            settings += ",no_caching"
        version = self.torch.__version__
        self.agent.framework(b"torch", _bytes(version), _bytes(backend), _bytes(settings))
        if backend != "native":
            self.agent.diagnostic("allocator-unknown", f"PyTorch allocates with {backend}")

    def wrap_capture_end(self):
        graph = self.torch.cuda.CUDAGraph
        original = graph.capture_end

        def capture_end(this, *arguments, **named):
            try:
                return original(this, *arguments, **named)
            finally:
                self.guarded(self.drain)

        capture_end.__doc__ = original.__doc__
        graph.capture_end = capture_end

    # --- live callbacks

    def allocated(self, address, *_):
        self.guarded(self.block, 0, address)

    def freed(self, address, *_):
        self.guarded(self.block, 1, address)

    def block(self, freed, address):
        self.agent.block(freed, address)
        self.callbacks += 1
        if self.callbacks >= _DRAIN_AT:
            self.drain()

    # --- the history

    def drain(self):
        if not self.started or self.draining:
            return
        self.draining = True
        try:
            self.callbacks = 0
            snapshot = self.torch.cuda.memory._snapshot()
            for device, entries in enumerate(snapshot.get("device_traces", ())):
                self.add_entries(device, entries)
            for segment in snapshot.get("segments", ()):
                self.add_segment(segment)
        finally:
            self.draining = False

    def add_entries(self, device, entries):
        """Only what came since the last drain. A ring that is full no longer starts where it did,
        so its place is found by the time of the last entry that was seen."""
        seen = self.last_entry.get(device)
        new = entries
        if seen is not None:
            count, time = seen
            if count <= len(entries) and count > 0 and entries[count - 1]["time_us"] == time:
                new = entries[count:]
            else:
                new = [entry for entry in entries if entry["time_us"] > time]
                if len(new) == len(entries):
                    self.agent.diagnostic(
                        "allocator-order-unknown", "the allocator's history overflowed"
                    )
        elif len(entries) >= _RING:
            self.agent.diagnostic("allocator-order-unknown", "the allocator's history overflowed")
        for entry in new:
            self.add_entry(device, entry)
        if entries:
            self.last_entry[device] = (len(entries), entries[-1]["time_us"])

    def add_entry(self, device, entry):
        pool = entry.get("segment_pool_id") or entry.get("pool_id") or (0, 0)
        self.agent.history(
            self.index,
            device,
            _ACTIONS.get(entry["action"], _OTHER),
            entry.get("addr", 0),
            entry.get("size", 0),
            entry.get("stream", 0),
            pool[0],
            pool[1],
            self.stack(entry.get("frames")),
        )
        self.index += 1

    def add_segment(self, segment):
        pool = tuple(segment.get("segment_pool_id") or (0, 0))
        row = (
            segment["device"],
            segment["address"],
            segment["total_size"],
            segment["stream"],
            pool[0],
            pool[1],
        )
        if row not in self.segments:
            self.segments.add(row)
            self.agent.segment(*row)

    def stack(self, frames):
        if not frames:
            return 0
        key = tuple((f["name"], f["filename"], f["line"]) for f in frames)
        number = self.stack_numbers.get(key)
        if number is None:
            for name, file, line in key:
                self.agent.frame(_bytes(name), _bytes(file), max(int(line), 0))
            number = self.stack_numbers[key] = self.agent.stack()
        return number


def _module(name):
    import importlib

    return importlib.import_module(name)


# --- hooks


def _drain_before_hard_exit(recorder):
    """os._exit runs no exit handlers, and multiprocessing's children end with it."""
    original = os._exit

    def _exit(status):
        recorder.guarded(recorder.drain)
        try:
            recorder.agent.close()
        except Exception:
            pass
        original(status)

    os._exit = _exit


def _torch_imported(torch):
    if not torch.cuda._is_compiled():
        return
    recorder = _Recorder(torch, _Agent(os.environ["BOHR_AGENT"]))
    torch.cuda._lazy_call(lambda: recorder.guarded(recorder.start))
    import atexit

    atexit.register(recorder.guarded, recorder.drain)
    _drain_before_hard_exit(recorder)


class _AfterImport:
    """A finder that finds nothing itself: it lets the named module's own loader run and then calls
    `then` with the module, once."""

    def __init__(self, name, then):
        self.name, self.then, self.busy = name, then, False

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.busy:
            return None
        import importlib.util

        self.busy = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy = False
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
            try:
                self.then(module)
            except Exception:
                pass  # the recording then has no allocator events, which the check reports

        spec.loader.exec_module = exec_module
        return spec


def start():
    sys.meta_path.insert(0, _AfterImport("torch", _torch_imported))

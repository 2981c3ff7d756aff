# SPDX-License-Identifier: Apache-2.0
"""Adds what PyTorch's caching allocator does to the recording of the process.

Two sources, because neither has all: live callbacks tell *when* a block was handed out or taken
back, in the agent's sequence numbers; the allocator's own history tells size, stream, pool and
stacks. The history is a ring, so it is drained after each capture, at exit, and before it can be
full; if it ever overflows, the recording says so instead of guessing.

Every entry from outside is guarded: an error becomes a diagnostic and the program goes on.
"""

import array
import ctypes
import os
import sys

_RING = 1 << 15  # entries of the allocator's history; the agent asks for it before it can be full

_ACTIONS = {
    "alloc": 0,
    "free_requested": 1,
    "free_completed": 2,
    "segment_alloc": 3,
    "segment_free": 4,
    "segment_map": 5,
    "segment_unmap": 6,
    "oom": 7,
}
_REASON = "allocator-order-unknown"
# Packages without a library of their own, which the agent cannot know by name (docs/provenance.md).
_PACKAGES = ("transformers", "sglang", "jax", "diffusers", "accelerate", "deepspeed", "megatron")


def _bytes(text):
    return str(text).encode("utf-8", "replace")


class _Agent:
    """The agent's functions. The library that the driver injects is this very file, so opening it
    here gives the same state; it stays silent until cuInit has armed it."""

    def __init__(self, path):
        # PyDLL: calls keep the GIL, which the agent needs to call back.
        library = ctypes.PyDLL(path)
        u32, u64, text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p
        self.Drain = ctypes.PYFUNCTYPE(None)

        def function(name, result, *arguments):
            found = getattr(library, name)
            found.restype, found.argtypes = result, arguments
            return found

        self.hello = function("bohr_hello", ctypes.c_int, text)
        self.on_drain = function("bohr_on_drain", None, self.Drain)
        self.allocated = function("bohr_allocated", None, u64)
        self.freed = function("bohr_freed", None, u64)
        self.framework = function("bohr_framework", None, text, text, text, text)
        self._package = function("bohr_package", None, text, text)
        self._diagnostic = function("bohr_diagnostic", None, text, text, ctypes.c_int)
        self._history = function("bohr_history", None, ctypes.c_void_p, u64)
        self.segment = function("bohr_segment", None, u32, u64, u64, u64, u64, u64)
        self.close = function("bohr_close", None)

    def package(self, name, version):
        self._package(_bytes(name), _bytes(version))

    def diagnostic(self, reason, text, loses_order=False):
        self._diagnostic(_bytes(reason), _bytes(text), int(loses_order))

    def history(self, numbers):
        """Eight numbers an entry."""
        address, length = numbers.buffer_info()
        self._history(address, length // 8)


class _Recorder:
    """Recording of one process's PyTorch. Made when torch is imported, works from CUDA's start."""

    def __init__(self, torch, agent):
        self.torch = torch
        self.agent = agent
        self.index = 0
        self.packages = set()  # that were told
        self.newest = {}  # device -> what identifies the last entry that was read
        self.segments = set()
        self.busy = False
        self.started = False

    def guarded(self, work):
        try:
            work()
        except Exception as error:
            try:
                self.agent.diagnostic(_REASON, f"shim: {error!r}")
            except Exception:
                pass

    # --- start

    def start(self):
        """At the first CUDA use, once PyTorch has initialised its allocator."""
        if self.started or not self.agent.hello(_bytes(__file__)):
            return
        memory = self.torch.cuda.memory
        backend = memory.get_allocator_backend()
        self.describe(backend)
        self.name_packages()
        if backend == "cudaMallocAsync":
            return  # its blocks are the driver's own, whose calls the agent sees
        if backend != "native":
            self.agent.diagnostic("allocator-unknown", f"PyTorch allocates with {backend}")
            return
        self.started = True
        # No stacks: the live callbacks have them, and reading them here would cost much more.
        memory._record_memory_history("all", context=None, stacks="python", max_entries=_RING)
        self.drain_callback = self.agent.Drain(lambda: self.guarded(self.drain))
        self.agent.on_drain(self.drain_callback)
        import importlib

        trace = importlib.import_module("torch.cuda._gpu_trace")
        self.torch._C._activate_gpu_trace()
        # Called with the address; later versions of PyTorch may pass more.
        if self.version() < (2, 15):
            trace.register_callback_for_memory_allocation(self.agent.allocated)
            trace.register_callback_for_memory_deallocation(self.agent.freed)
        else:
            trace.register_callback_for_memory_allocation(lambda p, *_: self.agent.allocated(p))
            trace.register_callback_for_memory_deallocation(lambda p, *_: self.agent.freed(p))

    def version(self):
        return tuple(int(part) for part in self.torch.__version__.split(".")[:2])

    def describe(self, backend):
        settings = os.environ.get("PYTORCH_ALLOC_CONF") or os.environ.get(
            "PYTORCH_CUDA_ALLOC_CONF", ""
        )
        if os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING"):
            settings += ",no_caching"
            self.agent.diagnostic("allocator-unknown", "PyTorch's allocator caches nothing")
        version = self.torch.__version__
        self.agent.framework(b"torch", _bytes(version), _bytes(backend), _bytes(settings))

    def name_packages(self):
        import importlib.metadata

        for name in _PACKAGES:
            if name in sys.modules and name not in self.packages:
                self.packages.add(name)
                try:
                    self.agent.package(name, importlib.metadata.version(name))
                except Exception:
                    pass  # from a source tree, for instance: it has no version

    # --- the history

    def drain(self):
        if not self.started or self.busy:
            return
        self.busy = True
        try:
            snapshot = self.torch.cuda.memory._snapshot()
            for device, entries in enumerate(snapshot.get("device_traces", ())):
                self.add_entries(device, entries)
            for segment in snapshot.get("segments", ()):
                self.add_segment(segment)
        finally:
            self.busy = False

    def add_entries(self, device, entries):
        numbers = array.array("Q")
        for entry in entries[self.first_new(device, entries) :]:
            action = _ACTIONS.get(entry["action"])
            if action is None:
                continue  # "snapshot" and the like
            pool = entry.get("segment_pool_id") or entry.get("pool_id") or (0, 0)
            numbers.extend(
                (
                    self.index,
                    device,
                    action,
                    entry.get("addr", 0),
                    entry["size"],
                    entry["stream"],
                    pool[0],
                    pool[1],
                )
            )
            self.index += 1
        if entries:
            self.newest[device] = _identity(entries[-1])
        self.agent.history(numbers)

    def first_new(self, device, entries):
        """Where the entries begin that were not read before. The ring drops its oldest, so the last
        one that was read is looked for from the end; without it, some were lost. Times say nothing
        about their order, for clocks are set back."""
        newest = self.newest.get(device)
        for at in range(len(entries) - 1, -1, -1):
            if _identity(entries[at]) == newest:
                return at + 1
        if newest or len(entries) >= _RING:
            self.agent.diagnostic(_REASON, "the allocator's history overflowed")
        return 0

    def add_segment(self, segment):
        pool = segment.get("segment_pool_id") or (0, 0)
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


def _identity(entry):
    return (entry["time_us"], entry["action"], entry.get("addr"), entry["size"])


# --- hooks


def _drain_before_hard_exit(recorder):
    """os._exit runs no exit handlers, and multiprocessing's children end with it."""
    original = os._exit

    def _exit(status):
        recorder.guarded(recorder.drain)
        recorder.guarded(recorder.agent.close)
        original(status)

    os._exit = _exit


def _torch_imported(torch):
    if not torch.cuda._is_compiled():
        return
    recorder = _Recorder(torch, _Agent(os.environ["BOHR_AGENT"]))
    torch.cuda._lazy_call(lambda: recorder.guarded(recorder.start))
    import atexit

    atexit.register(lambda: recorder.guarded(recorder.drain))
    atexit.register(lambda: recorder.guarded(recorder.name_packages))
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

# SPDX-License-Identifier: Apache-2.0
"""What a comparison needs of PyTorch and the GPU: tensors, memory apart, and the free blocks of the
caching allocator, which are written through the driver by address, for no tensor is there any more.

What a comparison allocates itself comes from a pool of its own. Otherwise a clone would be handed
the very block that a graph still reads, and the defect would look like another one.
"""

import contextlib
import ctypes
import dataclasses
import os

import torch

from . import torch_values
from .allocator_history import History, touches
from .free_memory import Block, Unavailable
from .structure import leaves

_LEFT = 1 << 30  # bytes of the GPU that saved blocks leave to others
_CHUNK = 64 << 20


class TorchBackend:
    complaint = staticmethod(torch_values.complaint)
    layout = staticmethod(torch_values.layout)
    clone = staticmethod(torch_values.clone)
    copy = staticmethod(torch_values.copy)
    snapshot = staticmethod(torch_values.snapshot)
    OutOfMemory = torch.cuda.OutOfMemoryError

    def __init__(self, graph=None):
        if not torch.cuda.is_available():
            raise RuntimeError("bohr.compare needs a CUDA device, and PyTorch finds none")
        torch.cuda.init()
        if torch.cuda.is_current_stream_capturing():
            raise ValueError("the current stream captures: compare after the capture")
        self._device = torch.cuda.current_device()
        self._driver = _Driver()
        self._pool = _own_pool() if _native() else None
        self._depth = 0
        self._own_graph_pool = _pool_of(graph) if self.is_graph(graph) else None
        self._history = None

    def is_tensor(self, value):
        return isinstance(value, torch.Tensor)

    def is_graph(self, value):
        return isinstance(value, torch.cuda.CUDAGraph)

    def same(self, a, b, rtol, atol):
        with self.apart():
            return torch_values.same(a, b, rtol, atol)

    def difference(self, eager, graph):
        with self.apart():
            return torch_values.difference(eager, graph)

    def synchronize(self):
        torch.cuda.synchronize(self._device)

    @contextlib.contextmanager
    def apart(self):
        """What this thread allocates meanwhile comes from the pool of the comparison."""
        if self._pool is None or self._depth:
            yield
            return
        self._depth += 1
        try:
            with torch.cuda.use_mem_pool(self._pool):
                yield
        finally:
            self._depth -= 1

    def allocations(self):
        """Changes whenever the allocator hands out a block or takes one back."""
        counts = torch.cuda.memory_stats(self._device)
        return counts.get("allocation.all.allocated"), counts.get("allocation.all.freed")

    # --- free memory

    def free_blocks(self):
        if not _native():
            raise Unavailable(
                "PyTorch does not allocate with its native caching allocator, whose free blocks "
                "alone are known"
            )
        if self._pool is None:
            raise Unavailable(
                "this PyTorch, with its settings, cannot keep the memory of a comparison apart "
                "(torch.cuda.MemPool)"
            )
        return self._blocks("inactive")

    def handed_out_again(self, static_outputs):
        """Blocks in use where something was given back since the capture."""
        history = self._read_history()
        own = self._pool_name(self._own_graph_pool) if self._own_graph_pool else None
        pools = [
            (block.address, block.end)
            for block in self._blocks(None)
            if block.private and own in (None, block.pool)
        ]
        outputs = [leaf for _, leaf in leaves(static_outputs) if self.is_tensor(leaf)]
        captured = history.captured_at(pools, [tensor.data_ptr() for tensor in outputs])
        if captured is None:
            raise Unavailable(
                "memory history does not tell when that was. Call "
                "torch.cuda.memory._record_memory_history() before the capture, or use `bohr run`."
            )
        gone = history.given_back_since(captured)
        return [
            dataclasses.replace(block, again=True)
            for block in self._blocks("active_allocated")
            if touches(gone, block.address, block.end)
        ]

    def _blocks(self, state):
        """All blocks of the device in that state, or in any, but those of the comparison itself."""
        found = []
        for segment in _segments():
            pool = tuple(segment.get("segment_pool_id", (0, 0)))
            if segment["device"] != self._device or pool == tuple(self._pool.id):
                continue
            address = segment["address"]
            for block in segment["blocks"]:
                address = block.get("address", address)
                if state in (None, block["state"]):
                    name = self._pool_name(pool)
                    private = pool != (0, 0)
                    found.append(Block(address, block["size"], self._device, name, private))
                address += block["size"]
        return found

    def _pool_name(self, pool):
        if pool == (0, 0):
            return "default"
        whose = "the graph's own" if pool == self._own_graph_pool else "private"
        return f"{whose} ({pool[0]}, {pool[1]})"

    def save(self, block):
        """A copy beside it where the GPU has room, else in host memory, else None. Room is asked
        for, not tried: the program needs some, too."""
        if torch.cuda.mem_get_info(self._device)[0] - block.size >= _LEFT:
            with self.apart():
                saved = torch.empty(block.size, dtype=torch.uint8, device=self._device)
        elif _host_bytes() // 2 >= block.size:
            saved = torch.empty(block.size, dtype=torch.uint8)
        else:
            return None
        self._driver.copy(saved.data_ptr(), block.address, block.size)
        return saved

    def write(self, block, saved, offset, size):
        self._driver.copy(block.address + offset, saved.data_ptr() + offset, size)

    def fill(self, block, begin, size, byte):
        self._driver.fill(begin, byte, size)

    def holds(self, block, begin, size, byte):
        with self.apart():
            buffer = torch.empty(min(size, _CHUNK), dtype=torch.uint8, device=self._device)
            for at in range(begin, begin + size, _CHUNK):
                length = min(_CHUNK, begin + size - at)
                self._driver.copy(buffer.data_ptr(), at, length)
                self.synchronize()
                if not bool((buffer[:length] == byte).all()):
                    return False
        return True

    def stacks(self, block):
        """Where the block was last handed out and taken back, as far as memory history tells."""
        return self._read_history().stacks(block)

    def _read_history(self):
        if self._history is None:
            self._history = History(torch, self._device)
        return self._history


def _native():
    caches = not os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING")
    return caches and torch.cuda.get_allocator_backend() == "native"


def _own_pool():
    """Or None: older versions have no such pools, or none with expandable segments."""
    try:
        pool = torch.cuda.MemPool()
        with torch.cuda.use_mem_pool(pool):
            torch.empty(1, device="cuda")
        return pool
    except (AttributeError, RuntimeError):
        return None


def _pool_of(graph):
    try:
        return tuple(graph.pool())
    except RuntimeError as error:
        raise ValueError(f"graph holds no capture: {error}") from None


def _segments():
    try:
        return torch.cuda.memory_snapshot(include_traces=False)
    except TypeError:  # older than that parameter, which only saves time
        return torch.cuda.memory_snapshot()


def _host_bytes():
    """What the system says is available, in bytes."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


class _Driver:
    """Copies and sets by address. One address space: which side each lies on, the driver knows."""

    def __init__(self):
        self._library = ctypes.CDLL("libcuda.so.1")

    def copy(self, target, source, size):
        self._call("cuMemcpy", _pointer(target), _pointer(source), ctypes.c_size_t(size))

    def fill(self, address, byte, size):
        self._call("cuMemsetD8_v2", _pointer(address), ctypes.c_ubyte(byte), ctypes.c_size_t(size))

    def _call(self, name, *arguments):
        status = getattr(self._library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with CUresult {status}")


def _pointer(address):
    return ctypes.c_uint64(address)

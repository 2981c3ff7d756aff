# SPDX-License-Identifier: Apache-2.0
"""A GPU that is none, for the tests of bohr.compare: one arena of bytes with a caching allocator
(first fit, split, one free list a pool), tensors that are ranges of it, and graphs that are Python
functions on addresses. What is freed keeps its bytes until somebody else gets it, as on a GPU."""

import contextlib
import weakref

from bohr.free_memory import Block, Unavailable


class Tensor:
    def __init__(self, memory, address, size, device="gpu"):
        self.memory, self.address, self.size, self.device = memory, address, size, device

    @property
    def data(self):
        return list(self.memory.bytes[self.address : self.address + self.size])

    @data.setter
    def data(self, values):
        self.memory.bytes[self.address : self.address + self.size] = bytes(
            value % 256 for value in values
        )


class Memory:
    def __init__(self):
        self.bytes = bytearray()
        self.blocks = []  # [address, size, pool, in use], by address
        self.pool = "default"
        self.allocations = 0

    def new(self, values, pool=None):
        pool = pool or self.pool
        self.allocations += 1
        tensor = Tensor(self, self._take(len(values), pool), len(values))
        tensor.data = values
        if pool == "apart":  # as PyTorch does; tests free the others themselves
            weakref.finalize(tensor, self._give_back, tensor.address)
        return tensor

    def free(self, *tensors):
        for tensor in tensors:
            self.allocations += 1
            self._give_back(tensor.address)

    def _give_back(self, address):
        for block in self.blocks:
            if block[0] == address:
                block[3] = False

    def _take(self, size, pool):
        for at, (address, length, owner, used) in enumerate(self.blocks):
            if owner == pool and not used and length >= size:
                self.blocks[at : at + 1] = [[address, size, pool, True]]
                if length > size:
                    self.blocks.insert(at + 1, [address + size, length - size, pool, False])
                return address
        address = len(self.bytes)
        self.bytes += b"\xaa" * size
        self.blocks.append([address, size, pool, True])
        return address


class Graph:
    """A captured graph: `replay` does what `nodes` does, to addresses."""

    def __init__(self, nodes):
        self.nodes, self.replays = nodes, 0

    def replay(self):
        self.replays += 1
        self.nodes()


class Backend:
    OutOfMemory = MemoryError

    def __init__(self, memory, room=1 << 30, unavailable=""):
        self.memory, self.room, self.unavailable = memory, room, unavailable
        self.again, self.no_history = [], ""

    def is_tensor(self, value):
        return isinstance(value, Tensor)

    def is_graph(self, value):
        return isinstance(value, Graph)

    def complaint(self, tensor):
        return None if tensor.device == "gpu" else "is on the CPU"

    def layout(self, tensor):
        return f"{tensor.size} bytes"

    def clone(self, tensor):
        return self.memory.new(tensor.data)

    def copy(self, target, source):
        target.data = source.data

    snapshot = clone

    def same(self, a, b, rtol, atol):
        if a.size != b.size:
            return False
        return all(abs(x - y) <= atol + rtol * abs(y) for x, y in zip(a.data, b.data))

    def difference(self, eager, graph):
        return {"eager": eager.data, "graph": graph.data}

    def synchronize(self):
        pass

    @contextlib.contextmanager
    def apart(self):
        before, self.memory.pool = self.memory.pool, "apart"
        try:
            yield
        finally:
            self.memory.pool = before

    def allocations(self):
        return self.memory.allocations

    def free_blocks(self):
        if self.unavailable:
            raise Unavailable(self.unavailable)
        return [
            Block(address, size, 0, pool, pool != "default")
            for address, size, pool, used in self.memory.blocks
            if not used and pool != "apart"
        ]

    def handed_out_again(self, static_outputs):
        if self.no_history:
            raise Unavailable(self.no_history)
        return [
            Block(tensor.address, tensor.size, 0, "default", False, True) for tensor in self.again
        ]

    def save(self, block):
        if self.room < block.size:
            return None
        self.room -= block.size
        return bytes(self.memory.bytes[block.address : block.end])

    def write(self, block, saved, offset, size):
        begin = block.address + offset
        self.memory.bytes[begin : begin + size] = saved[offset : offset + size]

    def fill(self, block, begin, size, byte):
        self.memory.bytes[begin : begin + size] = bytes([byte]) * size

    def holds(self, block, begin, size, byte):
        return self.memory.bytes[begin : begin + size] == bytes([byte]) * size

    def stacks(self, block):
        return {"freed": [f"model.py:{block.address} step"]}

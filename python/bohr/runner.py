# SPDX-License-Identifier: Apache-2.0
"""Runs the two sides of a comparison, each time from the same memory, and copies what they return.

Eager runs get clones of the arguments, made in memory apart, and allocate there: so they change
neither the arguments nor what stands in free memory. A graph's replay gets clones too, or has them
copied into its static inputs; free memory is put back before it.
"""

import contextlib
import dataclasses

from . import structure
from .free_memory import FreeMemory

_WARM_UP = 3  # what torch.compile needs until it replays: a plain call, a capture, a replay


@dataclasses.dataclass
class Statics:
    """The tensors that a captured graph reads and writes."""

    inputs: tuple
    outputs: object


@dataclasses.dataclass
class Outputs:
    names: list
    leaves: list


class Runner:
    def __init__(self, backend, fn, graph, statics):
        self.backend, self.fn, self.graph_, self.statics = backend, fn, graph, statics
        self.memory = FreeMemory(backend)
        self.allocates = False  # the last replay took memory of the allocator, or gave it back
        self._kept, self._saved, self._fits_apart = [], [], True

    def start(self, arguments):
        """Saves what a replay changes, then lets both sides do once what they do only once."""
        self.backend.synchronize()
        if self.statics:
            with self.backend.apart():
                self._saved = [self.backend.clone(tensor) for tensor in self._static_tensors()]
        self.memory.take()
        self.eager(arguments)
        if not self.statics:
            self._warm_up(arguments)
        if not self.memory.unavailable:
            self.memory.find_handed_out_again(self.statics and self.statics.outputs)

    def _warm_up(self, arguments):
        for _ in range(_WARM_UP):
            self.graph(arguments, keep=True)
        if self.memory.moved():  # the graph was captured just now
            self.memory.restore()
            self.memory.take()

    def finish(self):
        self.backend.synchronize()
        self.memory.restore()
        if self.statics:
            self.reset_statics()
        self.backend.synchronize()
        self.memory.release()
        self._kept = []

    def eager(self, arguments, filled=(), byte=0):
        """One call. `filled`: blocks that hold `byte` meanwhile."""
        try:
            with self.backend.apart() if self._fits_apart else contextlib.nullcontext():
                outputs = self._called(arguments, filled, byte)
            with self.backend.apart():
                return self._taken(outputs)
        except self.backend.OutOfMemory:
            if not self._fits_apart:
                raise
            self._fits_apart = False  # what the allocator keeps may be enough, and is put back
        finally:
            self.memory.restore_again()
        return self.eager(arguments, filled, byte)

    def _called(self, arguments, filled, byte):
        with self.backend.apart():
            copied = self._copied(arguments)
        self.backend.synchronize()
        self.memory.fill(filled, byte)
        self.backend.synchronize()
        return self.fn(*copied)

    def graph(self, arguments, filled=(), byte=0, keep=False, reset=False):
        """One replay. `filled`: blocks that hold `byte` before it. `keep`: the arguments live on,
        for a graph that is captured now may have taken their addresses, which later arguments must
        not have. `reset`: static tensors first hold what they held at the start."""
        with self.backend.apart():
            copied = self._copied(arguments)
        if keep:
            self._kept.append(copied)
        self.backend.synchronize()
        self.memory.restore()
        self.memory.fill(filled, byte)
        if reset and self.statics:
            self.reset_statics()
        if self.statics:
            self._copy_in(copied)
        self.backend.synchronize()
        before = self.backend.allocations()
        if self.statics:
            self.graph_.replay()
            outputs = self.statics.outputs
        else:
            outputs = self.graph_(*copied)
        self.allocates = self.backend.allocations() != before
        with self.backend.apart():
            taken = self._taken(outputs)
        self.memory.restore_again()
        return taken

    def reset_statics(self):
        for tensor, saved in zip(self._static_tensors(), self._saved):
            self.backend.copy(tensor, saved)

    def _static_tensors(self):
        both = structure.leaves((self.statics.inputs, self.statics.outputs))
        return [leaf for _, leaf in both if self.backend.is_tensor(leaf)]

    def _copied(self, arguments):
        def leaf(value):
            return self.backend.clone(value) if self.backend.is_tensor(value) else value

        return structure.convert(tuple(arguments), leaf)

    def _copy_in(self, arguments):
        pairs = zip(structure.leaves(self.statics.inputs), structure.leaves(arguments))
        for (_, static), (_, argument) in pairs:
            if self.backend.is_tensor(static):
                self.backend.copy(static, argument)

    def _taken(self, outputs):
        self.backend.synchronize()
        taken = Outputs([], [])
        for name, leaf in structure.leaves(outputs):
            taken.names.append(name)
            taken.leaves.append(
                self.backend.snapshot(leaf) if self.backend.is_tensor(leaf) else leaf
            )
        self.backend.synchronize()
        return taken

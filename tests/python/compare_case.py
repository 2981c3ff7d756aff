# SPDX-License-Identifier: Apache-2.0
"""What the tests of bohr.compare share: a fake GPU, and graphs made of a function on bytes."""

import unittest

from bohr.compare import compare_on
from fake_backend import Backend, Graph, Memory


class CompareCase(unittest.TestCase):
    def setUp(self):
        self.memory = Memory()
        self.backend = Backend(self.memory)

    def tensor(self, *values):
        return self.memory.new(list(values))

    def eager(self, work):
        """fn: bytes in, bytes out; plain values as they are."""

        def fn(*arguments):
            plain = [a.data if self.backend.is_tensor(a) else a for a in arguments]
            result = work(*plain)
            if isinstance(result, tuple):
                return tuple(self.memory.new(values) for values in result)
            return self.memory.new(result)

        return fn

    def captured(self, work, *static_inputs, outputs=1, size=2):
        """A graph of `work` on static tensors, as keywords for compare."""
        static_outputs = tuple(self.memory.new([0] * size, pool="graph 1") for _ in range(outputs))

        def nodes():
            plain = [a.data if self.backend.is_tensor(a) else a for a in static_inputs]
            result = work(*plain)
            for tensor, values in zip(static_outputs, result if outputs > 1 else (result,)):
                tensor.data = values

        return {
            "graph": Graph(nodes),
            "static_inputs": static_inputs,
            "static_outputs": static_outputs if outputs > 1 else static_outputs[0],
        }

    def compare(self, fn, graph, inputs, **options):
        return compare_on(self.backend, fn, graph, inputs, **options)

    def kinds(self, comparison):
        return [verdict.kind for verdict in comparison.verdicts]

    def only(self, comparison, kind):
        """The one verdict of a kind; there may be others of other kinds."""
        found = comparison.of(kind)
        self.assertEqual(len(found), 1, str(comparison))
        return found[0]

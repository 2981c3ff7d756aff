# SPDX-License-Identifier: Apache-2.0
"""What is read from the history of PyTorch's allocator: when a capture was, and what was given back
since. The entries are those that PyTorch makes."""

import types
import unittest

from bohr.allocator_history import History, joined, touches
from bohr.free_memory import Block


def entry(action, address, size=512, line=0):
    frames = [
        {"filename": "/torch/nn/module.py", "line": 1, "name": "forward"},
        {"filename": "/app/model.py", "line": line, "name": "step"},
    ]
    return {"action": action, "addr": address, "size": size, "frames": frames if line else []}


def history(*entries):
    memory = types.SimpleNamespace(_snapshot=lambda device: {"device_traces": [list(entries)]})
    cuda = types.SimpleNamespace(memory=memory)
    return History(types.SimpleNamespace(cuda=cuda, __file__="/torch/__init__.py"), 0)


class AllocatorHistory(unittest.TestCase):
    def setUp(self):
        self.history = history(
            entry("alloc", 0x1000, line=10),  # weights
            entry("alloc", 0x2000),
            {"action": "oom", "size": 1, "device_free": 0},
            entry("alloc", 0x9000),  # the capture's output
            entry("free_requested", 0x1000, line=20),
            entry("free_completed", 0x1000, line=20),
            entry("alloc", 0x1000, 1024, line=30),  # handed out again
            entry("alloc", 0x3000),  # later than the capture altogether
            entry("free_completed", 0x3000),
        )

    def test_what_was_given_back(self):
        captured = self.history.captured_at([(0x9000, 0xA000)], [0x9010])
        self.assertEqual(captured, 3)
        self.assertEqual(self.history.given_back_since(captured), [(0x1000, 0x1200)])

    def test_when_the_capture_was(self):
        pools, place = [(0x9000, 0xA000)], self.history.captured_at
        self.assertEqual(place(pools, []), 3)
        self.assertEqual(place(pools, [0x2000]), 3, "that output is older than the capture")
        self.assertIsNone(place([], [0x2000]))
        self.assertIsNone(place([(0x8000, 0x9000)], [0x8000]))
        shared = history(entry("alloc", 0x9000), entry("alloc", 0x9200))
        self.assertEqual(shared.captured_at(pools, [0x9000]), 0, "another graph came later")

    def test_what_was_given_back_before_the_capture(self):
        self.assertEqual(
            history(
                entry("alloc", 0x1000),
                entry("free_completed", 0x1000),
                entry("alloc", 0x9000),
            ).given_back_since(2),
            [],
        )

    def test_stacks_leave_out_pytorch(self):
        self.assertEqual(
            self.history.stacks(Block(0x1000, 1024)),
            {"allocated": ["/app/model.py:30 step"], "freed": ["/app/model.py:20 step"]},
        )
        self.assertEqual(self.history.stacks(Block(0x2000, 512)), {})

    def test_no_history(self):
        self.assertIsNone(history().captured_at([(0x1000, 0x2000)], [0x1000]))

    def test_ranges(self):
        ranges = joined([(8, 9), (0, 4), (3, 6)])
        self.assertEqual(ranges, [(0, 6), (8, 9)])
        met = [begin for begin in range(10) if touches(ranges, begin, begin + 1)]
        self.assertEqual(met, [0, 1, 2, 3, 4, 5, 8])
        self.assertTrue(touches(ranges, 5, 7))
        self.assertFalse(touches(ranges, 6, 8))
        self.assertFalse(touches([], 0, 9))

# SPDX-License-Identifier: Apache-2.0
"""Which entries of the allocator's history the shim takes for new, whatever the clock does."""

import importlib.util
import pathlib
import unittest

_PATH = pathlib.Path(__file__).parents[2] / "python" / "bohr" / "_shim.py"
_SPEC = importlib.util.spec_from_file_location("_bohr_shim_under_test", _PATH)
shim = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(shim)


class Agent:
    def __init__(self):
        self.entries = 0
        self.diagnostics = []

    def history(self, numbers):
        self.entries += len(numbers) // 8

    def diagnostic(self, reason, text, loses_order=False):
        self.diagnostics.append(text)


def entry(time, address):
    return {"action": "alloc", "addr": address, "size": 512, "stream": 0, "time_us": time}


class ShimHistory(unittest.TestCase):
    def setUp(self):
        self.agent = Agent()
        self.recorder = shim._Recorder(None, self.agent)

    def add(self, *entries):
        before = self.agent.entries
        self.recorder.add_entries(0, list(entries))
        return self.agent.entries - before

    def test_only_what_is_new(self):
        first, second, third = entry(10, 1), entry(20, 2), entry(30, 3)
        self.assertEqual(self.add(first, second), 2)
        self.assertEqual(self.add(first, second, third), 1)
        self.assertEqual(self.add(first, second, third), 0)
        self.assertEqual(self.agent.diagnostics, [])

    def test_a_clock_that_is_set_back(self):
        first, second, third = entry(10, 1), entry(20, 2), entry(5, 3)
        self.assertEqual(self.add(first, second), 2)
        self.assertEqual(self.add(first, second, third), 1)
        self.assertEqual(self.agent.diagnostics, [])

    def test_what_the_ring_dropped(self):
        self.assertEqual(self.add(entry(10, 1)), 1)
        self.assertEqual(self.add(entry(20, 2), entry(30, 3)), 2)
        self.assertEqual(len(self.agent.diagnostics), 1)


if __name__ == "__main__":
    unittest.main()

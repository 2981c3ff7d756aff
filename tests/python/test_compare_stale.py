# SPDX-License-Identifier: Apache-2.0
"""Stale memory: read after it was given back, written after it, carried over; and each repaired."""

import itertools
import unittest

from bohr.free_memory import FreeMemory
from compare_case import CompareCase
from fake_backend import Backend, Memory


def add(x, y):
    return [a + b for a, b in zip(x, y)]


class Stale(CompareCase):
    def weights(self, keep, pool="default", others=0):
        """x plus weights; the graph reads these by address. `others`: free blocks around them."""
        spare = [self.tensor(7, 7) for _ in range(others)]
        held = self.memory.new([5, 6], pool=pool)
        spare += [self.tensor(8, 8) for _ in range(others)]
        captured = self.captured(lambda x: add(x, held.data), self.tensor(0, 0))
        inputs = [(self.tensor(1, 2),), (self.tensor(3, 4),)]
        if not keep:
            self.memory.free(held)
        self.memory.free(*spare)
        self.graph = captured["graph"]
        before = self.memory.bytes[:]
        result = self.compare(self.eager(lambda x: add(x, [5, 6])), inputs=inputs, **captured)
        self.assertEqual(self.memory.bytes[: len(before)], before, "memory is as it was")
        return held, result

    def test_read_after_it_was_given_back(self):
        held, result = self.weights(keep=False)
        found = self.only(result, "stale-memory")
        self.assertEqual(
            found.evidence["blocks"],
            [
                {
                    "address": f"{held.address:#x}",
                    "size": 2,
                    "pool": "default",
                    "freed": [f"model.py:{held.address} step"],
                }
            ],
        )
        self.assertIn("given back", found.what)
        self.assertEqual(found.evidence["outputs"], ["output"])
        self.assertFalse(result.ok)

    def test_live_memory_that_is_no_argument(self):
        self.assertEqual(self.kinds(self.weights(keep=True, others=3)[1]), ["equal"])

    def test_found_among_many_blocks(self):
        held, result = self.weights(keep=False, others=500)
        found = self.only(result, "stale-memory")
        self.assertEqual(
            [block["address"] for block in found.evidence["blocks"]], [f"{held.address:#x}"]
        )
        self.assertLess(self.graph.replays, 100, "halving, not one by one")

    def test_given_back_in_a_graph_pool(self):
        """Another graph's output: this graph does not write it, so it is no scratch of its own."""
        held, result = self.weights(keep=False, pool="graph 2")
        found = self.only(result, "stale-memory")
        self.assertIn("given back", found.what)
        self.assertEqual(found.evidence["blocks"][0]["pool"], "graph 2")

    def handed_out_again(self, reads, with_wrapper=False, eager_reads=False):
        """The block of the weights belongs to `taken` now, and `taken` is somebody else's."""
        inputs = [(self.tensor(1, 2),)]
        kept, held = self.tensor(5, 6), self.tensor(5, 6)
        captured = self.captured(
            lambda x: add(x, held.data if reads else kept.data), self.tensor(0, 0)
        )
        self.memory.free(held)
        taken = self.tensor(9, 9)
        self.assertEqual(taken.address, held.address)
        self.backend.again = [taken]
        fn = self.eager(lambda x: add(x, taken.data if eager_reads else [5, 6]))
        if with_wrapper:
            captured = {"graph": lambda x: self.memory.new(add(x.data, held.data))}
        result = self.compare(fn, inputs=inputs, **captured)
        self.assertEqual(taken.data, [9, 9], "what belongs to somebody is as it was")
        return result

    def test_block_that_was_handed_out_again(self):
        for with_wrapper in (False, True):
            result = self.handed_out_again(reads=True, with_wrapper=with_wrapper)
            self.assertIn("handed out again", self.only(result, "stale-memory").what)
            self.assertEqual(result.of("different"), [])

    def test_block_handed_out_again_that_is_not_read(self):
        self.assertEqual(self.kinds(self.handed_out_again(reads=False)), ["equal", "not-tested"])

    def test_block_handed_out_again_to_weights_of_both(self):
        result = self.handed_out_again(reads=True, with_wrapper=True, eager_reads=True)
        self.assertEqual(self.kinds(result), ["equal", "not-tested"])

    def test_block_handed_out_again_when_eager_runs_out_of_memory(self):
        """What is filled while memory runs out is put back before the second try."""
        inputs, held = [(self.tensor(1, 2),)], self.tensor(5, 6)
        self.memory.free(held)
        taken, tries = self.tensor(9, 9), []
        self.backend.again = [taken]

        def fn(x):
            tries.append(self.memory.pool)
            if taken.data != [9, 9] and self.memory.pool == "apart":
                raise MemoryError
            return self.memory.new(add(x.data, taken.data))

        result = self.compare(fn, lambda x: self.memory.new(add(x.data, held.data)), inputs)
        self.assertEqual((self.kinds(result), taken.data), (["equal", "not-tested"], [9, 9]))
        self.assertEqual(set(tries), {"apart", "default"})

    def test_handed_out_again_without_history(self):
        self.backend.no_history = "no history"
        result = self.handed_out_again(reads=True)
        self.assertEqual(self.kinds(result), ["different", "not-tested", "not-tested"])
        self.assertIn("no history", str(result))

    def test_wrapper_that_takes_the_block(self):
        """The wrapper's own output lands in the freed block, so each call would see another one."""
        inputs = [(self.tensor(1, 2),), (self.tensor(3, 4),)]
        held = self.tensor(5, 6)
        self.memory.free(held)

        def graph(x):
            result = self.memory.new(add(x.data, held.data))
            self.memory.free(result)  # as when the caller drops it
            return result

        result = self.compare(self.eager(lambda x: add(x, [5, 6])), graph, inputs)
        self.assertEqual(result.of("unstable"), [], str(result))
        self.assertIn("given back", self.only(result, "stale-memory").what)

    def scratch(self, initialised):
        scratch = self.memory.new([0, 0], pool="graph 1")

        def work(x):
            if initialised:
                scratch.data = [0, 0]
            total = add(x, scratch.data)
            scratch.data = [1, 2]
            return total

        captured = self.captured(work, self.tensor(0, 0))
        self.memory.free(scratch)
        return self.compare(
            self.eager(lambda x: x), inputs=[(self.tensor(1, 2),), (self.tensor(3, 4),)], **captured
        )

    def test_scratch_carried_over(self):
        found = self.only(self.scratch(initialised=False), "stale-memory")
        self.assertIn("carried over from an earlier launch", found.what)

    def test_scratch_initialised(self):
        self.assertEqual(self.kinds(self.scratch(initialised=True)), ["equal"])

    def test_scratch_of_a_graph_that_the_first_call_captures(self):
        scratch = []

        def graph(x):
            if not scratch:
                scratch.append(self.memory.new([0, 0], pool="graph 1"))
                self.memory.free(scratch[0])
            total = add(x.data, scratch[0].data)
            scratch[0].data = [0, 0]
            return self.memory.new(total)

        result = self.compare(self.eager(lambda x: x), graph, [(self.tensor(1, 2),)])
        self.assertIn("carried over", self.only(result, "stale-memory").what)

    def accumulated(self, initialised):
        """The graph adds to its own static output."""
        output = self.memory.new([0, 0], pool="graph 1")
        static = self.tensor(0, 0)

        def work(x):
            return x if initialised else add(x, output.data)

        captured = self.captured(work, static)
        captured["static_outputs"].address = output.address
        result = self.compare(self.eager(lambda x: x), inputs=[(self.tensor(1, 2),)], **captured)
        self.assertEqual(output.data, [0, 0], "outputs are as they were")
        self.assertEqual(static.data, [0, 0], "inputs are as they were")
        return result

    def test_output_carried_over(self):
        found = self.only(self.accumulated(initialised=False), "stale-memory")
        self.assertIn("carried over from an earlier launch", found.what)

    def test_output_written_afresh(self):
        self.assertEqual(self.kinds(self.accumulated(initialised=True)), ["equal", "not-tested"])

    def written(self, keep):
        buffer = self.tensor(0, 0)

        def work(x):
            buffer.data = x
            return x

        captured = self.captured(work, self.tensor(0, 0))
        inputs = [(self.tensor(1, 2),)]
        if not keep:
            self.memory.free(buffer)
        return self.compare(self.eager(lambda x: x), inputs=inputs, **captured)

    def test_written_after_it_was_given_back(self):
        self.assertIn("writes memory", self.only(self.written(keep=False), "stale-memory").what)

    def test_wrapper_whose_output_lands_in_free_memory(self):
        """That is no write of the graph: the block was handed out."""
        inputs = [(self.tensor(1, 2),)]
        self.memory.free(self.tensor(0, 0))

        def graph(x):
            result = self.memory.new(x.data)
            self.memory.free(result)  # as when the caller drops it
            return result

        result = self.compare(self.eager(lambda x: x), graph, inputs)
        self.assertEqual(self.kinds(result), ["equal", "not-tested"])

    def test_read_and_written(self):
        """One defect, told once."""
        buffer = self.tensor(0, 0)

        def work(x):
            total = add(x, buffer.data)
            buffer.data = x
            return total

        captured, inputs = self.captured(work, self.tensor(0, 0)), [(self.tensor(1, 2),)]
        self.memory.free(buffer)
        result = self.compare(self.eager(lambda x: x), inputs=inputs, **captured)
        self.assertIn("given back", self.only(result, "stale-memory").what)

    def test_graph_that_begins_to_vary_while_it_is_looked_at(self):
        times = itertools.count()
        captured = self.captured(lambda x: [x[0], max(0, next(times) - 3)], self.tensor(0, 0))
        inputs = [(self.tensor(1, 2),)]
        self.memory.free(self.tensor(0, 0))
        result = self.compare(self.eager(lambda x: [x[0], 0]), inputs=inputs, **captured)
        self.assertEqual(result.of("stale-memory"), [])

    def test_written_while_it_is_held(self):
        self.assertEqual(self.written(keep=True).of("stale-memory"), [])

    def test_only_together(self):
        """Either of two copies will do, so that neither alone shows."""
        one, two = self.tensor(1, 1), self.tensor(1, 1)
        captured = self.captured(
            lambda x: x if 1 in (one.data[0], two.data[0]) else [0, 0], self.tensor(0, 0)
        )
        inputs = [(self.tensor(1, 2),)]
        self.memory.free(one, two)
        result = self.compare(self.eager(lambda x: x), inputs=inputs, **captured)
        found = self.only(result, "stale-memory")
        self.assertTrue(found.evidence["only_together"])
        self.assertEqual(len(found.evidence["blocks"]), 2)

    def test_zeros_and_ones_are_both_tried(self):
        for stale in (0, 255):
            held = self.tensor(stale, stale)
            captured = self.captured(lambda x: add(x, held.data), self.tensor(0, 0))
            inputs = [(self.tensor(1, 2),)]
            self.memory.free(held)
            fn = self.eager(lambda x: add(x, [stale, stale]))
            result = self.compare(fn, inputs=inputs, **captured)
            self.only(result, "stale-memory")

    def test_stale_and_frozen_at_once(self):
        held = self.tensor(5, 6)
        captured = self.captured(
            lambda x, scale: (add(x, held.data), [x[0] * 2, 0]), self.tensor(0, 0), None, outputs=2
        )
        inputs = [(self.tensor(1, 2), 2), (self.tensor(3, 4), 3)]
        self.memory.free(held)
        fn = self.eager(lambda x, scale: (add(x, [5, 6]), [x[0] * scale, 0]))
        result = self.compare(fn, inputs=inputs, **captured)
        self.assertEqual(self.only(result, "stale-memory").evidence["outputs"], ["output[0]"])
        self.assertEqual(self.only(result, "frozen-at-capture").evidence["outputs"], ["output[1]"])

    def test_memory_too_small(self):
        self.backend = Backend(self.memory, room=2)
        spare = self.tensor(*range(100))
        gap = self.tensor(0)
        held = self.tensor(5, 6)
        captured = self.captured(lambda x: add(x, held.data), self.tensor(0, 0))
        inputs = [(self.tensor(1, 2),)]
        self.memory.free(spare, held)
        self.assertLess(gap.address, held.address)  # what keeps the two apart
        result = self.compare(self.eager(lambda x: add(x, [5, 6])), inputs=inputs, **captured)
        self.only(result, "stale-memory")
        gaps = [verdict for verdict in result.of("not-tested") if "stale" in verdict.what]
        self.assertEqual(gaps[0].evidence, {"covered_bytes": 2, "uncovered_bytes": 100})

    def test_memory_too_small_for_what_was_handed_out_again(self):
        self.backend = Backend(self.memory, room=1)
        result = self.handed_out_again(reads=True)
        gaps = [verdict for verdict in result.of("not-tested") if "stale" in verdict.what]
        self.assertEqual(gaps[0].evidence["uncovered_bytes"], 2)
        self.assertEqual(self.kinds(result)[0], "different")

    def test_allocator_that_is_not_known(self):
        self.backend = Backend(self.memory, unavailable="another allocator")
        result = self.weights(keep=False)[1]
        self.assertEqual(result.of("stale-memory"), [])
        self.assertIn("another allocator", self.only(result, "not-tested").what)


class Handed(unittest.TestCase):
    def test_what_is_handed_out_meanwhile_is_left_alone(self):
        memory = Memory()
        free = FreeMemory(Backend(memory))
        memory.free(memory.new([1, 2, 3, 4, 5, 6]))
        free.take()
        first = memory.new([9, 9])
        last = memory.new([7, 7, 7, 7])
        memory.free(first)
        free.restore()
        free.fill(free.blocks, 0)
        self.assertEqual(list(memory.bytes), [0, 0, 7, 7, 7, 7])
        free.restore()
        self.assertEqual(list(memory.bytes), [1, 2, 7, 7, 7, 7])
        memory.free(last)
        memory.new([8])
        free.restore()
        self.assertEqual(list(memory.bytes), [8, 2, 3, 4, 5, 6])

# SPDX-License-Identifier: Apache-2.0
"""Frozen at capture: plain values, tensors by address, host decisions, hidden state; and each
repaired."""

import itertools

from compare_case import CompareCase
from fake_backend import Tensor


def double(values):
    return [2 * value for value in values]


class Frozen(CompareCase):
    def test_equal(self):
        static = self.tensor(9, 9)
        captured = self.captured(double, static)
        result = self.compare(
            self.eager(double), inputs=[(self.tensor(1, 2),), (self.tensor(3, 4),)], **captured
        )
        self.assertEqual(self.kinds(result), ["equal"])
        self.assertTrue(result.ok)
        self.assertIn("byte by byte", result.verdicts[0].what)

    def scaled(self, read_scale):
        """x times scale, the scale a plain value of the capture or read by the graph."""
        fn = self.eager(lambda x, scale: [value * scale for value in x])

        def graph(x, scale):
            return self.memory.new([value * (scale if read_scale else 2) for value in x.data])

        return self.compare(
            fn, graph, [(self.tensor(1, 2), 2), (self.tensor(3, 4), 3)], names=["x", "scale"]
        )

    def test_scalar(self):
        found = self.only(self.scaled(read_scale=False), "frozen-at-capture")
        self.assertEqual(found.evidence["argument"], "scale")
        self.assertEqual(found.evidence["argument_index"], 1)
        self.assertIn("argument 1 (scale) is frozen: from 2 to 3", found.what)
        self.assertFalse(self.scaled(read_scale=False).ok)

    def test_scalar_read(self):
        self.assertEqual(self.kinds(self.scaled(read_scale=True)), ["equal"])

    def rebound(self, copies):
        """The wrapper binds a name to its argument in place of copying into the static tensor."""
        static = self.tensor(1, 2)

        def graph(x):
            if copies:
                static.data = x.data
            return self.memory.new(double(static.data))

        return self.compare(
            self.eager(double), graph, [(self.tensor(1, 2),), (self.tensor(3, 4),)], names=["x"]
        )

    def test_tensor_by_address(self):
        found = self.only(self.rebound(copies=False), "frozen-at-capture")
        self.assertIn("argument 0 (x) is frozen", found.what)
        self.assertIn("copy_", found.what)

    def test_tensor_copied(self):
        self.assertEqual(self.kinds(self.rebound(copies=True)), ["equal"])

    def test_tensor_captured_lazily_by_address(self):
        captured = []

        def graph(x):
            captured.append(x.address)  # the first call captures; its tensor is not kept
            return self.memory.new(double(Tensor(self.memory, captured[0], 2).data))

        result = self.compare(
            self.eager(double), graph, [(self.tensor(1, 2),), (self.tensor(3, 4),)]
        )
        self.only(result, "frozen-at-capture")
        self.assertEqual(captured.count(captured[0]), 1, "no later argument has that address")

    def test_static_input_that_the_capture_did_not_read(self):
        read, not_read = self.tensor(1, 2), self.tensor(0, 0)
        captured = self.captured(double, read)
        captured["static_inputs"] = (not_read,)
        result = self.compare(
            self.eager(double), inputs=[(self.tensor(1, 2),), (self.tensor(3, 4),)], **captured
        )
        self.assertEqual(self.kinds(result), ["frozen-at-capture"])

    def branch(self, frozen):
        def eager(x):
            return double(x) if x[0] < 10 else [0, 0]

        static = self.tensor(0, 0)
        captured = self.captured(double if frozen else eager, static)
        return self.compare(
            self.eager(eager),
            inputs=[(self.tensor(1, 2),), (self.tensor(3, 4),), (self.tensor(10, 2),)],
            **captured,
        )

    def test_branch_of_the_host(self):
        found = self.only(self.branch(frozen=True), "frozen-at-capture")
        self.assertIn("partly frozen", found.what)
        self.assertIn(".item()", found.what)
        self.assertEqual(found.evidence["input_set"], 2)
        self.assertEqual(
            found.evidence["difference"], {"output": {"eager": [0, 0], "graph": [20, 4]}}
        )

    def test_branch_of_the_device(self):
        self.assertEqual(self.kinds(self.branch(frozen=False)), ["equal"])

    def test_only_when_several_change_together(self):
        def eager(x, y):
            return [0, 0] if x[0] > 2 and y[0] > 2 else [x[0] + y[0], 1]

        captured = self.captured(
            lambda x, y: [x[0] + y[0], 1], self.tensor(0, 0), self.tensor(0, 0)
        )
        inputs = [(self.tensor(1, 1), self.tensor(1, 1)), (self.tensor(3, 1), self.tensor(3, 1))]
        found = self.only(
            self.compare(self.eager(eager), inputs=inputs, **captured), "frozen-at-capture"
        )
        self.assertIn("together", found.what)

    def counter(self, frozen):
        calls = []

        def eager(x):
            calls.append(1)
            return [x[0] + len(calls), x[1]]

        def graph(x):
            if not frozen:
                calls.append(1)
            return self.memory.new(
                [x.data[0] + len(calls) if not frozen else x.data[0] + 1, x.data[1]]
            )

        return self.compare(self.eager(eager), graph, [(self.tensor(1, 2),)])

    def test_hidden_state(self):
        found = self.only(self.counter(frozen=True), "frozen-at-capture")
        self.assertIn("hidden state", found.what)

    def test_state_that_both_change(self):
        result = self.counter(frozen=False)
        self.assertEqual(result.of("frozen-at-capture"), [])
        self.assertTrue(self.only(result, "unstable").evidence["eager_varies"])

    def test_arithmetic_with_another_value_than_the_first(self):
        """The capture's scale was 5, so that the first set differs already."""

        def graph(x, scale):
            return self.memory.new([x.data[0] * 5])

        fn = self.eager(lambda x, scale: [x[0] * scale])
        result = self.compare(fn, graph, [(self.tensor(1), 2), (self.tensor(3), 3)])
        self.assertEqual(self.kinds(result), ["frozen-at-capture"])

    def test_different_and_nothing_frozen(self):
        result = self.compare(
            self.eager(double),
            lambda x: self.memory.new([2 * value + 1 for value in x.data]),
            [(self.tensor(1, 2),), (self.tensor(3, 4),)],
        )
        self.assertEqual(self.kinds(result), ["different"])

    def noisy(self, eager, graph):
        """Noise with the second set only, on one side."""
        times = itertools.count(1)

        def noise(values, wanted):
            return next(times) if wanted and values[0] == 3 else 0

        fn = self.eager(lambda x: [x[0], noise(x, eager)])
        return self.compare(
            fn,
            lambda x: self.memory.new([x.data[0], noise(x.data, graph)]),
            [(self.tensor(1),), (self.tensor(3),)],
        )

    def test_noise_of_eager_with_other_arguments(self):
        self.assertEqual(self.noisy(True, False).of("frozen-at-capture"), [])

    def test_noise_of_the_graph_with_other_arguments(self):
        result = self.noisy(False, True)
        self.assertEqual(self.kinds(result), ["unstable"])
        self.assertIn("input set 1", result.verdicts[0].what)

    def test_plain_values_of_two_types_are_two_values(self):
        fn = self.eager(lambda x, scale: [x[0], isinstance(scale, float)])
        result = self.compare(
            fn,
            lambda x, scale: self.memory.new([x.data[0], 0]),
            [(self.tensor(1), 2), (self.tensor(1), 2.0)],
        )
        self.assertIn("from 2 to 2.0", self.only(result, "frozen-at-capture").what)

    def test_one_tensor_in_two_places(self):
        """Clones of the two are one tensor, too."""

        def fn(written, read):
            written.data = [written.data[0] + 1]
            return read

        one = self.tensor(1)
        result = self.compare(fn, lambda a, b: self.memory.new([b.data[0] + 1]), [(one, one)])
        self.assertEqual(self.kinds(result), ["equal", "not-tested"])

    def test_several_at_once(self):
        """One scalar frozen in one output, and a branch on a tensor in another one."""

        def eager(x, scale, bias):
            return [x[0] * scale, 0], [0, 0] if x[0] > 5 else [x[0], bias]

        def graph(x, scale, bias):
            return (
                self.memory.new([x.data[0] * 2, 0]),
                self.memory.new([x.data[0], bias]),
            )

        inputs = [(self.tensor(1, 2), 2, 7), (self.tensor(9, 4), 3, 8)]
        result = self.compare(self.eager(eager), graph, inputs, names=["x", "scale", "bias"])
        first, second = result.of("frozen-at-capture")
        self.assertEqual(
            (first.evidence["argument"], first.evidence["outputs"]), ("scale", ["output[0]"])
        )
        self.assertEqual(
            (second.evidence["argument"], second.evidence["outputs"]), ("x", ["output[1]"])
        )
        self.assertEqual(self.kinds(result), ["frozen-at-capture"] * 2)

    def test_frozen_in_one_output_and_followed_in_another(self):
        def graph(x, scale):
            return self.memory.new([x.data[0] * 2]), self.memory.new([x.data[0] + scale])

        fn = self.eager(lambda x, scale: ([x[0] * scale], [x[0] + scale]))
        result = self.compare(fn, graph, [(self.tensor(1), 2), (self.tensor(3), 3)])
        self.assertEqual(self.kinds(result), ["frozen-at-capture"])
        self.assertEqual(result.verdicts[0].evidence["outputs"], ["output[0]"])

    def test_what_could_not_be_tested(self):
        fn = self.eager(lambda x, unused, same: x)

        def graph(x, unused, same):
            return self.memory.new(x.data)

        result = self.compare(fn, graph, [(self.tensor(1), 1, 5), (self.tensor(2), 2, 5)])
        words = [verdict.what for verdict in result.of("not-tested")]
        self.assertEqual(len(words), 2)
        self.assertIn("argument 1 (unused)" if "unused" in words[0] else "argument 1", words[0])
        self.assertIn("eager gives the same", words[0])
        self.assertIn("the same in all input sets", words[1])
        self.assertTrue(result.ok)

    def test_an_exchange_that_the_graph_refuses(self):
        def graph(x):
            if x.size != 2:
                raise RuntimeError("shape")
            return self.memory.new(double(x.data))

        result = self.compare(self.eager(double), graph, [(self.tensor(1, 2),), (self.tensor(1),)])
        self.assertIn("RuntimeError: shape", self.only(result, "not-tested").what)

    def test_one_input_set(self):
        result = self.compare(
            self.eager(double),
            inputs=[(self.tensor(1, 2),)],
            **self.captured(double, self.tensor(0, 0)),
        )
        self.assertEqual(self.kinds(result), ["equal", "not-tested"])
        self.assertIn("one input set", result.verdicts[1].what)

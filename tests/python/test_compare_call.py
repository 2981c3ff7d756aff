# SPDX-License-Identifier: Apache-2.0
"""The other kinds (unstable, different, within a tolerance), wrong use, and what a Comparison
says."""

import itertools
import json
import subprocess
import sys

import bohr
from compare_case import CompareCase
from fake_backend import Tensor


class Kinds(CompareCase):
    def run_pair(self, eager, graph, **options):
        return self.compare(
            self.eager(eager),
            lambda x: self.memory.new(graph(x.data)),
            [(self.tensor(10, 20),), (self.tensor(30, 40),)],
            **options,
        )

    def test_graph_that_varies(self):
        times = itertools.count()
        result = self.run_pair(lambda x: x, lambda x: [x[0], next(times) % 5])
        found = self.only(result, "unstable")
        self.assertFalse(found.evidence["eager_varies"])
        self.assertIn("bohr run --explore", found.what)
        self.assertEqual(result.of("equal"), [])

    def test_both_vary_in_one_of_two_outputs(self):
        times = itertools.count()
        fn = self.eager(lambda x: (x, [next(times)]))

        def graph(x):
            return self.memory.new(x.data), self.memory.new([next(times)])

        result = self.compare(fn, graph, [(self.tensor(1),), (self.tensor(2),)])
        found = self.only(result, "unstable")
        self.assertTrue(found.evidence["eager_varies"])
        self.assertEqual(found.evidence["outputs"], ["output[1]"])
        self.assertEqual(self.kinds(result), ["unstable"])
        self.assertFalse(result.ok)

    def test_captured_graph_that_varies(self):
        times = itertools.count()
        captured = self.captured(lambda x: [x[0], next(times) % 5], self.tensor(0, 0))
        result = self.compare(self.eager(lambda x: x), inputs=[(self.tensor(1, 2),)], **captured)
        self.only(result, "unstable")
        self.assertEqual(result.of("stale-memory"), [])

    def rarely(self, eager_always):
        """One side always varies, the other one from its sixth run on."""
        runs = {"always": itertools.count(), "rarely": itertools.count()}

        def count(side):
            return max(0, next(runs[side]) - (0 if side == "always" else 6))

        sides = ("always", "rarely") if eager_always else ("rarely", "always")
        return self.run_pair(lambda x: [x[0], count(sides[0])], lambda x: [x[0], count(sides[1])])

    def test_side_that_varies_rarely(self):
        for eager_always in (True, False):
            result = self.rarely(eager_always)
            self.assertTrue(self.only(result, "unstable").evidence["eager_varies"])
            self.assertEqual(result.of("frozen-at-capture") + result.of("equal"), [])

    def test_different(self):
        found = self.only(self.run_pair(lambda x: x, lambda x: [x[0] + 1, x[1]]), "different")
        self.assertIn("stable and different", found.what)
        self.assertEqual(found.evidence["outputs"], ["output"])

    def test_tolerance(self):
        def near(x):
            return [x[0] + 1, x[1]]

        self.only(self.run_pair(lambda x: x, near, atol=0.5), "different")
        equal = self.run_pair(lambda x: x, near, atol=1)
        self.assertEqual(self.kinds(equal), ["equal"])
        self.assertIn("within rtol 0, atol 1", equal.verdicts[0].what)
        self.assertEqual(self.kinds(self.run_pair(lambda x: x, near, rtol=0.1)), ["equal"])

    def test_noise_within_the_tolerance(self):
        times = itertools.count()
        result = self.run_pair(lambda x: x, lambda x: [x[0] + next(times) % 2, x[1]], atol=1)
        self.assertEqual(self.kinds(result), ["equal"])

    def test_eager_may_write_its_arguments(self):
        x, y = self.tensor(1, 2), self.tensor(3, 4)

        def fn(argument):
            argument.data = [argument.data[0] + 1, 0]
            return argument

        result = self.compare(fn, lambda a: self.memory.new([a.data[0] + 1, 0]), [(x,), (y,)])
        self.assertEqual(self.kinds(result), ["equal"])
        self.assertEqual((x.data, y.data), ([1, 2], [3, 4]))

    def test_eager_that_needs_more_memory_than_there_is_apart(self):
        def fn(x):
            x.data = [x.data[0] + 1]  # in place, before there is no memory: the clone is used up
            if self.memory.pool == "apart":
                raise MemoryError
            return self.memory.new(x.data)

        inputs = [(self.tensor(1),), (self.tensor(2),)]
        result = self.compare(fn, lambda x: self.memory.new([x.data[0] + 1]), inputs)
        self.assertEqual(self.kinds(result), ["equal"])
        with self.assertRaises(MemoryError):
            self.compare(self.out_of_memory, fn, inputs)

    def out_of_memory(self, x):
        raise MemoryError

    def test_nested_arguments_and_outputs(self):
        def work(state):
            return {"sum": self.memory.new([state["a"].data[0] + state["b"][0].data[0]]), "n": 3}

        def sets():
            return {"a": self.tensor(1), "b": [self.tensor(2)]}

        result = self.compare(
            work, work, [(sets(),), ({"a": self.tensor(9), "b": [self.tensor(8)]},)]
        )
        self.assertEqual(self.kinds(result), ["equal"])
        wrong = self.compare(work, lambda state: {**work(state), "n": 4}, [(sets(),)])
        self.assertEqual(
            self.only(wrong, "different").evidence["difference"],
            {"output['n']": "eager 3, graph 4"},
        )


class Misuse(CompareCase):
    def refused(self, words, fn=None, graph=None, inputs=None, **options):
        fn = fn or self.eager(lambda x: x)
        inputs = [(self.tensor(1, 2),)] if inputs is None else inputs
        with self.assertRaisesRegex(ValueError, words):
            self.compare(fn, graph or (lambda x: x), inputs, **options)

    def test_arguments_of_the_call(self):
        captured = self.captured(lambda x: x, self.tensor(0, 0))
        graph, outputs = captured["graph"], captured["static_outputs"]
        inputs = captured["static_inputs"]
        self.refused("needs at least one", inputs=[])
        self.refused("no tuple of arguments", inputs=[self.tensor(1)])
        self.refused("other arguments than", inputs=[(self.tensor(1),), (self.tensor(1), 2)])
        self.refused("other arguments than", inputs=[(self.tensor(1),), (2,)])
        self.refused("on the CPU", inputs=[(Tensor(self.memory, 0, 2, "cpu"),)])
        self.refused("eager function", fn=3)
        self.refused("neither", graph=3)
        self.refused("rtol is -1", rtol=-1)
        self.refused("names has 2", names=["a", "b"])
        self.refused("belong to a torch.cuda.CUDAGraph", static_inputs=inputs)
        self.refused("static_inputs is missing", graph=graph, static_outputs=outputs)
        self.refused("static_outputs is missing", graph=graph, static_inputs=inputs)
        self.refused("holds no tensor", graph=graph, static_inputs=inputs, static_outputs=[])
        self.refused("does not fit", inputs=[(self.tensor(1, 2, 3),)], **captured)
        self.refused("does not fit", inputs=[(self.tensor(1, 2),), (self.tensor(1),)], **captured)
        self.refused("one entry for each", graph=graph, static_inputs=(), static_outputs=outputs)
        self.refused("is none", inputs=[(3,)], **captured)

    def test_outputs(self):
        self.refused("the same structure", graph=lambda x: (x, x))
        self.refused("returns nothing", fn=lambda x: (), graph=lambda x: ())

    def test_an_error_of_fn_is_its_own(self):
        with self.assertRaises(ZeroDivisionError):
            self.compare(lambda x: 1 / 0, lambda x: x, [(self.tensor(1),)])


class Words(CompareCase):
    def test_text_and_json(self):
        result = self.compare(
            self.eager(lambda x, scale: [x[0] * scale]),
            lambda x, scale: self.memory.new([x.data[0] * 2]),
            [(self.tensor(1), 2), (self.tensor(5), 3)],
            names=("x", "scale"),
        )
        text = str(result)
        self.assertIn("GRAPH AND EAGER DO NOT AGREE: 1 verdict   2 input sets, 1 output", text)
        self.assertIn("frozen-at-capture   argument 1 (scale) is frozen", text)
        self.assertIn("outputs: output", text)
        self.assertTrue(all(len(line) <= 100 for line in text.splitlines()), text)
        read = json.loads(json.dumps(result.to_dict()))
        self.assertEqual((read["schema"], read["ok"]), ("bohr.comparison/1", False))
        self.assertEqual(read["verdicts"][0]["evidence"]["argument"], "scale")

    def test_agreement(self):
        result = bohr.Comparison([bohr.Verdict("equal", "all equal")], 1, 1)
        self.assertIn("GRAPH AND EAGER AGREE   1 input set, 1 output, byte by byte", str(result))

    def test_import_needs_no_torch(self):
        code = "import sys, bohr; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code], check=False).returncode, 0)

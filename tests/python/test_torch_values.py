# SPDX-License-Identifier: Apache-2.0
"""Tensors as values, where PyTorch is installed; no GPU is needed for that."""

import unittest

try:
    import torch
except ImportError:
    torch = None


@unittest.skipUnless(torch, "PyTorch is not installed")
class TorchValues(unittest.TestCase):
    def setUp(self):
        from bohr import torch_values

        self.values = torch_values

    def same(self, a, b, rtol=0.0, atol=0.0):
        return self.values.same(torch.tensor(a), torch.tensor(b), rtol, atol)

    def test_bytes(self):
        nan = float("nan")
        self.assertTrue(self.same([1.0, nan], [1.0, nan]))
        self.assertFalse(self.same([0.0], [-0.0]))
        self.assertFalse(self.same([1, 2], [1.0, 2.0]))
        self.assertFalse(self.same([1, 2], [[1, 2]]))
        self.assertTrue(self.same([], []))
        self.assertTrue(self.same([True, False], [True, False]))
        self.assertTrue(self.same(1j, 1j))

    def test_tolerance(self):
        self.assertTrue(self.same([1.0, 2.0], [1.001, 2.0], rtol=0.01))
        self.assertFalse(self.same([1.0, 2.0], [1.1, 2.0], rtol=0.01))
        self.assertFalse(self.same([1], [2], atol=5), "whole numbers are right or wrong")
        half = torch.tensor([1.0, 2.0]).half()
        self.assertTrue(self.values.same(half, half * 1.001, 0.01, 0.0))

    def test_difference(self):
        found = self.values.difference(
            torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, 2.5], [3.0, float("nan")]])
        )
        self.assertEqual(
            found,
            {"elements": 2, "of": 4, "first": 1, "eager": "2.0", "graph": "2.5", "largest": "0.5"},
        )
        found = self.values.difference(torch.zeros(2), torch.zeros(3))
        self.assertEqual(found["graph"], "float32 (3,) on cpu")

    def test_copies(self):
        source = torch.arange(6.0).view(2, 3).t().requires_grad_()
        cloned, taken = self.values.clone(source), self.values.snapshot(source)
        self.assertEqual(cloned.stride(), source.stride())
        self.assertTrue(cloned.requires_grad and taken.is_contiguous() and not taken.requires_grad)
        self.assertTrue(self.values.same(cloned, taken, 0.0, 0.0))
        with torch.inference_mode():
            target = torch.zeros(3, 2)
        self.values.copy(target, source)
        self.assertTrue(self.values.same(target, taken, 0.0, 0.0))

    def test_complaints(self):
        self.assertIn("is on cpu", self.values.complaint(torch.zeros(1)))
        self.assertIn("sparse", self.values.complaint(torch.zeros(2, 2).to_sparse()))
        with self.assertRaisesRegex(ValueError, "sparse"):
            self.values.snapshot(torch.zeros(2, 2).to_sparse())

# SPDX-License-Identifier: Apache-2.0
"""Bohr from Python: compares a CUDA graph with the eager function that it was captured from.

    import bohr
    print(bohr.compare(fn, graph, [(x, 2.0), (y, 3.0)]))

Importing this needs neither a GPU nor PyTorch; comparing needs both.
"""

from .compare import compare
from .comparison import Comparison, Verdict

__all__ = ["Comparison", "Verdict", "compare"]

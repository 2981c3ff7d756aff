# SPDX-License-Identifier: Apache-2.0
"""What a comparison knows so far. Outputs are numbers of leaves, in the order of their names."""

from . import structure
from .comparison import NOT_TESTED, Verdict


class Known:
    def __init__(self, run, sets, labels, rtol, atol):
        self.run, self.sets, self.labels, self.rtol, self.atol = run, sets, labels, rtol, atol
        self.names = []
        self.eager = self.graph = None  # leaves, with the first input set
        self.varies = set()  # outputs that differ from run to run on one side at least
        self.unequal = set()  # stable outputs that differ with the first input set
        self.stale = set()  # outputs that depend on free memory
        self.frozen = set()  # outputs that do not follow some argument
        self.verdicts = []

    def add(self, kind, what, **evidence):
        self.verdicts.append(Verdict(kind, what, evidence))

    def not_tested(self, what, **evidence):
        self.add(NOT_TESTED, what, **evidence)

    @property
    def stable(self):
        return set(range(len(self.names))) - self.varies

    # --- comparing

    def same(self, a, b):
        backend = self.run.backend
        if backend.is_tensor(a) and backend.is_tensor(b):
            return backend.same(a, b, self.rtol, self.atol)
        return not backend.is_tensor(a) and not backend.is_tensor(b) and (a is b or a == b)

    def differing(self, a, b, among):
        return {output for output in among if not self.same(a[output], b[output])}

    def same_argument(self, a, b):
        """Compared byte by byte, whatever the tolerance of outputs is."""
        backend = self.run.backend

        def same(x, y):
            if backend.is_tensor(x):
                return backend.same(x, y, 0.0, 0.0)
            return type(x) is type(y) and x == y

        pairs = zip(structure.leaves(a), structure.leaves(b))
        return all(same(x, y) for (_, x), (_, y) in pairs)

    # --- words

    def output_name(self, output):
        return f"output{self.names[output]}"

    def output_names(self, outputs):
        return [self.output_name(output) for output in sorted(outputs)]

    def output_words(self, outputs):
        named = self.output_names(outputs)
        if len(named) > 4:
            return f"{', '.join(named[:3])} and {len(named) - 3} more"
        return " and ".join([", ".join(named[:-1]), named[-1]] if named[1:] else named)

    def argument(self, index):
        label = self.labels[index]
        return f"argument {index} ({label})" if label else f"argument {index}"

    def differences(self, outputs, graph, eager=None):
        eager = self.eager if eager is None else eager
        return {
            self.output_name(output): self.difference(eager[output], graph[output])
            for output in sorted(outputs)
        }

    def difference(self, eager, graph):
        backend = self.run.backend
        if backend.is_tensor(eager) and backend.is_tensor(graph):
            return backend.difference(eager, graph)
        return f"eager {eager!r:.60}, graph {graph!r:.60}"

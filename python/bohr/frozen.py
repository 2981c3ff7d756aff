# SPDX-License-Identifier: Apache-2.0
"""Finds what a capture took once and for all: arguments that the graph does not follow, and
decisions of the host that it does not make again.

From the first input set to each other one, arguments are exchanged one at a time. Eager says what
should happen. A graph that stays where it was has that argument frozen. One that goes elsewhere
than eager, though both agreed on the first set, follows it only in part. Then the other set as a
whole, for what shows only when several arguments change together.
"""

from .comparison import FROZEN, UNSTABLE

_PARTLY = (
    "A decision of the host was frozen: `.item()`, a Python branch, a shape. Make it on the device "
    "(torch.where, masks), or capture one graph for each outcome."
)


def look(known):
    if len(known.sets) == 1:
        known.not_tested(
            "frozen-at-capture: there is one input set. Give a second one in which the arguments "
            "differ."
        )
        return
    if not known.stable:
        known.not_tested("frozen-at-capture: no output is stable")
        return
    search = _Search(known)
    for index in range(1, len(known.sets)):
        search.exchange(index)
    search.report()


class _Search:
    def __init__(self, known):
        self.known = known
        self.stuck = {}  # argument -> (outputs, input set)
        self.partly = {}  # argument, or None for several together -> (outputs, set, differences)
        self.exchanged, self.mattered, self.refused = set(), set(), {}

    def exchange(self, index):
        first, other = self.known.sets[0], self.known.sets[index]
        changed = [
            argument
            for argument in range(len(first))
            if not self.known.same_argument(first[argument], other[argument])
        ]
        self.exchanged |= set(changed)
        for argument in changed:
            self.follow(index, argument, _mixed(first, other, [argument]))
        if len(changed) > 1:
            for stuck, outputs in self.by_stuck(changed).items():
                followed = [argument for argument in changed if argument not in stuck]
                self.together(index, _mixed(first, other, followed), other, outputs)

    def follow(self, index, argument, arguments):
        """One argument exchanged."""
        known = self.known
        eager, graph = self.both(argument, arguments, arguments)
        if eager is None:
            return
        follows = known.differing(known.eager, eager, known.stable)
        self.mattered |= {argument} if follows else set()
        stuck = follows - known.differing(known.graph, graph, follows)
        if stuck:
            before = self.stuck.get(argument, (set(), index))
            self.stuck[argument] = (before[0] | stuck, before[1])
            known.frozen |= stuck
        agreed = known.stable - known.unequal - known.stale - stuck
        self.note(argument, index, arguments, arguments, eager, graph, agreed)

    def by_stuck(self, changed):
        """The arguments that outputs do not follow -> these outputs."""
        groups = {}
        for output in self.known.stable - self.known.unequal - self.known.stale:
            stuck = tuple(a for a in changed if a in self.stuck and output in self.stuck[a][0])
            groups.setdefault(stuck, set()).add(output)
        return groups

    def together(self, index, followed, arguments, outputs):
        """All exchanged. Where arguments are frozen, eager gets those of the first set."""
        outputs = outputs - set().union(*(partly for partly, _, _ in self.partly.values()))
        if not outputs:
            return
        eager, graph = self.both(None, followed, arguments)
        if eager is not None:
            self.note(None, index, followed, arguments, eager, graph, outputs)

    def both(self, argument, for_eager, for_graph):
        """The outputs of both, or None where one refuses such arguments."""
        run = self.known.run
        try:
            eager = run.eager(for_eager)
            graph = run.graph(for_graph)
            if eager.names == graph.names == self.known.names:
                return eager.leaves, graph.leaves
            self.refused[argument] = "the structure of the outputs changed"
        except Exception as error:  # the caller's code: a shape that the graph was not made for
            self.refused[argument] = f"{type(error).__name__}: {error}"
        return None, None

    def note(self, argument, index, for_eager, for_graph, eager, graph, agreed):
        """The graph went elsewhere than eager, and does so again."""
        known, run = self.known, self.known.run
        wrong = known.differing(eager, graph, agreed)
        if not wrong:
            return
        wrong -= known.differing(eager, run.eager(for_eager).leaves, wrong)
        varies = known.differing(graph, run.graph(for_graph).leaves, wrong)
        if varies:
            known.add(
                UNSTABLE,
                f"{known.output_words(varies)}: replays with input set {index} differ, eager does "
                "not. `bohr run --explore -- CMD` looks for the race.",
                outputs=known.output_names(varies),
                eager_varies=False,
            )
        wrong -= varies
        if wrong and argument not in self.partly:
            self.partly[argument] = (wrong, index, known.differences(wrong, graph, eager))

    # --- in words

    def report(self):
        known = self.known
        for argument, (outputs, index) in sorted(self.stuck.items()):
            known.add(
                FROZEN,
                self.stuck_words(argument, outputs, index),
                argument=known.labels[argument] or argument,
                argument_index=argument,
                outputs=known.output_names(outputs),
                input_set=index,
            )
        for argument, (outputs, index, differences) in self.partly.items():
            subject = "the arguments together" if argument is None else known.argument(argument)
            evidence = (
                {}
                if argument is None
                else {
                    "argument": known.labels[argument] or argument,
                    "argument_index": argument,
                }
            )
            known.add(
                FROZEN,
                f"{subject} partly frozen: with input set {index} the graph gives something else "
                f"than eager in {known.output_words(outputs)}, and with the first set the same. "
                f"{_PARTLY}",
                **evidence,
                outputs=known.output_names(outputs),
                input_set=index,
                difference=differences,
            )
        self.report_gaps()

    def stuck_words(self, argument, outputs, index):
        known = self.known
        before, after = known.sets[0][argument], known.sets[index][argument]
        where = known.output_words(outputs)
        if known.run.backend.is_tensor(before) or isinstance(before, (tuple, list, dict)):
            return (
                f"{known.argument(argument)} is frozen: eager follows it, and {where} of the graph "
                "does not change. The graph reads the memory that was captured, not this argument. "
                "Copy it into the static tensor before each replay (static.copy_(argument))."
            )
        return (
            f"{known.argument(argument)} is frozen: from {before!r:.40} to {after!r:.40} eager "
            f"follows, and {where} of the graph does not change. A graph keeps the plain values "
            "of its capture. Give it as a tensor that the graph reads, or capture one graph for "
            "each value."
        )

    def report_gaps(self):
        known = self.known
        if known.stale:
            known.not_tested(
                f"frozen-at-capture, in part: {known.output_words(known.stale)}, because of what "
                "is read from free memory. Compare again when that is repaired."
            )
        for argument, reason in self.refused.items():
            what = "all arguments" if argument is None else known.argument(argument)
            known.not_tested(f"frozen-at-capture: {what} could not be exchanged: {reason}")
        for argument in range(len(known.sets[0])):
            if argument in self.refused or argument in self.mattered:
                continue
            why = (
                "eager gives the same with all its values"
                if argument in self.exchanged
                else "it is the same in all input sets"
            )
            known.not_tested(f"frozen-at-capture: {known.argument(argument)}: {why}")


def _mixed(first, other, exchanged):
    return tuple(
        other[argument] if argument in exchanged else first[argument]
        for argument in range(len(first))
    )

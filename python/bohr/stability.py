# SPDX-License-Identifier: Apache-2.0
"""Runs both sides several times with the first input set: what varies by itself cannot be compared,
and which side varies says why.

    eager  graph
    same   same     compared
    same   varies   a race, or state that the graph carries from launch to launch
    varies varies   atomics, random numbers: nothing to compare
    varies same     what varies on the host, the capture took once and for all
"""

from . import check_call
from .comparison import FROZEN, STALE, UNSTABLE

_RUNS = 3
_MORE = 8  # where one side varies and the other did not yet


def look(known):
    run, first = known.run, known.sets[0]
    eager, graph = run.eager(first), run.graph(first)
    check_call.check_outputs(eager, graph)
    known.names, known.eager, known.graph = eager.names, eager.leaves, graph.leaves
    eager_varies = _varying(known, run.eager, known.eager, _RUNS - 1)
    graph_varies = _varying(known, run.graph, known.graph, _RUNS - 1)
    if eager_varies - graph_varies:
        graph_varies |= _varying(known, run.graph, known.graph, _MORE)
    if graph_varies - eager_varies:
        eager_varies |= _varying(known, run.eager, known.eager, _MORE)
    known.varies = eager_varies | graph_varies
    _both(known, eager_varies & graph_varies)
    _graph_alone(known, graph_varies - eager_varies)
    _eager_alone(known, eager_varies - graph_varies)
    known.unequal = known.differing(known.eager, known.graph, known.stable)


def _varying(known, side, before, times):
    found = set()
    for _ in range(times):
        found |= known.differing(before, side(known.sets[0]).leaves, range(len(known.names)))
    return found


def _both(known, outputs):
    if outputs:
        known.add(
            UNSTABLE,
            f"{known.output_words(outputs)}: differs from run to run in eager as well (atomics, "
            "random numbers), so that graph and eager cannot be compared there. Fix the seed, make "
            "it deterministic, or give rtol and atol.",
            outputs=known.output_names(outputs),
            eager_varies=True,
        )


def _graph_alone(known, outputs):
    carried = outputs - _varying_when_reset(known) if outputs and known.run.statics else set()
    if carried:
        known.add(
            STALE,
            f"{known.output_words(carried)}: carried over from an earlier launch. The graph reads "
            "what it left in its own static tensors the time before; eager starts afresh. Write "
            "them in the graph before they are read.",
            outputs=known.output_names(carried),
        )
    if outputs - carried:
        known.add(
            UNSTABLE,
            f"{known.output_words(outputs - carried)}: replays with the same inputs and the same "
            "free memory differ, eager does not. That is a race in the graph (`bohr run --explore "
            "-- CMD` finds the two steps), or state in live memory that the graph changes.",
            outputs=known.output_names(outputs - carried),
            eager_varies=False,
        )


def _varying_when_reset(known):
    def side(arguments):
        return known.run.graph(arguments, reset=True)

    return _varying(known, side, side(known.sets[0]).leaves, _RUNS)


def _eager_alone(known, outputs):
    if outputs:
        known.add(
            FROZEN,
            f"{known.output_words(outputs)}: hidden state is frozen. With the same arguments eager "
            "gives something else from call to call and the graph never does: a counter or a "
            "random number of the host was taken once, at capture. Keep it in a tensor that "
            "is written before each replay.",
            outputs=known.output_names(outputs),
            runs=_RUNS + _MORE,
        )

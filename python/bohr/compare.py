# SPDX-License-Identifier: Apache-2.0
"""Compares a CUDA graph with its eager function, and says what kind of defect makes them differ."""

from . import check_call, frozen, stability, stale
from .comparison import DIFFERENT, EQUAL, Comparison, Verdict, count, how_equal
from .known import Known
from .runner import Runner


def compare(
    fn,
    graph,
    inputs,
    *,
    static_inputs=None,
    static_outputs=None,
    rtol=0.0,
    atol=0.0,
    names=None,
):
    """Compares what `graph` gives with what `fn` gives, and returns a Comparison.

    fn: the eager function; returns a tensor, or tuples, lists and dicts of tensors.
    graph: a callable that takes the same arguments and returns the same structure, or a
        torch.cuda.CUDAGraph with `static_inputs` (for each argument the tensor that the capture
        read, or None) and `static_outputs` (what the capture returned).
    inputs: a list of argument tuples. The first is what was captured, or what is believed right.
        A second one, in which the arguments differ, is what shows frozen arguments: they are
        exchanged one by one, so each mixture of the two has to be valid.
    rtol, atol: how far values may be apart; both 0 asks for the same bytes.
    names: names of the arguments for the report; by default those of fn's parameters.

    Arguments, static tensors and free memory are left as they were. A defect never raises; wrong
    use raises ValueError. Nothing else may use the GPU from this process meanwhile.
    """
    from .torch_backend import TorchBackend

    backend = TorchBackend(graph)
    return compare_on(backend, fn, graph, inputs, static_inputs, static_outputs, rtol, atol, names)


def compare_on(
    backend,
    fn,
    graph,
    inputs,
    static_inputs=None,
    static_outputs=None,
    rtol=0.0,
    atol=0.0,
    names=None,
):
    """The same on any backend; torch_backend.py is the one for PyTorch."""
    check_call.check_tolerance(rtol, atol)
    sets, statics = check_call.check(backend, fn, graph, inputs, static_inputs, static_outputs)
    labels = check_call.argument_names(fn, names, len(sets[0]))
    run = Runner(backend, fn, graph, statics)
    try:
        run.start(sets[0])
        known = Known(run, sets, labels, rtol, atol)
        stability.look(known)
        stale.look(known)
        frozen.look(known)
        _rest(known)
    finally:
        run.finish()
    return Comparison(known.verdicts, len(sets), len(known.names), rtol, atol)


def _rest(known):
    """What differs and was not explained; and if nothing does, that all is equal."""
    unexplained = known.unequal - known.stale - known.frozen
    if unexplained:
        known.add(
            DIFFERENT,
            f"{known.output_words(unexplained)}: stable and different, with the first input set "
            "already. Eager always gives one result and the graph always another one: something "
            "that both read was replaced since the capture, other kernels were chosen, or memory "
            "is read that was never written.",
            outputs=known.output_names(unexplained),
            difference=known.differences(unexplained, known.graph),
        )
    compared = len(known.names) - len(known.varies)
    if all(verdict.kind == "not-tested" for verdict in known.verdicts):
        known.verdicts.append(
            Verdict(
                EQUAL,
                f"{count(compared, 'output')} of {count(len(known.sets), 'input set')} compared "
                f"{how_equal(known.rtol, known.atol)}: all equal.",
            )
        )

# SPDX-License-Identifier: Apache-2.0
"""Refuses calls of `compare` that cannot mean what they say, with a ValueError in words."""

import inspect

from . import structure
from .runner import Statics


def check(backend, fn, graph, inputs, static_inputs, static_outputs):
    """The input sets as tuples, and the static tensors of a captured graph or None."""
    if not callable(fn):
        raise ValueError("fn is the eager function, to be called as fn(*inputs[0])")
    sets = _input_sets(backend, inputs)
    if backend.is_graph(graph):
        statics = _statics(backend, static_inputs, static_outputs)
        for index, arguments in enumerate(sets):
            _fit(backend, statics.inputs, arguments, index)
        return sets, statics
    if not callable(graph):
        raise ValueError("graph is neither a torch.cuda.CUDAGraph nor a callable")
    if static_inputs is not None or static_outputs is not None:
        raise ValueError(
            "static_inputs and static_outputs belong to a torch.cuda.CUDAGraph; a callable is "
            "given the arguments themselves"
        )
    return sets, None


def check_tolerance(rtol, atol):
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise ValueError(f"{name} is {value!r}, and has to be 0 or more")


def check_outputs(eager, graph):
    if eager.names != graph.names:
        raise ValueError(
            f"fn returns {_names(eager.names)} and the graph {_names(graph.names)}: let both "
            "return the same structure"
        )
    if not eager.names:
        raise ValueError("fn returns nothing; let it return the tensors that are to be compared")


def argument_names(fn, names, number):
    """As given, else as in fn's signature, else none."""
    if names is not None:
        names = list(names)
        if len(names) != number:
            raise ValueError(f"names has {len(names)} entries for {number} arguments")
        return names
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    known = [parameter.name for parameter in parameters if parameter.kind in positional]
    return (known + [""] * number)[:number]


def _input_sets(backend, inputs):
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs is a list of argument tuples and needs at least one: [(x,), (y,)]")
    shape = None
    for index, arguments in enumerate(inputs):
        if not isinstance(arguments, (list, tuple)):
            raise ValueError(
                f"inputs[{index}] is no tuple of arguments; for one argument write (x,)"
            )
        own = structure.shape(tuple(arguments), backend.is_tensor)
        if shape is not None and own != shape:
            raise ValueError(f"inputs[{index}] has other arguments than inputs[0]")
        shape = own
        for name, leaf in structure.leaves(tuple(arguments)):
            complaint = backend.complaint(leaf) if backend.is_tensor(leaf) else None
            if complaint:
                raise ValueError(f"inputs[{index}]{name} {complaint}")
    return [tuple(arguments) for arguments in inputs]


def _statics(backend, inputs, outputs):
    if inputs is None or outputs is None:
        missing = "static_inputs" if inputs is None else "static_outputs"
        raise ValueError(
            f"{missing} is missing: a torch.cuda.CUDAGraph takes no arguments, so give the tensors "
            "that the capture read as static_inputs and what it returned as static_outputs"
        )
    if not isinstance(inputs, (list, tuple)):
        raise ValueError("static_inputs is a tuple with one entry for each argument")
    for name, leaf in structure.leaves({"static_inputs": inputs, "static_outputs": outputs}):
        complaint = backend.complaint(leaf) if backend.is_tensor(leaf) else None
        if complaint:
            raise ValueError(f"{name} {complaint}")
    if not any(backend.is_tensor(leaf) for _, leaf in structure.leaves(outputs)):
        raise ValueError("static_outputs holds no tensor")
    return Statics(tuple(inputs), outputs)


def _fit(backend, statics, arguments, index):
    static = dict(structure.leaves(statics))
    given = dict(structure.leaves(arguments))
    if list(static) != list(given):
        raise ValueError(
            f"static_inputs has the structure {_names(list(static))} and inputs[{index}] "
            f"{_names(list(given))}: one entry for each argument, None where the capture read no "
            "static tensor"
        )
    for name, leaf in given.items():
        target = static[name]
        if not backend.is_tensor(target):
            continue
        if not backend.is_tensor(leaf):
            raise ValueError(f"static_inputs{name} is a tensor and inputs[{index}]{name} is none")
        if backend.layout(leaf) != backend.layout(target):
            raise ValueError(
                f"inputs[{index}]{name} is {backend.layout(leaf)} and does not fit "
                f"static_inputs{name}, {backend.layout(target)}: a graph has one shape"
            )


def _names(names):
    if names == [""]:
        return "one value"
    shown = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
    return f"{len(names)} values ({shown})" if names else "nothing"

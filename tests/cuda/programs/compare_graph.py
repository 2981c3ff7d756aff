# SPDX-License-Identifier: Apache-2.0
# compare_graph.py NAME.race|NAME.clean...: one defect each that bohr.compare tells by name, and its
# repaired twin. Prints "NAME.race: KIND...", the kinds of the verdicts; the whole report goes to
# standard error. Needs the folder python/ on PYTHONPATH, or `bohr run`.
#
#   scalar     a plain value was captured
#   rebound    the wrapper binds its argument to a name, in place of copying it
#   item       a branch on .item() was captured
#   counter    a counter of the host was captured
#   freed      weights were dropped
#   again      the same, and their block was handed out again
#   written    a buffer was dropped that the graph writes
#   carry      scratch is read before it is written
#   different  other arithmetic
#   graphed    make_graphed_callables, whose wrapper takes a plain value
#   compiled   torch.compile(mode="reduce-overhead"); clean only
import os
import sys

import torch

import bohr

N = 10_000
if "BOHR_AGENT" not in os.environ:  # `bohr run` keeps the allocator's history itself
    torch.cuda.memory._record_memory_history(stacks="python")


def numbers(seed, shift=0.0):
    generator = torch.Generator(device="cuda").manual_seed(seed)
    return torch.rand(N, device="cuda", generator=generator) + shift


def captured(work, *statics):
    """The graph as keywords for compare. Plain values among the statics are baked in."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            work(*statics)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = work(*statics)
    graph.replay()
    torch.cuda.synchronize()
    return {"graph": graph, "static_inputs": statics, "static_outputs": outputs}


def two_sets():
    return [(numbers(1),), (numbers(2),)]


def scalar(race):
    def work(x, scale):
        return x * scale + 1

    values = (2.0, 3.0) if race else (torch.tensor(2.0).cuda(), torch.tensor(3.0).cuda())
    inputs = [(numbers(1), values[0]), (numbers(2), values[1])]
    static = values[0] if race else values[0].clone()
    return bohr.compare(work, inputs=inputs, **captured(work, numbers(1), static))


def rebound(race):
    static = numbers(1)
    parts = captured(lambda x: x * 2, static)

    def wrapper(x):
        nonlocal static
        if race:
            static = x
        else:
            static.copy_(x)
        parts["graph"].replay()
        return parts["static_outputs"].clone()

    return bohr.compare(lambda x: x * 2, wrapper, two_sets())


def item(race):
    decided = True

    def branch(x):
        nonlocal decided
        if not torch.cuda.is_current_stream_capturing():
            decided = x.sum().item() > 0
        return x * 2 if decided else x * -3

    def where(x):
        return torch.where(x.sum() > 0, x * 2, x * -3)

    work = branch if race else where
    inputs = [(numbers(1),), (numbers(2),), (numbers(3, shift=-2.0),)]
    return bohr.compare(work, inputs=inputs, **captured(work, numbers(1)))


def counter(race):
    calls = 0

    def counting(x):
        nonlocal calls
        calls += 1
        return x + calls

    if race:
        return bohr.compare(counting, inputs=two_sets(), **captured(counting, numbers(1)))
    inputs = [(numbers(seed), torch.tensor(float(seed)).cuda()) for seed in (1, 2)]
    statics = (numbers(1), torch.tensor(1.0).cuda())
    return bohr.compare(
        torch.add, inputs=inputs, names=["x", "count"], **captured(torch.add, *statics)
    )


def weights(race, again):
    held = [numbers(7)]
    kept, inputs, address = held[0].clone(), two_sets(), held[0].data_ptr()
    parts = captured(lambda x: x + held[0], numbers(1))
    owner = held[0]
    if race:
        owner = None
        held.clear()
    others = [torch.full((N,), 9.0, device="cuda") for _ in range(100 if again else 0)]
    if race and again and all(other.data_ptr() != address for other in others):
        raise SystemExit("the allocator did not hand out the block again")
    result = bohr.compare(lambda x: x + kept, inputs=inputs, **parts)
    if not all(bool((other == 9.0).all()) for other in others):
        raise SystemExit("the block's owner lost its bytes")
    del owner
    return result


def freed(race):
    return weights(race, again=False)


def again(race):
    return weights(race, again=True)


def written(race):
    buffer = [numbers(7)]
    inputs = two_sets()

    def work(x):
        torch.mul(x, 2, out=buffer[0])
        return x + 1

    parts = captured(work, numbers(1))
    owner = None if race else buffer[0]
    buffer.clear()
    result = bohr.compare(lambda x: x + 1, inputs=inputs, **parts)
    del owner
    return result


def carry(race):
    def work(x, make):
        scratch = make(N, device="cuda")
        total = x + scratch
        scratch.copy_(x)
        return total

    parts = captured(lambda x: work(x, torch.empty if race else torch.zeros), numbers(1))
    return bohr.compare(lambda x: work(x, torch.zeros), inputs=two_sets(), **parts)


def different(race):
    parts = captured(lambda x: x * 2 + 1 if race else x * 2, numbers(1))
    return bohr.compare(lambda x: x * 2, inputs=two_sets(), **parts)


def graphed(race):
    graph = torch.cuda.make_graphed_callables(lambda x: x * 2.0, (numbers(1),))
    if not race:
        return bohr.compare(lambda x: x * 2.0, graph, two_sets())
    inputs = [(numbers(1), 2.0), (numbers(2), 3.0)]
    return bohr.compare(lambda x, scale: x * scale, lambda x, scale: graph(x), inputs)


def compiled(race):
    if race:
        raise SystemExit("torch.compile looks at plain values itself")
    graph = torch.compile(lambda x: x * 2.0, mode="reduce-overhead")
    return bohr.compare(lambda x: x * 2.0, graph, two_sets())


PROGRAMS = (
    scalar,
    rebound,
    item,
    counter,
    freed,
    again,
    written,
    carry,
    different,
    graphed,
    compiled,
)
for wanted in sys.argv[1:]:
    name, arm = wanted.split(".")
    program = {function.__name__: function for function in PROGRAMS}[name]
    comparison = program({"race": True, "clean": False}[arm])
    print(f"{wanted}:", *(verdict.kind for verdict in comparison.verdicts), flush=True)
    print(f"{wanted}\n{comparison}\n", file=sys.stderr, flush=True)

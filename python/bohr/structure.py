# SPDX-License-Identifier: Apache-2.0
"""Nested tuples, lists and dicts as leaves with names, and copies of them.

A leaf is whatever is none of these. Two structures are the same when they have the same shape, the
same keys and tensors in the same places.
"""


def leaves(value, name=""):
    """(name, leaf) of each, in order: "", "[0]", "[1]['logits']", ..."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{name}[{key!r}]")
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            yield from leaves(item, f"{name}[{index}]")
    else:
        yield name, value


def convert(value, leaf):
    """A copy whose leaves are what `leaf` makes of them. A leaf that stands in two places is
    converted once, for its copies have to be one thing, too."""
    done = {}

    def once(item):
        if id(item) not in done:
            done[id(item)] = (item, leaf(item))  # the item is held, so that its id stays its own
        return done[id(item)][1]

    return _convert(value, once)


def _convert(value, leaf):
    if isinstance(value, dict):
        return {key: _convert(item, leaf) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_convert(item, leaf) for item in value))
    if isinstance(value, (tuple, list)):
        return type(value)(_convert(item, leaf) for item in value)
    return leaf(value)


def shape(value, is_tensor):
    """Two structures are the same when this is equal."""
    return [(name, is_tensor(leaf)) for name, leaf in leaves(value)]

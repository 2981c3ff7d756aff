# SPDX-License-Identifier: Apache-2.0
"""Finds graphs that depend on memory which has been given back.

All free blocks are filled, once with 0x00 and once with 0xff: as floats 0 and NaN, as indices 0 and
-1, which do the least harm where an index is read from there. Whatever stood there before, one of
the two is another content. A replay whose outputs change has read free memory. Which blocks is
found by halving: at most two replays for each halving of each block that matters. A block that the
graph itself writes and that lies in a private pool is its own scratch: it is read before it is
written. A block of the default pool that a replay writes belongs to nobody, or to the next one who
asks.

Blocks that were handed out again since the capture are looked at in the same way. A captured graph
cannot know who has them now; a wrapper around it can, so there eager is asked as well.
"""

from .comparison import STALE, count

_FILLS = (0x00, 0xFF)
_MAX_REPLAYS = 256  # of the halving, for each fill

_CARRIED = (
    "carried over from an earlier launch. The graph reads scratch of its own before it writes it, "
    "so that each launch sees what an earlier one left. Initialise it inside the capture."
)
_GIVEN_BACK = (
    "the graph reads memory that has been given back. Whoever gets that block next changes the "
    "result. Keep the tensor alive as long as the graph (hold a reference), or copy it into a "
    "static one."
)
_AGAIN = (
    "the graph reads memory that has been given back and was handed out again: it takes somebody "
    "else's bytes. Keep the tensor alive as long as the graph (hold a reference)."
)
_WRITTEN = (
    "the graph writes memory that has been given back. Whoever gets that block next finds it "
    "overwritten by each launch. Keep the tensor alive as long as the graph."
)


def look(known):
    memory = known.run.memory
    free = _Search(known, tuple(memory.blocks))
    again = _Search(known, tuple(memory.again))
    for byte in _FILLS:
        free.fill(byte)
        again.fill(byte)
    own = {group for group in free.scratch if all(block.private for block in group)}
    read = {block for group in free.groups for block in group}
    _report(known, _CARRIED, {group: free.groups[group] for group in own})
    _report(known, _GIVEN_BACK, {group: free.groups[group] for group in set(free.groups) - own})
    _report(known, _AGAIN, again.groups if known.run.statics else _graph_alone(known, again))
    _report(known, _WRITTEN, {(block,): set() for block in free.written - read})
    _report_gaps(known, memory)


class _Search:
    """Which of the blocks decide about outputs, alone or several together."""

    def __init__(self, known, blocks):
        self.known, self.blocks = known, blocks
        self.groups = {}  # blocks -> outputs
        self.scratch = set()  # groups that the graph itself wrote to
        self.written = set()  # free blocks of the default pool that it wrote to
        self.replays = 0

    def fill(self, byte):
        """All blocks at once, then the smallest sets that matter."""
        if not self.blocks:
            return
        self.replays = 0
        memory = self.known.run.memory
        outputs = self.changed(self.blocks, byte)
        if not self.known.run.allocates:
            shared = [block for block in self.blocks if not block.private]
            self.written |= memory.written(shared, byte)
        if not outputs or outputs & self.changed((), byte):
            return  # what differs without a fill as well is no matter of this memory
        for group in self.smallest(self.blocks, byte):
            self.groups[group] = self.groups.get(group, set()) | self.changed(group, byte)
            if memory.written(group, byte):
                self.scratch.add(group)

    def changed(self, blocks, byte):
        self.replays += 1
        known = self.known
        leaves = known.run.graph(known.sets[0], filled=blocks, byte=byte).leaves
        return known.differing(known.graph, leaves, known.stable)

    def smallest(self, blocks, byte):
        if len(blocks) == 1 or self.replays >= _MAX_REPLAYS:
            return [blocks]
        half, found = len(blocks) // 2, []
        for part in (blocks[:half], blocks[half:]):
            if self.changed(part, byte):
                found += self.smallest(part, byte)
        return found or [blocks]  # neither half alone: only together


def _graph_alone(known, search):
    """Without what eager reads as well: that may be a weight of both."""

    def eager_reads(group):
        return any(
            known.differing(
                known.eager, known.run.eager(known.sets[0], group, byte).leaves, known.stable
            )
            for byte in _FILLS
        )

    return {group: outputs for group, outputs in search.groups.items() if not eager_reads(group)}


def _report(known, what, groups):
    if not groups:
        return
    outputs = set().union(*groups.values())
    known.stale |= outputs
    evidence = {"outputs": known.output_names(outputs)} if outputs else {}
    if any(len(group) > 1 for group in groups):
        evidence["only_together"] = True
    known.add(
        STALE,
        f"{known.output_words(outputs)}: {what}" if outputs else what,
        **evidence,
        blocks=[_shown(known, block) for group in sorted(groups, key=_place) for block in group],
    )


def _place(group):
    return group[0].address


def _shown(known, block):
    shown = {"address": f"{block.address:#x}", "size": block.size, "pool": block.pool}
    shown.update(known.run.backend.stacks(block))
    return shown


def _report_gaps(known, memory):
    if memory.unavailable:
        known.not_tested(f"stale-memory: {memory.unavailable}")
        return
    if memory.again_unavailable:
        known.not_tested(
            f"stale-memory that was handed out again since the capture: {memory.again_unavailable}"
        )
    if memory.uncovered:
        size = sum(block.size for block in memory.uncovered)
        known.not_tested(
            f"stale-memory in {count(len(memory.uncovered), 'block')} of {size:,} bytes: memory "
            "does not suffice to save them",
            covered_bytes=sum(block.size for block in memory.blocks),
            uncovered_bytes=size,
        )

# SPDX-License-Identifier: Apache-2.0
"""Memory that a graph may not rely on: free blocks, which an allocator keeps and has not handed
out, and blocks that were given back since the capture and belong to somebody else by now.

Nobody may rely on what stands in free blocks, so they may be overwritten to see who does. They are
saved all the same, put back before each replay, so that all replays start from the same bytes, and
put back at the end. What was handed out meanwhile is left alone. Blocks that were handed out again
are overwritten for one replay, and hold what they held as soon as it is done.
"""

import dataclasses


class Unavailable(Exception):
    """Which memory that is cannot be told; the text says why."""


@dataclasses.dataclass(frozen=True)
class Block:
    address: int
    size: int
    device: int = 0
    pool: str = "default"
    private: bool = False  # of a pool that graphs own
    again: bool = False  # handed out again since the capture

    @property
    def end(self):
        return self.address + self.size


class FreeMemory:
    """`blocks` are free ones that could be saved, `again` those that were handed out again,
    `uncovered` those of either sort that memory did not suffice for. Why there are none of a sort
    is said by `unavailable` and `again_unavailable`."""

    def __init__(self, backend):
        self.backend = backend
        self.release()

    def release(self):
        self.blocks, self.uncovered, self.unavailable = [], [], ""
        self.again, self.again_unavailable = [], ""
        self._saved, self._overwritten = {}, []
        self._free = []  # what was free when it was last asked

    def take(self):
        """Saves what stands in free memory now; the largest last, so that most blocks are
        covered."""
        self.release()
        try:
            found = self.backend.free_blocks()
        except Unavailable as reason:
            self.unavailable = str(reason)
            return
        for block in sorted(found, key=lambda block: (block.size, block.address)):
            saved = self.backend.save(block)
            if saved is None:
                self.uncovered.append(block)
            else:
                self.blocks.append(block)
                self._saved[block] = saved
        self.backend.synchronize()

    def find_handed_out_again(self, static_outputs):
        try:
            self.again = self.backend.handed_out_again(static_outputs)
        except Unavailable as reason:
            self.again_unavailable = str(reason)

    def moved(self):
        """Other memory is free now than when it was saved."""
        self._ask()
        return not self.unavailable and set(self._free) != set(self.blocks + self.uncovered)

    def restore(self):
        self.restore_again()
        self._ask()
        for block, begin, end in self._parts(self.blocks):
            self.backend.write(block, self._saved[block], begin - block.address, end - begin)

    def restore_again(self):
        if not self._overwritten:
            return
        for block, saved in self._overwritten:
            self.backend.write(block, saved, 0, block.size)
        self._overwritten = []
        self.backend.synchronize()

    def fill(self, blocks, byte):
        """Of free blocks what was free when they were restored."""
        for block, begin, end in self._parts([block for block in blocks if not block.again]):
            self.backend.fill(block, begin, end - begin, byte)
        for block in blocks:
            if block.again and block not in self.uncovered:
                self._fill_again(block, byte)

    def _fill_again(self, block, byte):
        saved = self.backend.save(block)
        if saved is None:
            self.uncovered.append(block)
            return
        self._overwritten.append((block, saved))
        self.backend.fill(block, block.address, block.size, byte)

    def written(self, blocks, byte):
        """The free blocks of these that somebody wrote to since they were filled."""
        return {
            block
            for block, begin, end in self._parts([block for block in blocks if not block.again])
            if not self.backend.holds(block, begin, end - begin, byte)
        }

    def _ask(self):
        if not self.unavailable:
            self._free = sorted(self.backend.free_blocks(), key=lambda block: block.address)

    def _parts(self, blocks):
        """(block, begin, end) of what was still free of the blocks. Both lists go by address."""
        now, at, parts = self._free, 0, []
        for block in sorted(blocks, key=lambda block: block.address):
            while at < len(now) and now[at].end <= block.address:
                at += 1
            other = at
            while other < len(now) and now[other].address < block.end:
                begin = max(block.address, now[other].address)
                parts.append((block, begin, min(block.end, now[other].end)))
                other += 1
        return parts

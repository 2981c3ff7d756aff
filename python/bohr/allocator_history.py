# SPDX-License-Identifier: Apache-2.0
"""The history that PyTorch's allocator keeps after torch.cuda.memory._record_memory_history(),
which `bohr run` switches on: what was handed out and taken back, in order, and where in the
program."""

import bisect
import os

_FRAMES = 3
_FREED = ("free_requested", "free_completed")


class History:
    def __init__(self, torch, device):
        traces = torch.cuda.memory._snapshot(device).get("device_traces", [])
        self._entries = traces[device] if device < len(traces) else []
        self._torch = os.path.dirname(torch.__file__) + os.sep

    def captured_at(self, pools, outputs):
        """The place of an entry that the capture made, or None: the last block handed out to one of
        its outputs, if these lie in its pools, else the last of the pools at all. Rather too late
        than too early: what was loaded before the capture is the graph's to read."""
        ranges = joined(pools)
        made = [address for address in outputs if touches(ranges, address, address + 1)]
        if made:
            return self._last(lambda begin, size: any(0 <= at - begin < size for at in made))
        return self._last(lambda begin, _: touches(ranges, begin, begin + 1))

    def _last(self, wanted):
        for place in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[place]
            if entry["action"] == "alloc" and wanted(entry["addr"], entry["size"]):
                return place
        return None

    def given_back_since(self, place):
        """Ranges, disjoint and in order, of what had been handed out before that place and was
        taken back after it."""
        ranges, later = [], set()
        for entry in self._entries[place + 1 :]:
            if entry["action"] == "alloc":
                later.add(entry["addr"])
            elif entry["action"] == "free_completed":
                if entry["addr"] not in later:
                    ranges.append((entry["addr"], entry["addr"] + entry["size"]))
                later.discard(entry["addr"])
        return joined(ranges)

    def stacks(self, block):
        """{"allocated": [...], "freed": [...]}, innermost frame first; without what is not
        known."""
        found = {}
        for entry in reversed(self._entries):
            begin = entry.get("addr", 0)
            if not begin < block.end or not block.address < begin + entry["size"]:
                continue
            key = {"alloc": "allocated"}.get(entry["action"])
            key = "freed" if entry["action"] in _FREED else key
            frames = self._frames(entry)
            if key and key not in found and frames:
                found[key] = frames
        return found

    def _frames(self, entry):
        frames = [
            f"{frame['filename']}:{frame['line']} {frame['name']}"
            for frame in entry.get("frames", ())
            if frame["filename"].endswith(".py") and not frame["filename"].startswith(self._torch)
        ]
        return frames[:_FRAMES]


def joined(ranges):
    """The same, disjoint and in order."""
    result = []
    for begin, end in sorted(ranges):
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((begin, end))
    return result


def touches(ranges, begin, end):
    """Whether [begin, end) meets one of the joined ranges."""
    at = bisect.bisect_left(ranges, (end,))
    return at > 0 and ranges[at - 1][1] > begin

# SPDX-License-Identifier: Apache-2.0
"""What a comparison found: verdicts as plain values, their text and their JSON."""

import dataclasses
import textwrap

EQUAL = "equal"
UNSTABLE = "unstable"
FROZEN = "frozen-at-capture"
STALE = "stale-memory"
DIFFERENT = "different"
NOT_TESTED = "not-tested"
KINDS = (FROZEN, STALE, UNSTABLE, DIFFERENT, EQUAL, NOT_TESTED)

_WIDTH = 98
_INDENT = 20
_SHOWN = 8  # entries of a list in the text; the JSON has all


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One thing that was found, or could not be looked for."""

    kind: str  # one of KINDS
    what: str  # in words, with what to do about it
    evidence: dict = dataclasses.field(default_factory=dict)  # plain values, as JSON has them

    def to_dict(self):
        return {"kind": self.kind, "what": self.what, "evidence": self.evidence}


@dataclasses.dataclass
class Comparison:
    """The verdicts, defects first. `ok`: the graph does what eager does, as far as was tested;
    what was not is among the verdicts, as `not-tested`."""

    verdicts: list
    input_sets: int
    outputs: int
    rtol: float = 0.0
    atol: float = 0.0

    def __post_init__(self):
        self.verdicts = sorted(self.verdicts, key=lambda verdict: KINDS.index(verdict.kind))

    @property
    def ok(self):
        return all(verdict.kind in (EQUAL, NOT_TESTED) for verdict in self.verdicts)

    def of(self, kind):
        """The verdicts of one kind."""
        return [verdict for verdict in self.verdicts if verdict.kind == kind]

    def to_dict(self):
        return {
            "schema": "bohr.comparison/1",
            "ok": self.ok,
            "input_sets": self.input_sets,
            "outputs": self.outputs,
            "rtol": self.rtol,
            "atol": self.atol,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }

    def __str__(self):
        found = sum(verdict.kind not in (EQUAL, NOT_TESTED) for verdict in self.verdicts)
        head = "GRAPH AND EAGER AGREE" if self.ok else "GRAPH AND EAGER DO NOT AGREE"
        if found:
            head += f": {count(found, 'verdict')}"
        head += f"   {count(self.input_sets, 'input set')}, {count(self.outputs, 'output')}"
        head += f", {how_equal(self.rtol, self.atol)}"
        return "\n".join([head, *(_text(verdict) for verdict in self.verdicts)])


def count(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def how_equal(rtol, atol):
    if rtol == 0 and atol == 0:
        return "byte by byte"
    return f"within rtol {rtol:g}, atol {atol:g}"


def _text(verdict):
    lines = textwrap.wrap(
        verdict.what,
        _WIDTH,
        initial_indent=f"{verdict.kind:<{_INDENT}}",
        subsequent_indent=" " * _INDENT,
    )
    for key, value in verdict.evidence.items():
        lines += textwrap.wrap(
            f"{key.replace('_', ' ')}: {_short(value)}",
            _WIDTH,
            initial_indent=" " * _INDENT,
            subsequent_indent=" " * (_INDENT + 2),
            break_long_words=False,
        )
    return "\n" + "\n".join(lines)


def _short(value):
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        text = "; ".join(_short(item) for item in value[:_SHOWN])
        more = len(value) - _SHOWN
        return f"{text}; {more:,} more" if more > 0 else text
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)

#!/usr/bin/env python3
"""Refuses source files over 800 lines and identifiers that use a word for which the glossary
(docs/glossary.md) has another. Usage: check_sizes.py [ROOT]
"""

import re
import sys
from pathlib import Path

CEILING = 800
FOLDERS = ["src", "tests", "fuzz", "bench", "python", "tools", "cmake"]
SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".py", ".sh", ".cmake"}
# Only words that have no other honest use in code; the glossary lists more.
INSTEAD = {
    "vertex": "node",
    "vertices": "nodes",
    "footprint": "access set",
    "playback": "replay",
    "rerun": "replay",
    "clash": "conflict",
    "original_order": "reference order",
    "race_kind": "hazard",
    "wrong_order": "clobber",
    "aliasing_bug": "reuse hazard",
    "repro_case": "witness",
    "checksum_diff": "first difference",
}
WORD = re.compile(r"(?<![a-z])(" + "|".join(INSTEAD) + r")(?![a-z])", re.IGNORECASE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def words(code):
    """Yields (offset, word): snake_case by its parts, CamelCase split at capitals."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", code)
    for match in WORD.finditer(spaced):
        yield spaced.count("\n", 0, match.start()) + 1, match.group().lower()


def main(arguments):
    root = Path(arguments[0] if arguments else ".")
    complaints = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root)
            lines = text.count("\n")
            if lines > CEILING:
                complaints.append(f"{name}: {lines} lines; split it, the ceiling is {CEILING}")
            if folder == "src":
                code = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
                for line, word in words(code):
                    complaints.append(f"{name}:{line}: say '{INSTEAD[word]}', not '{word}'")
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

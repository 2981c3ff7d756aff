#!/usr/bin/env python3
"""Checks who may include whom below src/, and that docs/design.md says the same.

Each folder has a row of what it may include; what those may include comes with it, and nothing
else does. Third-party headers have a table of their own. A few things that only some folders may
do (print, exit, use `virtual`, read the environment, the clock or files) are checked here too,
since they are the same kind of rule. Usage: check_includes.py [ROOT] | --self-test
"""

import re
import sys
import tempfile
from pathlib import Path

# Longest match wins: src/trace/writer is a row apart from src/trace.
MAY_INCLUDE = {
    "base": [],
    "store": ["base"],
    "model": ["base"],
    "trace": ["model", "store", "trace/writer"],
    "trace/writer": ["base"],
    "patch": ["trace/writer"],
    "order": ["model"],
    "check": ["order"],
    "gpu": ["base", "trace/writer"],
    "gpu/sim": ["gpu"],
    "gpu/cuda": ["gpu"],
    "replay": ["model", "gpu"],
    "replay/sim": ["replay", "gpu/sim"],
    "replay/symbolic": ["replay"],
    "replay/cuda": ["replay", "gpu/cuda"],
    "replay/remote": ["replay"],
    "explore": ["order", "replay"],
    "fix": ["check", "explore"],
    "agent": ["trace/writer", "patch", "replay/cuda"],
    "engine": ["gpu"],
    "stats": ["base"],
    "stress": ["base", "stats"],
    "report": ["model"],
}
EVERYTHING = {"app", "cli"}  # may include every other folder; app not cli

CUDA = ["replay/cuda", "gpu/cuda", "agent", ".cu"]
# Headers that not everybody may use: a pattern, what it is, and where it may stand.
THIRD_PARTY = [
    (r"sqlite3\.h", "SQLite", ["store"]),
    (r"CLI/", "CLI11", ["cli"]),
    (r"nlohmann/", "nlohmann-json", ["report", "app", "trace", "patch", "stress"]),
    (r"zstd", "zstd", ["trace"]),
    (r"fmt/", "{fmt}", ["trace", "order", "check", "explore", "fix", "stress", "report", "app",
                        "cli"]),
    (r"spdlog/", "spdlog", ["app", "cli"]),
    (r"boost/", "Boost", ["stress", "stats", "replay/remote", "app"]),
    (r"curl/", "libcurl", ["stress"]),
    (r"graphviz/", "Graphviz", ["report"]),
    (r"gtest/|gmock/|rapidcheck|benchmark/", "a test library", []),
    (r"cuda[A-Z_.]|cuda/|cupti|cooperative_groups|nv[A-Z]|nvtx|driver_types\.h|sanitizer", "CUDA",
     CUDA),
]
PURE = ["model", "order", "check", "explore", "fix", "report"]
# Words of the code itself: a pattern, the rule, and the folders that are (not) bound by it.
PRINTS = (r"\b(?:std::)?(?:exit|_exit|quick_exit|abort|terminate)\s*\(|"
          r"\b(?:v|f|vf)?printf\s*\(|\bf?puts\s*\(|\bputchar\s*\(|"
          r"\bstd::(?:cout|cerr|clog)\b|\bfmt::print(?:ln)?\s*\(")
READS = (r"\b(?:secure_)?getenv\s*\(|_clock::now\b|\bstd::[io]?fstream\b|\bfopen\s*\(|"
         r"\bstd::random_device\b")


def prints_outside_cli(unit, path):
    # A program that was to run repaired and cannot is ended where that is found out.
    return unit != "cli" and path not in ("base/check.cc", "agent/applying.cc")


def reads_in_a_pure_stage(unit, path):
    return unit in PURE


def virtual_outside_a_seam(unit, path):
    return unit.split("/")[0] not in ("replay", "gpu", "report")


WORDS = [
    (re.compile(PRINTS), "only cli prints and exits", prints_outside_cli),
    (re.compile(READS), "a pure stage reads no environment, clock or file",
     reads_in_a_pure_stage),
    (re.compile(r"\bvirtual\b"), "virtual only at Replayer, gpu and report sinks",
     virtual_outside_a_seam),
    (re.compile(r"#\s*(?:el)?if.*\bBOHR_CUDA"), "a backend is added by linking it, not by #ifdef",
     lambda unit, path: True),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def reach(unit):
    """The units that `unit` may include: itself, its row, and what they reach."""
    if unit in EVERYTHING:
        return set(MAY_INCLUDE) | EVERYTHING - ({"cli"} if unit == "app" else set())
    found, open_ = {unit}, [unit]
    while open_:
        for other in MAY_INCLUDE[open_.pop()]:
            if other not in found:
                found.add(other)
                open_.append(other)
    return found


def unit_of(path):
    """The row that a path below src/ belongs to, or None."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        unit = "/".join(parts[:length])
        if unit in MAY_INCLUDE or unit in EVERYTHING:
            return unit
    return None


def blank(match):
    """Comments and strings become blank, their line breaks stay."""
    return re.sub(r"[^\n]", " ", match.group())


def check_file(path, text):
    """Yields (line, message) for one file; `path` is relative to src/."""
    unit = unit_of(path)
    if unit is None:
        yield 1, "no row of the layout table covers this folder; add it to MAY_INCLUDE"
        return
    allowed = reach(unit)
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        quote, header = match.groups()
        target = unit_of(header)
        if quote == '"' and target is None:
            yield line, f'"{header}": name our headers from src/ on, others in <>'
        elif target is not None and quote == '"' and target not in allowed:
            yield line, f"{unit} may not include {target} ({header})"
        for pattern, name, places in THIRD_PARTY:
            if quote == "<" and re.match(pattern, header):
                if unit not in places and Path(path).suffix not in places:
                    yield line, f"{unit} may not include {name} (<{header}>)"
    code = NOISE.sub(blank, text)
    for pattern, rule, applies in WORDS:
        if applies(unit, path):
            for match in pattern.finditer(code):
                yield code.count("\n", 0, match.start()) + 1, f"'{match.group().strip()}': {rule}"


ROW = re.compile(r"^\| `([a-z/]+)` \| ([^|]*)\|", re.MULTILINE)


def check_page(text):
    """Yields a message for each row by which the layout table of docs/design.md differs from ours."""
    _, _, text = text.partition("\n| folder | may include |")
    table, _, _ = text.partition("\n\n")
    told = {unit: sorted(re.findall(r"`([a-z/]+)`", row)) for unit, row in ROW.findall(table)}
    ours = {unit: sorted(others) for unit, others in MAY_INCLUDE.items()}
    for unit in sorted(told.keys() | ours.keys()):
        if told.get(unit) != ours.get(unit):
            yield f"{unit} may include {ours.get(unit)}, and the page says {told.get(unit)}"


def check_tree(root):
    """All complaints about the sources below root/src, as printable lines."""
    source = Path(root) / "src"
    complaints = []
    for path in sorted(source.rglob("*")):
        if path.suffix in (".h", ".cc", ".cu", ".cuh"):
            relative = path.relative_to(source).as_posix()
            for line, message in check_file(relative, path.read_text(encoding="utf-8")):
                complaints.append(f"src/{relative}:{line}: {message}")
    page = Path(root) / "docs/design.md"
    if page.exists():
        text = page.read_text(encoding="utf-8")
        complaints += [f"docs/design.md: {message}" for message in check_page(text)]
    return complaints


def self_test():
    """Each line: a file, its text, and whether it must be refused."""
    samples = [
        ("check/a.cc", '#include "order/order.h"\n#include "model/op.h"\n#include <vector>', 0),
        ("check/a.cc", '#include "base/ids.h"', 0),
        ("check/a.cc", '#include "trace/open.h"', 1),
        ("order/a.h", '#include "check/check.h"', 1),
        ("model/a.h", '#include "store/db.h"', 1),
        ("trace/writer/a.cc", '#include "model/op.h"', 1),
        ("trace/writer/a.cc", "#include <zstd.h>", 1),
        ("trace/reader/a.cc", '#include "trace/writer/records.h"\n#include <zstd.h>', 0),
        ("explore/a.cc", '#include "replay/replayer.h"\n#include "model/op.h"', 0),
        ("explore/a.cc", '#include "replay/sim/sim.h"', 1),
        ("replay/cuda/a.cc", '#include "gpu/cuda/driver.h"\n#include <cuda.h>', 0),
        ("replay/remote/a.cc", "#include <cuda.h>", 1),
        ("engine/a.cu", "#include <cuda_runtime.h>", 0),
        ("engine/a.cc", "#include <cuda_runtime.h>", 1),
        ("engine/a.cc", '#include "check/check.h"', 1),
        ("agent/a.cc", "#include <cupti.h>", 0),
        ("agent/a.cc", '#include "store/db.h"', 1),
        ("app/a.cc", '#include "fix/fix.h"\n#include "store/db.h"', 0),
        ("app/a.cc", '#include "cli/main.h"', 1),
        ("check/a.cc", "#include <sqlite3.h>", 1),
        ("store/a.cc", "#include <sqlite3.h>", 0),
        ("check/a.cc", '#include "local.h"', 1),
        ("nowhere/a.cc", "", 1),
        ("check/a.cc", 'void f() { std::exit(1); }', 1),
        ("check/a.cc", '// std::exit(1)\nauto s = "printf(";', 0),
        ("check/a.cc", 'void f(char* b) { std::snprintf(b, 1, "x"); }', 0),
        ("report/a.cc", 'void f() { std::cout << 1; }', 1),
        ("cli/a.cc", 'void f() { std::cout << 1; exit(0); }', 0),
        ("base/check.cc", "void f() { std::abort(); }", 0),
        ("order/a.cc", 'auto x = std::getenv("A");', 1),
        ("check/a.h", "struct A { virtual void f(); };", 1),
        ("gpu/a.h", "struct A { virtual void f(); };", 0),
        ("engine/a.cc", "#ifdef BOHR_CUDA\n#endif", 1),
    ]
    wrong = 0
    for path, text, refused in samples:
        found = list(check_file(path, text))
        if bool(found) != bool(refused):
            wrong += 1
            print(f"self-test: {path}: {text!r} gave {found}")
    with tempfile.TemporaryDirectory() as root:
        file = Path(root) / "src/order/a.cc"
        file.parent.mkdir(parents=True)
        file.write_text('\n#include "fix/fix.h"\n', encoding="utf-8")
        if check_tree(root) != ["src/order/a.cc:2: order may not include fix (fix/fix.h)"]:
            wrong += 1
            print(f"self-test: tree gave {check_tree(root)}")
    rows = "".join(f"| `{unit}` | {', '.join(f'`{other}`' for other in others)} | words |\n"
                   for unit, others in MAY_INCLUDE.items())
    page = f"text\n\n| folder | may include | holds |\n| --- | --- | --- |\n{rows}\n| `x` | `y` |\n"
    for text, count in [(page, 0), (page.replace("`store`, ", ""), 1),
                        (page.replace("| `fix` |", "| `mend` |"), 2)]:
        if len(list(check_page(text))) != count:
            wrong += 1
            print(f"self-test: page gave {list(check_page(text))}")
    for unit in MAY_INCLUDE:
        for other in reach(unit) - {unit}:
            if unit in reach(other):
                wrong += 1
                print(f"self-test: {unit} and {other} reach one another")
    print(f"{len(samples)} samples, {wrong} wrong")
    return wrong


def main(arguments):
    if arguments == ["--self-test"]:
        return 1 if self_test() else 0
    complaints = check_tree(arguments[0] if arguments else ".")
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

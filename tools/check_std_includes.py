#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# What a file takes from the standard library it includes itself, or one of our headers does for it.
# Libraries differ in what their headers bring along: what builds here by such luck does not build
# with a newer one. Only names are looked at that this has happened to.
import functools
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).parent.parent / "src"
NEEDS = [
    (r"\bu?int(8|16|32|64)_t\b|\buintptr_t\b", {"cstdint", "cuda.h", "sqlite3.h"}),
    (r"for \([^;)]*: \{", {"initializer_list", "vector", "map", "set", "unordered_map"}),
    (r"std::exchange\b", {"utility"}),
    (r"std::(sort|find_if|any_of|all_of|none_of|count_if|find|min|max|transform)\b", {"algorithm"}),
    (r"std::accumulate\b", {"numeric"}),
    (r"std::(strlen|memcpy|memcmp|strncmp|strcmp|memset|strstr|strerror)\b", {"cstring"}),
    (r"std::(getenv|strtoul|strtol|strtoull)\b", {"cstdlib"}),
]


@functools.lru_cache(None)
def read(path):
    text = path.read_text()
    own = [SOURCE / name for name in re.findall(r'#include "([^"]+)"', text)]
    return text, own, set(re.findall(r"#include <([^>]+)>", text))


def included(path, seen):
    if path in seen or not path.exists():
        return set()
    seen.add(path)
    _, own, standard = read(path)
    return standard.union(*(included(header, seen) for header in own))


def main():
    failed = False
    for path in sorted(SOURCE.rglob("*.h")) + sorted(SOURCE.rglob("*.cc")):
        has = included(path, set())
        for pattern, headers in NEEDS:
            found = re.search(pattern, read(path)[0])
            if found and not has & headers:
                print(f"{path}: {found.group(0)!r} needs one of {', '.join(sorted(headers))}")
                failed = True
    return int(failed)


sys.exit(main())

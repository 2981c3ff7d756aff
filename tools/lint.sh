#!/usr/bin/env bash
# The checks that need no test to run. Call it through ./dev lint, which configures the presets
# dev and tidy first.
#   tools/lint.sh            everything; clang-tidy on sources changed against main
#   tools/lint.sh --all      clang-tidy on every source
#   tools/lint.sh --format   only rewrite all sources with clang-format
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
passed=0 failed=0

# check NAME COMMAND...: runs it, prints its output only when it fails.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf 'ok    %s\n' "$name"
    passed=$((passed + 1))
  else
    printf 'FAIL  %s\n%s\n' "$name" "$output"
    failed=$((failed + 1))
  fi
}

# Files of the project that match and exist: tracked, or new and not ignored.
files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
    if [[ -f $file ]]; then printf '%s\n' "$file"; fi
  done
}

mapfile -t sources < <(files '*.h' '*.cc' '*.cu' '*.cuh')
mapfile -t scripts < <(files dev .ci/run '*.sh')
mapfile -t pythons < <(files '*.py')

# Other versions format differently, so only this one is asked.
format_version=14
clang_format=$(command -v clang-format-$format_version || command -v clang-format)
if [[ ${1:-} == --format ]]; then
  exec "$clang_format" -i "${sources[@]}"
fi

format() {
  if ! "$clang_format" --version | grep -q "version $format_version\."; then
    printf 'needs clang-format-%s, found: %s\n' "$format_version" "$("$clang_format" --version)"
    return 1
  fi
  "$clang_format" --dry-run --Werror "${sources[@]}"
}

compile_python() {
  python3 - "$@" <<'PYTHON'
import sys
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as file:
        compile(file.read(), name, "exec")
PYTHON
}

# Sources that differ from where this branch left main; on main itself, those of the last commit.
changed() {
  local base
  base=$(git merge-base HEAD origin/main 2>/dev/null || git merge-base HEAD main 2>/dev/null)
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    base=$(git rev-parse -q --verify HEAD~1 || git hash-object -t tree /dev/null)
  fi
  {
    git diff --name-only "$base" -- 'src/*.cc'
    git ls-files --others --exclude-standard -- 'src/*.cc'
  } | sort -u
}

tidy() {
  local file list=()
  for file in "$@"; do
    if grep -q "\"file\": \"$PWD/$file\"" build/tidy/compile_commands.json; then
      list+=("$file")
    fi
  done
  ((${#list[@]})) || return 0
  printf '%s\n' "${list[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/tidy 2>&1 |
    { grep -v ' warnings generated' || true; }
}

check "clang-format" format
check "include arrows, their own test" python3 tools/check_includes.py --self-test
check "include arrows" python3 tools/check_includes.py
check "what is used of the standard library is included" python3 tools/check_std_includes.py
check "file sizes and words" python3 tools/check_sizes.py
check "shellcheck" shellcheck "${scripts[@]}"
if ((${#pythons[@]})); then check "python compiles" compile_python "${pythons[@]}"; fi
check "headers compile alone, benchmarks compile" cmake --build --preset lint --parallel "$(nproc)"
if [[ ${1:-} == --all ]]; then
  mapfile -t tidied < <(files 'src/*.cc')
else
  mapfile -t tidied < <(changed)
fi
check "clang-tidy on ${#tidied[@]} sources" tidy "${tidied[@]}"

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))

#!/usr/bin/env bash
# The Python package: importable under `bohr run` and by PYTHONPATH, and the sitecustomize that starts
# the shim lets the one that it shadows run.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
command -v python3 >/dev/null || exit 77
export PYTHONDONTWRITEBYTECODE=1

mkdir lib own
cp -r "$BOHR_SOURCE/python" lib/python
touch lib/libbohr_agent.so lib/libbohr_preload.so
export BOHR_VIA=cupti  # empty files cannot be preloaded
export BOHR_LIB=$PWD/lib
unset CUDA_INJECTION64_PATH PYTHONPATH
echo 'print("own sitecustomize")' >own/sitecustomize.py
uses='import sys, bohr; print(bohr.compare.__name__, "torch" in sys.modules, "_bohr_shim" in sys.modules)'

expect_status 0 'under bohr run' -- "$BOHR" run -o import --exit=guest -- python3 -c "$uses"
expect_in out 'compare False True' 'under bohr run'
expect_status 0 'by PYTHONPATH' -- env PYTHONPATH="$PWD/lib/python" python3 -c "$uses"
expect_in out 'compare False False' 'by PYTHONPATH'

# What is shadowed runs once, also behind a second copy of Bohr.
cp -r lib/python copy
for behind in "$PWD/own" "$PWD/copy:$PWD/own" "$PWD/lib/python:$PWD/copy:$PWD/own"; do
  expect_status 0 "behind: $behind" -- env PYTHONPATH="$behind" \
    "$BOHR" run -o "shadow-${#behind}" --exit=guest -- python3 -c "$uses"
  [[ $(grep -c 'own sitecustomize' out) == 1 ]] || fail "behind: $behind: $(cat out err)"
  expect_in out 'compare False True' "behind: $behind"
done

# The package lies beside the built tool.
expect_status 0 'beside the tool' -- env PYTHONPATH="$(dirname "$BOHR")/python" python3 -c "$uses"
finish

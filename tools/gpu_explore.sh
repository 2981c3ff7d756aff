#!/usr/bin/env bash
# Explores real programs on this machine's GPU with `bohr run --explore`. Needs nvcc, and PyTorch as
# python3's.
#
#   tools/gpu_explore.sh [PART...]      parts: silent scratch (default: all)
#
# BOHR names a built tool (default: build/release/bohr). The reports lie in build/gpu-explore.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
programs=$root/tests/cuda/programs
bohr=${BOHR:-$root/build/release/bohr}
out=$root/build/gpu-explore
mkdir -p "$out"
cd "$out" || exit 2

# explore NAME COMMAND...: the report to NAME.txt, what was said to NAME.err.
explore() {
  local name=$1 status=0
  shift
  rm -rf "$name"
  "$bohr" run --explore -o "$name" -- "$@" >"$name.txt" 2>"$name.err" </dev/null || status=$?
  printf '== %s: exit %s\n' "$name" "$status"
  grep -E "held|proved|explore|lost|could not|refus" "$name.err"
  grep -E "^(RACE|UNDECIDED)|PROVED|right  |wrong  |Baseline|Replays|Reaches" "$name.txt" | head -40
}

compile() { nvcc -std=c++20 -O2 -lineinfo -arch=native -o "$1" "$programs/$1.cu" -lcuda; }

silent() { explore silent python3 "$programs/missing_record_stream_silent.py"; }
scratch() { compile shared_scratch && explore scratch ./shared_scratch; }

if (($# == 0)); then set -- silent scratch; fi
for part in "$@"; do "$part"; done

#!/usr/bin/env bash
# What the agent costs a program, on this machine's GPU: each line with and without it, twice.
# Aims: replays of 1 ms and more at most 3% slower, capture at most twice as long, an eager launch
# at most 5 us dearer without stacks.
#
#   tools/gpu_bench.sh
#
# BOHR and AGENT as for tools/gpu_record.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
programs=$root/tests/cuda/programs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bohr=${BOHR:-$root/build/release/bohr}

# under STACKS COMMAND...: with the agent; STACKS is default, none or all.
under() {
  local stacks=$1 folder
  shift
  folder=$(mktemp -d "$work/run.XXXX")
  if [[ $bohr == none ]]; then
    case $stacks in default) stacks= ;; none) stacks=0 ;; esac
    env CUDA_INJECTION64_PATH="$AGENT" BOHR_AGENT="$AGENT" BOHR_DIR="$folder" \
      BOHR_STACKS="$stacks" PYTHONPATH="$root/python${PYTHONPATH:+:$PYTHONPATH}" "$@"
  else
    local options=()
    [[ $stacks == default ]] || options=(--stacks "$stacks")
    "$bohr" run --exit=guest "${options[@]}" -o "$folder/run" -- "$@" 2>/dev/null |
      grep -E '^capture'
  fi
  rm -rf "$folder"
}

nvcc -std=c++20 -O2 -arch=native -o "$work/overhead" "$programs/overhead.cu" -lcuda
measure() {
  basename "${*: -1}"
  echo "  plain:        $("$@")"
  echo "  default:      $(under default "$@")"
  echo "  no stacks:    $(under none "$@")"
  echo "  all stacks:   $(under all "$@")"
}
for _ in 1 2; do
  measure "$work/overhead"
  measure python3 "$programs/overhead_torch.py"
done

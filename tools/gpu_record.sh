#!/usr/bin/env bash
# Records every program of tests/cuda/programs on this machine's GPU and writes the logs, compressed,
# to tests/traces (or the folder given). Needs nvcc, PyTorch as python3's, zstd.
#
#   tools/gpu_record.sh [FOLDER]
#
# BOHR names a built tool (default: build/release/bohr, built first where it is missing). BOHR=none
# arms the programs through the environment alone, as src/agent/environment.h says; AGENT then names
# libbohr_agent.so.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/tests/traces}
programs=$root/tests/cuda/programs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

bohr=${BOHR:-$root/build/release/bohr}
if [[ $bohr != none && ! -x $bohr ]]; then
  (cd "$root" && cmake --workflow --preset release)
fi

# run FOLDER COMMAND...: under the agent, output to FOLDER.out.
run() {
  local folder=$1
  shift
  local status=0
  if [[ $bohr == none ]]; then
    mkdir -m 700 "$folder"
    env CUDA_INJECTION64_PATH="$AGENT" BOHR_AGENT="$AGENT" BOHR_DIR="$folder" \
      PYTHONPATH="$root/python${PYTHONPATH:+:$PYTHONPATH}" "$@" \
      >"$folder.out" 2>&1 </dev/null || status=$?
  else
    "$bohr" run --exit=guest --record all -o "$folder" -- "$@" >"$folder.out" 2>&1 </dev/null || status=$?
  fi
  if ((status != 0)); then
    echo "$(basename "$folder"): exit status $status"
    tail -n 20 "$folder.out"
    return 1
  fi
}

# record NAME VERDICT COMMAND...
record() {
  local name=$1.$2
  shift 2
  run "$work/$name" "$@" || return 0
  if compgen -G "$work/$name/*.error" >/dev/null; then cat "$work/$name"/*.error; fi
  local logs=("$work/$name"/*.bohr)
  zstd -q -f -19 "${logs[0]}" -o "$out/$name.bohr.zst"
  echo "$name: $(stat -c %s "${logs[0]}") bytes, $(stat -c %s "$out/$name.bohr.zst") compressed"
}

for source in "$programs"/*.cu; do
  nvcc -std=c++20 -O2 -lineinfo -arch=native -o "$work/$(basename "$source" .cu)" "$source" -lcuda &
done
wait

cd "$work"
for name in missing_wait missing_join event_reused pinned_rewritten pinned_rewritten_graph; do
  record $name race ./$name race
  record $name clean ./$name clean
done
for name in missing_record_stream_captured missing_record_stream_eager inplace_copy pool_order \
  scratch_views; do
  record $name race python3 "$programs/$name.py" race
  record $name clean python3 "$programs/$name.py" clean
done
record scratch_views candidate python3 "$programs/scratch_views.py" candidate
record inplace_kernel candidate python3 "$programs/inplace_kernel.py" candidate
record inplace_kernel clean python3 "$programs/inplace_kernel.py" clean
record balanced_branches race python3 "$programs/balanced_branches.py" plain
record balanced_branches clean python3 "$programs/balanced_branches.py" hold
record shared_scratch candidate ./shared_scratch
record missing_record_stream_loud race python3 "$programs/missing_record_stream_loud.py"
record missing_record_stream_silent race python3 "$programs/missing_record_stream_silent.py"

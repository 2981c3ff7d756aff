#!/usr/bin/env bash
# Both ways by which calls reach the recorder, on this machine's GPU: the same programs recorded by
# CUPTI and by the preloaded library leave the same records and the same verdict. Needs PyTorch as
# python3's.
#
#   tools/gpu_ways.sh [PROGRAM...]     (default: those below)
#
# PROGRAM: one of tests/cuda/programs without its ending, with words for it behind a colon. BOHR names
# a built tool (default: build/release/bohr). Ends with "N passed, N failed".
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bohr=${BOHR:-$root/build/release/bohr}
out=$root/build/gpu-ways
mkdir -p "$out"
cd "$out" || exit 2
passed=0 failed=0

# counts FOLDER: how many records of each kind its processes left, and what was not understood.
counts() {
  local kind log
  for log in "$1"/*.bohr; do
    for kind in kernel copy 'set' event_record event_wait host_sync capture_begin graph node edge \
      exec launch mem_alloc mem_free block_alloc block_free stream; do
      printf '%s ' "$kind"
      "$bohr" query "$log" "SELECT count(*) FROM \"$kind\"" --format csv | tail -n 1
    done
    "$bohr" query "$log" "SELECT reason, text FROM diagnostic_v" --format csv | grep -v '^note'
  done
}

wanted=("$@")
((${#wanted[@]})) || wanted=(missing_record_stream_silent missing_record_stream_eager inplace_copy
  pool_order decode_layer:race buckets:race)
for one in "${wanted[@]}"; do
  name=${one%%:*} words=()
  [[ $one == *:* ]] && words=("${one#*:}")
  for via in cupti preload; do
    rm -rf "$name.$via"
    "$bohr" run --via $via --record all -o "$name.$via" -- \
      python3 "$root/tests/cuda/programs/$name.py" "${words[@]}" >"$name.$via.txt" 2>"$name.$via.err"
    counts "$name.$via" >"$name.$via.counts"
  done
  if diff "$name".{cupti,preload}.counts >"$name.diff" &&
    grep -qE '^(kernel|node) [1-9]' "$name.preload.counts" &&
    diff <(grep -E '^(RACE|CLEAN|NO RACE|NOTHING)' "$name.cupti.txt" | sed 's/ id .*//') \
      <(grep -E '^(RACE|CLEAN|NO RACE|NOTHING)' "$name.preload.txt" | sed 's/ id .*//') >>"$name.diff"; then
    printf 'ok    %-28s %s\n' "$name" "$(grep -m 1 -E '^(RACE|CLEAN|NO RACE|NOTHING)' "$name.preload.txt")"
    passed=$((passed + 1))
  else
    printf 'FAIL  %-28s\n%s\n' "$name" "$(head -n 12 "$name.diff")"
    failed=$((failed + 1))
  fi
done
printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))

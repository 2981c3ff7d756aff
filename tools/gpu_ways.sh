#!/usr/bin/env bash
# Both ways by which calls reach the recorder, on this machine's GPU: the same programs recorded by
# CUPTI and by the preloaded library leave the same records and the same verdict. Needs PyTorch as
# python3's.
#
#   tools/gpu_ways.sh [PROGRAM...]     (default: those below)
#
# PROGRAM: one of tests/cuda/programs without its ending, with words for it behind a colon.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin ways
: "${programs:?}" "${bohr:?}" "${out:?}"

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

verdict() { grep -m 1 -E '^(RACE|CLEAN|NO RACE|NOTHING)' "$name.$1.txt" | sed 's/ id .*//'; }
# What differs lies in NAME.diff.
same() {
  diff "$1".{cupti,preload}.counts >"$1.diff" && diff <(verdict cupti) <(verdict preload) >>"$1.diff" &&
    grep -qE '^(kernel|node) [1-9]' "$1.preload.counts"
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
      python3 "$programs/$name.py" "${words[@]}" >"$name.$via.txt" 2>"$name.err"
    counts "$name.$via" >"$name.$via.counts"
  done
  ok "$name" "$(verdict preload)" same "$name"
  [[ ! -s $name.diff ]] || head -n 12 "$name.diff"
done
finish

#!/usr/bin/env bash
# Both ways by which calls reach the recorder, on this machine's GPU: the same programs recorded by
# CUPTI and by the preloaded library leave the same records and the same verdict. Needs PyTorch as
# python3's.
#
#   tools/gpu_ways.sh [PROGRAM...]     (default: those below)
#
# PROGRAM: one of tests/cuda/programs or frameworks without its ending, with words for it behind colons.
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
    grep -qE '^(kernel|node|copy|set) [1-9]' "$1.preload.counts"
}

# command NAME: how the program is run, in `line`; a CUDA program is compiled first.
command() {
  local file
  for file in "$programs"/"$1".{py,cu} "$programs"/../frameworks/"$1".{py,cu}; do
    [[ -e $file ]] || continue
    line=(python3 "$file")
    [[ $file == *.py ]] && return
    line=("./$1.bin")
    [[ -x $1.bin ]] ||
      nvcc -std=c++20 -O2 -lineinfo -arch=native -I "$programs" -o "$1.bin" "$file" -lcuda -lcublas
    return
  done
  return 1
}

wanted=("$@")
((${#wanted[@]})) || wanted=(missing_record_stream_silent missing_record_stream_eager:race
  inplace_copy:race pool_order:race decode_layer:race buckets:race pinned_rewritten_graph:race
  event_reused:race graph_kinds:conditional:race graph_kinds:tensor_map:race memory_kinds:alias:race
  memory_kinds:pool:race memory_kinds:nodes:race memory_kinds:managed:race exec_changed:set.race
  child_graph:race triton_kernels:race cupy_graph:race cublas_gemm:race)
for one in "${wanted[@]}"; do
  IFS=: read -ra words <<<"$one"
  name=${one//:/.}
  command "${words[0]}" || continue
  for via in cupti preload; do
    rm -rf "$name.$via"
    "$bohr" run --via $via --record all -o "$name.$via" -- \
      "${line[@]}" "${words[@]:1}" >"$name.$via.txt" 2>"$name.err"
    counts "$name.$via" >"$name.$via.counts"
  done
  ok "$name" "$(verdict preload)" same "$name"
  [[ ! -s $name.diff ]] || head -n 12 "$name.diff"
done
finish

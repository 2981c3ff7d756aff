#!/usr/bin/env bash
# Programs of several frameworks, and of memory that is not simply allocated, on this machine's GPU:
# each with its race, which is found, and without it, where nothing is. Needs nvcc with cuBLAS, and
# as python3's PyTorch, Triton, CuPy and JAX; a program whose framework is not there is left out.
#
#   tools/gpu_frameworks.sh [PROGRAM...]      (default: all)
#
# The logs lie in build/gpu-frameworks, compressed where there is zstd: NAME.race.bohr.zst.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin frameworks
: "${programs:?}" "${bohr:?}"
frameworks=$programs/../frameworks

# arm NAME RACE|CLEAN COMMAND...: with the words of `options` for `bohr run`.
options=()
arm() {
  local name=$1.$2 kind=$2
  shift 2
  rm -rf "$name"
  "$bohr" run --record all "${options[@]}" -o "$name" -- "$@" "$kind" >"$name.txt" 2>"$name.err" </dev/null
  ok "$name" "the program ended well" has 'the program ended with 0' "$name.err"
  if [[ $kind == race ]]; then
    ok "$name" "$(grep -m 1 -E '^RACE' "$name.txt")" has '^RACE FOUND' "$name.txt"
  else
    ok "$name" "$(grep -m 1 -E '^(CLEAN|NO RACE)' "$name.txt")" lacks '^RACE' "$name.txt"
  fi
  # The largest, where helpers of a compiler left logs as well.
  if command -v zstd >/dev/null; then
    find "$name" -name '*.bohr' -printf '%s %p\n' | sort -n | tail -n 1 | cut -d ' ' -f 2- |
      xargs -I{} zstd -q -f -19 {} -o "$name.bohr.zst"
  fi
}
both() {
  arm "$1" race "${@:2}"
  arm "$1" clean "${@:2}"
}
# needs NAME MODULE...: Python has them.
needs() {
  python3 -c "import $(IFS=,; echo "${*:2}")" 2>/dev/null && return
  printf 'left out: %s needs %s\n' "$1" "${*:2}"
  return 1
}
memory() {
  local kind
  compile memory_kinds || return
  for kind in alias pool nodes managed; do both "memory_$kind" ./memory_kinds "$kind"; done
}
# Nothing says which parameters of cuBLAS's kernels are written: another order has to.
cublas() {
  local options=(--explore --launch 2)
  nvcc -std=c++20 -O2 -lineinfo -arch=native -I "$programs" -o cublas_gemm \
    "$frameworks/cublas_gemm.cu" -lcuda -lcublas && both cublas_gemm ./cublas_gemm
}
triton() { needs triton torch triton && both triton_kernels python3 "$frameworks/triton_kernels.py"; }
compiled() { needs compiled torch && both compiled python3 "$frameworks/compiled.py"; }
cupy() { needs cupy cupy && both cupy_graph python3 "$frameworks/cupy_graph.py"; }
# XLA's kernels may start before their predecessors end; their code says where they wait.
jax() {
  local options=(--keep-code)
  needs jax jax cupy && both jax_and_cupy python3 "$frameworks/jax_and_cupy.py"
}

parts 'memory cublas triton compiled cupy jax' "$@"
finish

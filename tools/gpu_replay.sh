#!/usr/bin/env bash
# Runs the tests of the CUDA replayer on this machine's GPU, and measures what an order costs beside
# a plain replay. Needs nvcc.
#
#   tools/gpu_replay.sh [-DNAME=VALUE...]     arguments go to CMake
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset dev "$@" >/dev/null
cmake --build --preset dev --parallel "$(nproc)" --target \
  bohr_cuda_tests bohr_cuda_measures >build/cuda-tests.log ||
  { tail -n 30 build/cuda-tests.log && exit 1; }
status=0
build/dev/tests/bohr_cuda_tests >build/cuda-tests.log 2>&1 || status=$?
grep -E "Failure|^\[  FAILED|Actual|Expected|error" -A3 build/cuda-tests.log | head -n 60 || true
tail -n 3 build/cuda-tests.log
for nodes in 24 1000 2750; do build/dev/tests/bohr_cuda_measures $nodes 1024; done
exit "$status"

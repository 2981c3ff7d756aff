#!/usr/bin/env bash
# Runs tests/cuda/programs/graph_kinds.cu on this machine's GPU under the recorder and says whether
# each arm is told as what it is. Needs nvcc and a device of sm_90 or newer; the arms `early` also
# cuobjdump and nvdisasm, without which they stay undecided.
#
#   tools/gpu_graph_kinds.sh
#
# BOHR names a built tool (default: build/release/bohr).
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
bohr=${BOHR:-$root/build/release/bohr}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -std=c++20 -O2 -lineinfo -arch=native -o "$work/graph_kinds" \
  "$root/tests/cuda/programs/graph_kinds.cu" -lcuda || exit 1

failed=0
# arm KIND RACE|CLEAN STATUS
arm() {
  local name=$1-$2 status=0
  "$bohr" run --keep-code -o "$work/$name" -- "$work/graph_kinds" "$1" "$2" >"$work/$name.out" 2>&1 ||
    status=$?
  if [[ $status == "$3" ]]; then
    echo "ok    $name"
    return
  fi
  echo "FAIL  $name: status $status, not $3"
  tail -n 40 "$work/$name.out"
  "$bohr" query "$work/$name" "SELECT reason, text, count FROM diagnostic_v"
  failed=1
}

for kind in conditional tensor_map; do
  arm $kind race 1
  arm $kind clean 0
done
if command -v cuobjdump nvdisasm >/dev/null || [[ -x /usr/local/cuda/bin/nvdisasm ]]; then
  arm early race 1
  arm early clean 0
else
  arm early race 3
  arm early clean 3
fi
exit "$failed"

#!/usr/bin/env bash
# Runs tests/cuda/programs/graph_kinds.cu on this machine's GPU under the recorder and says whether
# each arm is told as what it is. Needs nvcc and a device of sm_90 or newer; the arms `early` also
# cuobjdump and nvdisasm, without which they stay undecided.
#
#   tools/gpu_graph_kinds.sh
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin graph-kinds
: "${bohr:?}"
compile graph_kinds || exit 1

# arm KIND RACE|CLEAN STATUS
arm() {
  local name=$1-$2 status=0
  rm -rf "$name"
  "$bohr" run --keep-code -o "$name" -- ./graph_kinds "$1" "$2" >"$name.txt" 2>"$name.err" || status=$?
  ok "$name" "status $status" test "$status" = "$3"
  [[ $status == "$3" ]] || "$bohr" query "$name"/*.bohr "SELECT reason, text, count FROM diagnostic_v"
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
finish

#!/usr/bin/env bash
# Graphs of kinds that captures of plain kernels do not make, tensor maps, and the ways in which
# parameters reach a kernel, without a GPU: tests/cuda/fake/graphs_guest.cc says what each arm is.
# Preloaded, the program looks the driver's functions up as the CUDA runtime does.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${agent:?of fakes.bash}" "${applier:?of fakes.bash}" "${tmp:?of lib.bash}"
build_fakes "$tmp" graphs_guest || exit 1
if [[ ${BOHR_VIA:-preload} == cupti ]]; then
  guest=graphs_guest recorder=CUDA_INJECTION64_PATH=$agent
else
  build_looking "$tmp" graphs_guest || exit 1
  guest=graphs_guest_looking recorder=LD_PRELOAD=$applier
fi

# arm NAME STATUS [TEXT...]: runs it; its check ends with the status and says the texts. Sets `log`.
arm() {
  local name=$1 status=$2 text
  shift 2
  mkdir -m 700 "$tmp/$name"
  env LD_LIBRARY_PATH="$tmp" "$recorder" BOHR_DIR="$tmp/$name" "$tmp/$guest" "$name" >"$tmp/said" 2>&1 || fail "$name: exit status $?"
  [[ $(cat "$tmp/said") == "done" ]] || fail "$name: the guest's output became: $(cat "$tmp/said")"
  log=$(echo "$tmp/$name"/*.bohr)
  expect_status "$status" "$name" -- "$BOHR" check "$log"
  for text in "$@"; do expect_in "$tmp/out" "$text" "$name"; done
}
# holds SQL: a query of the last arm's log that gives a row.
holds() {
  expect_status 0 "$1" -- "$BOHR" query "$log" "$1"
  [[ $(wc -l <"$tmp/out") -ge 2 ]] || fail "no row: $1"
}

for kind in map moved buffer kernel cubin; do
  arm $kind-race 1 produce consume
  arm $kind-clean 0
done
holds "SELECT 1 FROM code_v WHERE layout = 'cubin'"
log=$(echo "$tmp"/map-race/*.bohr)
holds "SELECT 1 FROM tensor_map WHERE bytes = 4000"
holds "SELECT 1 FROM code_v WHERE layout = 'driver'"
log=$(echo "$tmp"/buffer-race/*.bohr)
holds "SELECT 1 FROM node_v WHERE form = 'buffer'"

# The body of a conditional node, captured when the graph had all its nodes.
arm if-race 1 produce consume
holds "SELECT 1 FROM conditional_v WHERE condition = 'if' AND bodies = 1"
arm if-clean 0

# A wait for a value may order what comes behind it, and nothing else.
arm value-race 1 produce consume
arm value-signal-clean 3 unmodelled
expect_in "$tmp/out" 'unmodelled-order' 'a wait for a value'
arm semaphore-race 3 unmodelled-order
arm updatable-clean 3 device-updatable-node

# What a programmatic edge orders stands in the machine code, which is kept where that is asked for.
# The disassembler is a stand-in, too, and what it lists is from a real one.
mkdir "$tmp/tools"
listing() { # CONSUMER'S INSTRUCTION
  cat <<END
	code for sm_90
		Function : _Z7producePfm
        /*0000*/                   PREEXIT ;
        /*0010*/                   STG.E desc[UR4][R2.64], R7 ;
        /*0020*/                   EXIT ;
		Function : _Z7consumePKfPf
        /*0000*/                   S2R R0, SR_TID.X ;
        /*0010*/                   $1 ;
        /*0020*/                   LDG.E R2, desc[UR4][R2.64] ;
        /*0030*/                   EXIT ;
END
}
listing ACQBULK >"$tmp/tools/waits"
listing NOP >"$tmp/tools/never"
printf '#!/bin/sh\nexit 1\n' >"$tmp/tools/nvdisasm"
printf '#!/bin/sh\ncat %s/tools/now\n' "$tmp" >"$tmp/tools/cuobjdump"
chmod +x "$tmp"/tools/nvdisasm "$tmp"/tools/cuobjdump
export BOHR_KEEP_CODE=1 CUDA_HOME=$tmp/none CUDA_PATH=$tmp/none
arm early-clean 3 programmatic-edge
folder=${log%.bohr}.code
kept=("$folder"/*)
[[ $(stat -c %a "$folder") == 700 && ${#kept[@]} == 1 ]] || fail "no code was kept"
[[ $(stat -c %a "${kept[0]}") == 600 ]] || fail "the kept code is readable for others"
if [[ ! -e /usr/local/cuda/bin/nvdisasm ]] && ! command -v nvdisasm >/dev/null; then
  expect_in "$tmp/out" nvdisasm 'no disassembler'
fi
holds "SELECT 1 FROM code_v WHERE image <> ''"
# early LISTING STATUS: the same log, and another listing.
early() {
  cp "$tmp/tools/$1" "$tmp/tools/now"
  expect_status "$2" "early $1" -- env PATH="$tmp/tools:$PATH" "$BOHR" check "$log"
}
early waits 0
early never 1
expect_in "$tmp/out" consume 'a consumer that never waits'

finish

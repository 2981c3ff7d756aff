#!/usr/bin/env bash
# The agent without a GPU: stand-ins for the driver and CUPTI (tests/cuda/fake) call it as the real
# ones do, and the logs that it leaves are checked. Skipped where it was not built.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
: "${agent:?of fakes.bash}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_fakes "$work" guest pinned_guest || exit 1

failed=0
fail() {
  echo "FAIL $*"
  failed=1
}

# guest NAME ARM [VARIABLE=VALUE...]: its files come to $work/NAME; its own output must be untouched.
program=guest
guest() {
  local folder=$work/$1 arm=$2
  shift 2
  mkdir -m 700 "$folder"
  local said
  said=$(env LD_LIBRARY_PATH="$work" CUDA_INJECTION64_PATH="$agent" BOHR_DIR="$folder" "$@" \
    "$work/$program" "$arm" 2>&1) || fail "$arm: exit status $?"
  [[ $said == "done" ]] || fail "$arm: the guest's output became: $said"
}
# Sets `log` to the one log of that guest.
find_log() {
  local logs=("$work/$1"/*.bohr)
  log=${logs[0]}
  [[ ${#logs[@]} == 1 && -f $log ]] || fail "$1: expected one log, found: ${logs[*]}"
}
# verdict NAME STATUS [TEXT]: of the check of that log.
verdict() {
  local said status=0
  find_log "$1"
  said=$("$BOHR" check "$log" 2>&1) || status=$?
  [[ $status == "$2" ]] || fail "$1: check ended with $status, not $2: $said"
  [[ -z ${3:-} || $said == *"$3"* ]] || fail "$1: check does not say '$3': $said"
}
# explains NAME TEXT: <pid>.error says it.
explains() {
  grep -q "$2" "$work/$1"/*.error 2>/dev/null || fail "$1: no .error file says '$2'"
}

guest captured_race race
verdict captured_race 1 consume
[[ $(stat -c %a "$log") == 600 ]] || fail "the log is readable for others"
guest captured_clean clean
verdict captured_clean 0
guest eager_race eager-race
verdict eager_race 1 consume
guest eager_clean eager-clean
verdict eager_clean 0
guest no_stacks clean BOHR_STACKS=0
verdict no_stacks 0
guest all_stacks race BOHR_STACKS=all
verdict all_stacks 1 consume

# A forked child writes nothing, and does not harm its parent's log.
guest forked fork
verdict forked 0

# A full log ends with the reason, and the guest does not notice.
guest full many BOHR_MAX_LOG=20000 BOHR_RECORD=all
explains full limit
find_log full
[[ $(stat -c %s "$log") -le 20000 ]] || fail "the log outgrew its limit"
verdict full 3

# Another tool holds the subscriber.
guest busy clean FAKE_CUPTI_BUSY=1
explains busy subscriber

# How it ran, as far as the allow-list goes, and nothing else: docs/provenance.md.
mkdir -m 700 "$work/settings"
env LD_LIBRARY_PATH="$work" CUDA_INJECTION64_PATH="$agent" BOHR_DIR="$work/settings" RANK=3 \
  PYTORCH_ALLOC_CONF=expandable_segments:True CUDA_MODULE_LOADING=/hush API_TOKEN=hush \
  "$work/guest" clean --tp 2 --api-key hush --dtype=bf16 >"$work/said" 2>&1 || fail "settings"
find_log settings
said=$("$BOHR" query "$log" "SELECT what, name, value FROM provenance_v ORDER BY name, value")
for line in 'option.*--tp.*2' 'option.*--dtype.*bf16' 'variable.*RANK.*3' \
  'variable.*PYTORCH_ALLOC_CONF.*expandable_segments:True' 'variable.*CUDA_MODULE_LOADING.*(a path)' \
  'library.*libcupti.*13'; do
  grep -q "$line" <<<"$said" || fail "settings: no '$line' in: $said"
done
! grep -qa hush "$log" || fail "settings: the log holds what no list allows"
said=$("$BOHR" check "$log" --format json)
grep -q '"--tp": "2"' <<<"$said" || fail "settings: not in the JSON: $said"
said=$("$BOHR" check --compare "$log" "$work"/captured_race/*.bohr)
grep -q 'RANK' <<<"$said" || fail "settings: the comparison does not say what differs: $said"

# Not armed: nothing is left behind.
guest unarmed clean BOHR_DIR=
[[ -z $(ls "$work/unarmed") ]] || fail "an agent that is not armed left files"

# Pinned sources that are rewritten before their copy is known to be done, and neighbours.
program=pinned_guest
# pinned ARM WRITES: the log holds so many writes of the CPU, and the check finds them or none.
pinned() {
  local writes status=3
  guest "$1" "$1"
  [[ $1 == *-race ]] && status=1
  verdict "$1" "$status" "$([[ $status == 1 ]] && echo 'host write')"
  writes=$("$BOHR" query "$log" "SELECT count(*) FROM host_write" | tail -n 1)
  [[ $writes == "$2" ]] || fail "$1: $writes writes of the CPU in the log, not $2"
}
# notes ARM TEXT: a diagnostic of its log says it.
notes() {
  find_log "$1"
  "$BOHR" query "$log" "SELECT text FROM diagnostic_v WHERE reason = 'note'" | grep -q "$2" ||
    fail "$1: no note says '$2'"
}
for arm in stream context event early-event query event-query other-stream following-stream \
  next-copy again before-callback registered; do
  pinned $arm-race 1
done
pinned graph-race 2
for arm in stream unchanged event query following-stream graph graph-callback callback copied-back \
  kernel graph-kernel unmapped freed large many again; do
  pinned $arm-clean 0
done
notes large-clean "in part"
notes many-clean "not looked at"
find_log again-clean
"$BOHR" query "$log" "SELECT text FROM diagnostic_v" | grep -q pinned &&
  fail "again-clean: sources were given up"

((failed == 0)) && echo "ok"
exit "$failed"

#!/usr/bin/env bash
# The guest, bohr, or one rank of two is killed at random moments of a run that explores (KILLS times
# each, 8 if not said): every log that is left can be read, what still runs comes to its end with the
# right memory, and no process stays behind.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
unset CUDA_INJECTION64_PATH
build_fakes "$tmp" held_guest || exit 1
export LD_LIBRARY_PATH=$tmp
RANDOM=${SEED:-1}
kills=${KILLS:-8}

# gone PID: it is, within 20 s.
gone() {
  for ((i = 0; i < 400; ++i)); do
    kill -0 "$1" 2>/dev/null || return 0
    sleep 0.05
  done
  return 1
}
readable() { # NAME
  local log status
  for log in "$1"/*.bohr; do
    [[ -e $log ]] || continue
    status=0
    "$BOHR" check "$log" >check.out 2>check.err || status=$?
    [[ $status == [013] ]] || fail "$1: $log cannot be read: $(head -n 1 check.err)"
  done
}

# One rank of two is killed: the other one comes to its end, and the report tells of both.
rank_killed() { # NAME
  local name=$1 status=0 runner victims
  # shellcheck disable=SC2016  # the guest's own variables
  "$BOHR" run -o "$name" --explore --launch 3 --max-pause 0.05 -- bash -c '
    for rank in 0 1; do
      RANK=$rank WORLD_SIZE=2 ./held_guest race guest 300 1000 &
    done
    wait' >"$name.out" 2>"$name.err" &
  runner=$!
  sleep "0.$(printf '%03d' $((RANDOM % 600)))"
  mapfile -t victims < <(pgrep -P "$(pgrep -P "$runner" -x bash)" -x held_guest 2>/dev/null)
  ((${#victims[@]} == 0)) || kill -9 "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null
  wait "$runner" || status=$?
  [[ $status == [134] ]] || fail "$name: bohr ended with $status"
  [[ $(grep -c 'guest right' "$name.out") -ge 1 ]] || fail "$name: the other rank's memory is wrong"
  readable "$name"
}

for ((turn = 0; turn < kills; ++turn)); do
  rank_killed rank.$turn
  for victim in bohr guest; do
    name=$victim.$turn
    "$BOHR" run -o "$name" --explore --launch 3 --max-pause 0.05 -- \
      ./held_guest race guest 300 1000 >"$name.out" 2>"$name.err" &
    runner=$!
    sleep "0.$(printf '%03d' $((RANDOM % 600)))"
    guest=$(pgrep -P "$runner" -x held_guest)
    if [[ $victim == bohr ]]; then kill -9 "$runner"; else kill -9 "$guest" 2>/dev/null; fi
    status=0
    wait "$runner" 2>/dev/null || status=$?
    if [[ $victim == guest ]]; then
      [[ $status == [134] ]] || fail "$name: bohr ended with $status"
    elif [[ -n $guest ]]; then
      gone "$guest" || fail "$name: the guest did not come to its end"
      grep -q 'guest right' "$name.out" || fail "$name: the guest's memory is wrong"
    fi
    readable "$name"
  done
done
if pgrep -f "$tmp" >/dev/null; then fail "left behind: $(pgrep -af "$tmp" | head -n 3)"; fi
finish

#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# bohr run while the guest lives: announcements, show, signals.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

golden=$BOHR_SOURCE/tests/golden
mkdir lib
touch lib/libbohr_agent.so lib/libbohr_preload.so
export BOHR_VIA=cupti  # empty files cannot be preloaded
export BOHR_LIB=$PWD/lib
unset CUDA_INJECTION64_PATH

# wait_for SECONDS FILE TEXT
wait_for() {
  for ((i = 0; i < $1 * 10; ++i)); do
    grep -qF -- "$3" "$2" 2>/dev/null && return
    sleep 0.1
  done
  fail "\"$3\" did not come within $1 s"
}

# A server that goes on: the race is announced while it runs, and the folder can be shown.
"$BOHR" run -o live -- bash -c '
  trap "echo told to stop; exit 0" INT TERM
  log=$BOHR_DIR/$$.bohr
  head -c 200 '"$golden"'/race.bohr >$log
  sleep 1
  tail -c +201 '"$golden"'/race.bohr >>$log
  while :; do sleep 0.1; done' >live.out 2>live.err &
running=$!
wait_for 10 live.err 'RACE: 1 cause'
kill -0 $running 2>/dev/null || fail 'it ended by itself'
expect_status 0 'show while it runs' -- "$BOHR" show live
expect_in out 'RACE 1 of 1' 'show while it runs'
kill -TERM $running
wait $running
status=$?
[[ $status == 1 ]] || fail "status $status after SIGTERM"
expect_in live.out 'told to stop' 'the guest was told'
expect_in live.err 'SIGTERM passed on' 'the signal is named'
expect_in live.out 'RACE 1 of 1' 'the report comes at the end'
[[ $(grep -c 'RACE: ' live.err) == 1 ]] || fail 'a cause was announced twice'

# A guest that takes two signals to stop gets both.
"$BOHR" run -o twice -- bash -c '
  n=0
  trap "n=\$((n + 1)); echo got \$n; [ \$n = 2 ] && exit 0" TERM
  touch ready
  while :; do sleep 0.05; done' >twice.out 2>twice.err &
running=$!
for ((i = 0; i < 100; ++i)); do [[ -e ready ]] && break; sleep 0.1; done
kill -TERM $running
wait_for 5 twice.out 'got 1'
kill -TERM $running
wait $running
[[ $? == 3 ]] || fail 'two signals: wrong status'
expect_in twice.out 'got 2' 'both signals arrive'

# Nobody reads what we say: the guest still runs to its end, and the results are kept.
"$BOHR" run -o unread -- bash -c 'sleep 1; cp '"$golden"'/race.bohr $BOHR_DIR/$$.bohr; touch finished' \
  >unread.out 2> >(exec true)
[[ -e finished ]] || fail 'the guest did not come to its end'
[[ -s unread/findings.json ]] || fail 'the results were not kept'

# A guest that is ended by the signal was stopped, it did not fail.
"$BOHR" run -o stopped -- bash -c 'cp '"$golden"'/clean.bohr $BOHR_DIR/$$.bohr; touch up; exec sleep 30' \
  >stopped.out 2>stopped.err &
running=$!
for ((i = 0; i < 100; ++i)); do [[ -e up ]] && break; sleep 0.1; done
sleep 0.3
kill -TERM $running
wait $running
status=$?
[[ $status == 0 ]] || fail "status $status for a guest that was stopped"
expect_in stopped.err 'ended by SIGTERM' 'the end is named'
finish

#!/usr/bin/env bash
# bohr run --explore without a GPU: the stand-in driver (tests/cuda/fake) runs its kernels on host
# memory, so a launch is held, its orders are run, and the guest says whether it then found the
# memory that its own launches leave.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
unset CUDA_INJECTION64_PATH
build_fakes "$tmp" held_guest listener step_guest || exit 1
export LD_LIBRARY_PATH=$tmp

# explore STATUS NAME OPTIONS -- COMMAND...: NAME.out and NAME.err.
explore() {
  local wanted=$1 name=$2 status=0
  shift 2
  "$BOHR" run --explore -o "$name" "$@" >"$name.out" 2>"$name.err" || status=$?
  [[ $status == "$wanted" ]] || fail "$name: status $status instead of $wanted"
}
# says NAME SIDE TEXT: on standard output or error.
says() { expect_in "$1.$2" "$3" "$1"; }
# proved NAME: its one race, and the guest went on with the right memory.
proved() {
  says "$1" err '1 race proved'
  says "$1" out 'PROVED'
  says "$1" out '20 of 20'
  says "$1" out 'memory restored'
  says "$1" out 'guest right'
}
# Bash, for 10 s at most, until a command is true.
wait_until() {
  for ((i = 0; i < 100; ++i)); do
    "$@" && return
    sleep 0.1
  done
  fail "it did not come to: $*"
}
has_held() { grep -q ': held;' "$1.err" 2>/dev/null; }
told() { grep -q ' right\| wrong' "$1" 2>/dev/null; }
notes() {
  "$BOHR" query "$1"/*.bohr "SELECT reason FROM diagnostic_v" | grep -qF -- "$2" ||
    fail "$1: its log has no note $2"
}

explore 1 race -- ./held_guest race guest
if grep -q 'made without nvcc' race.err; then
  says race out 'guest right'
  echo 'the rest needs a build with nvcc'
  finish
  exit
fi
proved race
says race err 'launch 10: held'
says race out 'consume#1(stream 2)   produce#0(stream 1)'
says race out 'of pinned memory at most'
says race out 'the wrong order was stopped there'
says race out 'The right one leaves the same outputs as one plain graph'

# And what would mend it.
explore 1 fixed --fix -- ./held_guest race guest
proved fixed
says fixed out 'Repairs for data-'
says fixed out 'let consume#1'
grep -q '"kind": "edge"' fixed/findings.json || fail 'fixed: no repair in findings.json'

says fixed err '1 of 1 repair held when tried'
says fixed out 'What repairs cost in graph 1'
says fixed out 'overlap off'
says fixed out 'Medians of'
expect_not_in fixed.out 'fix-not-replayed' fixed

# A whole step: a block of which the racing kernel names a half is repaired in each way, and what
# was written with the value it had already makes no second finding.
explore 1 step --fix -- ./step_guest 12 0
says step err '1 race proved'
says step err '2 of 3 repairs held when tried'
says step out 'RACE 1 of 1   reuse'
says step out 'verified in a copy'
grep -q '"edges":\[\[5,44\]\]' <(tr -d ' \n' <step/fix.json) || fail 'step: no edge in its fix file'

# fixes NAME EXPRESSION: of the parts in findings.json by kind, `of`, and of `costs`.
fixes() {
  python3 - "$1/findings.json" "$2" <<'END' || fail "$1: not so: $2"
import json, sys
document = json.load(open(sys.argv[1]))
costs = document.get("costs", [])
of = {fix["kind"]: fix for fix in document["fixes"]}
assert eval(sys.argv[2]), document["fixes"]
END
}
fixes fixed 'of["edge"]["verified"] and of["edge"]["cost"]["step_us"]["value"] > 0'
fixes fixed 'costs[0]["rounds"] >= 6 and costs[0]["graph"] == "graph 1"'

# A block that is given back too early is held in a copy of the work; the edge is tried beside it.
explore 1 reuse --fix -- ./held_guest reuse guest
proved reuse
says reuse out 'verified in a copy'
says reuse out 'record the patched program once to confirm'
fixes reuse 'of["lifetime"]["verified_in"] == "copy" and not of["lifetime"]["verified"]'
fixes reuse 'of["edge"]["verified"] and "verified_in" not in of["edge"]'
fixes reuse 'of["lifetime"]["cost"]["pool_bytes"] == of["edge"]["cost"]["pool_bytes"] + 4000'
fixes reuse 'not of["separate"]["verified"]'
# A recording of the patched program confirms it, and one of the same program does not.
expect_status 3 'patched' -- "$BOHR" run -o patched -- ./held_guest reuse_patched guest
expect_status 3 'confirmed' -- "$BOHR" check --confirm reuse patched
expect_in out 'VERIFIED' confirmed
expect_status 1 'unpatched' -- "$BOHR" check --confirm reuse reuse
expect_in out 'NOT repaired' unpatched
expect_status 3 'elsewhere' -- "$BOHR" run -o elsewhere -- ./held_guest clean guest
expect_status 3 'elsewhere' -- "$BOHR" check --confirm reuse elsewhere
expect_in out 'not confirmed' elsewhere
expect_status 2 'nothing to confirm' -- "$BOHR" check --confirm patched reuse
expect_in err 'no repair of it was verified in a copy' 'nothing to confirm'
expect_status 2 'no run' -- "$BOHR" check --confirm none reuse
# A step that has the address from elsewhere still writes there: not verified, whatever it is worth.
explore 1 hidden --fix -- ./held_guest hidden guest
proved hidden
says hidden out 'with its block elsewhere it'
expect_not_in hidden.out 'No choice of these repairs' hidden
fixes hidden '"verified_in" not in of["lifetime"] and not of["lifetime"]["verified"]'
fixes hidden 'of["edge"]["verified"]'
# In slices.
explore 1 fix_slices --fix --max-pause 0.02 -- ./held_guest reuse guest 1000 600
proved fix_slices
says fix_slices out 'verified in a copy'

# What the wrong order reaches, where it may run on.
explore 1 run_on --may-lose-process -- ./held_guest race guest
proved run_on
says run_on out 'Reaches        allocation 2'
says run_on out 'Each leaves the same outputs as one plain graph'

# Steps that write again what stands there are seen to write it: the order stops at the reader.
explore 1 steady -- ./held_guest steady guest
proved steady
says steady out 'the wrong order was stopped there'

# So are those whose result is zero where their input is, though both name it.
explore 1 product -- ./held_guest product guest
proved product
says product out 'RACE FOUND: 1 cause, 1 place'

# A candidate becomes a finding.
explore 1 candidate --fix -- ./held_guest candidate guest
proved candidate
says candidate out 'let consume#1'
says candidate out ' verified'
explore 1 early --launch 3 -- ./held_guest race guest
proved early
says early err 'launch 3: held'

# What was saved lies in host memory where the device has none.
explore 1 pinned -- env FAKE_LITTLE_MEMORY=1 ./held_guest race guest
proved pinned

# The repaired twin: nothing to hold it for, and where it is asked for no order differs.
explore 3 clean -- ./held_guest clean guest
says clean out 'guest right'
expect_not_in clean.err 'held' 'clean'
explore 3 asked --graph 'graph 1' -- ./held_guest clean guest
says asked err '0 races proved'
says asked out 'guest right'

# Watched memory that no node names: held for it, and whoever writes there all the same is told. The
# clean twin, and one whose own writer leaves something else each time, are silent.
zone='allocation 5 (8 B)'
explore 1 overrun --watch "$zone" -- ./held_guest overrun guest
says overrun err 'launch 10: held; 0 pairs'
says overrun err "WATCHED: produce#0(stream 1) wrote $zone [0, 4), which it is not expected to"
says overrun out 'UNEXPECTED WRITES to what is watched: 1 page.'
says overrun out 'written by     produce#0(stream 1)   graph 1, node 0'
says overrun out 'offset 0: 4 bytes of'
says overrun out 'memory restored and verified'
says overrun out 'guest right'
explore 3 untouched --watch "$zone" -- ./held_guest clean guest
says untouched err 'launch 10: held; 0 pairs'
says untouched out 'no other step wrote it'
says untouched out 'guest right'
expect_not_in untouched.err 'WATCHED' untouched
# With a race beside it, what varies is no word against its repair.
explore 1 varies_race --fix -- ./held_guest varies_race guest
proved varies_race
says varies_race out ' verified'
says varies_race out 'fix-varies'
explore 3 varies --watch "$zone" -- ./held_guest varies guest
says varies out 'expected       vary#2(stream 1), which names it'
says varies out 'no other step wrote it, under 2 contents'
explore 3 rightful --watch "${zone}[0:4]=produce#0" -- ./held_guest overrun guest
says rightful out 'no other step wrote it, under 2 contents'
# By its address: the fifth page of this guest's memory.
explore 1 address --watch 0x200000004004+4 --watch 0x200000004000+4 -- \
  env FAKE_MEMORY_AT=0x200000000000 ./held_guest overrun guest
says address err 'WATCHED: produce#0(stream 1) wrote 0x200000004000 [0, 4)'
says address out 'UNEXPECTED WRITES to what is watched: 1 page.'
says address out 'page 0x200000004000, offset 0: 4 bytes'
explore 3 address_clean --watch 0x200000004000+8 -- \
  env FAKE_MEMORY_AT=0x200000000000 ./held_guest clean guest
says address_clean out 'no other step wrote it'
# Names that are none of the run's, and memory that is nobody's, are told at the end.
explore 3 no_name --watch "${zone}s" -- ./held_guest clean guest
says no_name err 'no block or view has that name (the nearest names are allocation 5 (8 B)'
says no_name out 'guest right'
explore 3 no_label --watch "$zone=count,conso" -- ./held_guest clean guest
says no_label err 'no step has the label "conso" (the nearest labels are count#2, consume#1'
explore 3 nowhere --watch 0x10+8 -- ./held_guest clean guest
says nowhere err '0x10+8: it is to be watched, and this device has no memory there'
says nowhere out 'guest right'
explore 3 other_device --watch "$zone" -- env FAKE_OTHER_DEVICE=1 ./held_guest clean guest
says other_device err "$zone: it is to be watched, and this device has no memory there"
says other_device out '(watch-memory)'
says other_device out 'guest right'

# What the program set or disabled in the instantiated graph is what runs.
for arm in changed disabled; do
  explore 1 $arm -- ./held_guest $arm guest
  proved $arm
  says $arm err 'launch 10: held'
  explore 3 ${arm}_clean --graph 'graph 1' -- ./held_guest ${arm}_clean guest
  says ${arm}_clean err '0 races proved'
  says ${arm}_clean out 'guest right'
done
# So is what a child graph holds.
explore 1 child -- ./held_guest child guest
proved child
explore 3 child_clean --graph 'graph 2' -- ./held_guest child_clean guest
says child_clean err '0 races proved'
says child_clean out 'guest right'
# What is not followed is refused.
explore 1 child_set -- ./held_guest child_set guest
says child_set err 'in a way that is not followed'
says child_set out 'exec-changed'
says child_set out 'guest right'
expect_not_in child_set.out 'PROVED' child_set
# Numbers that name no memory make no other graph of it.
versions=$("$BOHR" query changed/*.bohr 'SELECT count(*) AS n FROM graph_version')
[[ $versions == *1 ]] || fail "changed: its graph has other versions than one: $versions"

# What cannot be run or saved: the guest goes on.
explore 1 updatable -- ./held_guest updatable guest
says updatable err 'cannot be run by itself'
says updatable out 'device-updatable-node'
says updatable out 'guest right'
expect_not_in updatable.out 'PROVED' 'updatable'
explore 1 pageable -- ./held_guest pageable guest
says pageable out 'unguarded-memory'
says pageable out 'guest right'
explore 1 no_memory -- env FAKE_NO_MEMORY=1 ./held_guest race guest
says no_memory err 'no memory'
says no_memory out 'guest right'
explore 1 big -- env FAKE_LITTLE_MEMORY=1 FAKE_MOST_PINNED=524288 ./held_guest big guest
says big err 'cannot be saved'
grep -qE '[0-9]{7} bytes, of which [0-9]{7} find no place' big.err || fail "big: $(cat big.err)"
says big out 'guest right'
explore 1 budget --budget 3 -- ./held_guest race guest
says budget err '3 replays'
says budget out 'not proved'
says budget out 'guest right'

# Slices: the guest launches and counts between them, and so much is put back each time.
explore 1 slices --max-pause 0.02 -- ./held_guest race guest 1000 400
proved slices
grep -qE 'held [0-9]+ times' slices.err || fail "slices: held once: $(cat slices.err)"

# Another thread waits meanwhile: what it then does is not lost when memory is put back.
explore 1 threads -- ./held_guest threads guest 1000
proved threads
explore 1 threads_slices --max-pause 0.02 -- ./held_guest threads guest 1000 400
proved threads_slices

# Somebody else writes memory of the graph: the search ends, and nothing of it is written over.
explore 1 foreign -- ./held_guest foreign guest 1000
says foreign err 'memory changes while nothing runs'
says foreign out 'foreign-writer'
says foreign out 'guest right'
explore 1 late -- ./held_guest late guest 1000 60
says late out 'foreign-writer'
says late out 'guest right'
expect_not_in late.out 'NOT PUT BACK' 'late'

# Two guests at once, held in turn; one entry tells both.
explore 1 two -- bash -c './held_guest race first & ./held_guest race second & wait'
says two out 'first right'
says two out 'second right'
[[ $(grep -c '1 race proved' two.err) == 2 ]] || fail "two: $(cat two.err)"
says two out '1 cause, 2 places'

# bohr is killed while it holds: the guest ends right, and its log can be read.
"$BOHR" run --explore --max-pause 0 -o killed -- ./held_guest race guest 20000 \
  >killed.out 2>killed.err &
running=$!
wait_until has_held killed
kill -KILL $running
wait $running 2>/dev/null
wait_until told killed.out
says killed out 'guest right'
expect_status 1 'the log of a killed run' -- "$BOHR" check killed/*.bohr

# It is killed while the search is paused: what the guest did since stays.
"$BOHR" run --explore --max-pause 0.02 -o paused -- ./held_guest rests guest 1000 \
  >paused.out 2>paused.err &
running=$!
wait_until has_held paused
sleep 1
kill -KILL $running
wait $running 2>/dev/null
wait_until told paused.out
says paused out 'guest right'

# While the search is paused the exec is destroyed, or the guest ends: its memory is its own, and
# nobody waits for a launch that cannot come.
for arm in destroy rests; do
  SECONDS=0
  explore 1 $arm --max-pause 0.02 -- ./held_guest $arm guest 1000 14
  says $arm out 'guest right'
  ((SECONDS < 20)) || fail "$arm: it waited for $SECONDS s"
done

# It is told to stop: the search ends, and a guest that will not go for it goes on right.
"$BOHR" run --explore --max-pause 0 -o stopped -- \
  bash -c 'trap "" TERM; exec ./held_guest race guest 20000' >stopped.out 2>stopped.err &
running=$!
wait_until has_held stopped
kill -TERM $running
wait $running
says stopped out 'guest right'
says stopped err 'SIGTERM passed on'
says stopped out 'interrupted'

# The guest is killed while it is held.
"$BOHR" run --explore --max-pause 0 -o lost -- ./held_guest race guest 20000 \
  >lost.out 2>lost.err &
running=$!
wait_until has_held lost
logs=(lost/*.bohr)
kill -KILL "$(basename "${logs[0]}" .bohr)"
wait $running
says lost err 'ended by SIGKILL'

# An order ends its process. Its note stays; or the program is started again and the search goes on.
explore 1 fatal -- ./held_guest fatal guest
says fatal err 'ended with 9'
says fatal out 'the program ended while it was explored'
says fatal err 'was under way when the search ended'
"$BOHR" show fatal >fatal.show 2>&1
expect_in fatal.show 'was under way when the search ended' 'fatal'
explore 1 again --restart -- ./held_guest fatal guest
says again err 'an order ended it: started again, 1 of at most 10'
expect_not_in again.err 'started again, 2' 'again'
says again out 'it was started again without that order'
says again out 'consume#1(stream 2) runs before produce#0(stream 1)'
says again out 'started again 1 time'
says again out 'guest right'
[[ -f again/lost-1/explore.order && ! -e again/explore.order ]] || fail "again: $(ls again again/*)"
compgen -G 'again/lost-1/*.bohr' >/dev/null || fail 'again: the first log is gone'
explore 1 once --restart 0 -- ./held_guest fatal guest
expect_not_in once.err 'started again' 'once'
explore 1 garbage --may-lose-process --restart 3 -- ./held_guest garbage guest
says garbage err 'started again, 1 of at most 3'
proved garbage
says garbage out 'the wrong order was stopped there'
explore 1 stops -- ./held_guest garbage guest
proved stops
expect_not_in stops.err 'ended with 9' 'stops'

# A kernel that waits for ever: told by the watchdog, and its process is ended for it.
explore 1 hang --watchdog 0.5 --restart -- ./held_guest hang guest
says hang err 'ended by SIGTERM'
says hang out 'a kernel waits for ever'
says hang out 'consume#1(stream 2) runs before produce#0(stream 1)'
says hang out 'guest right'

# Nobody listens, or somebody else does.
# alone NAME SOCKET: a guest whose agent was told to ask there.
alone() {
  mkdir -m 700 "$1"
  env CUDA_INJECTION64_PATH="$agent" BOHR_DIR="$tmp/$1" BOHR_EXPLORE="$2" \
    ./held_guest race guest >"$1.out" 2>&1 || fail "$1: exit status $?"
  [[ $(cat "$1.out") == 'guest right' ]] || fail "$1: the guest's output became: $(cat "$1.out")"
}
alone unheard "$tmp/nobody.sock"
notes unheard explore-unavailable
alone far "$tmp/$(printf 'x%.0s' {1..120}).sock"
notes far explore-unavailable
for answer in nonsense nothing length silence; do
  ./listener "$tmp/$answer.sock" $answer &
  wait_until test -e "$answer.sock.ready"
  alone $answer "$tmp/$answer.sock"
  wait $! || fail "$answer: nobody asked"
done
finish

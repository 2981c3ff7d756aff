#!/usr/bin/env bash
# Explores real programs on this machine's GPU with `bohr run --explore`, and says for each whether
# it came out as its name says. Needs nvcc, and PyTorch as python3's.
#
#   tools/gpu_explore.sh [PART...]      (default: all)
#
# Parts: silent scratch afterwards programs atomic deepseek slices killed large shared hostile
# compare watch. Each takes less than eight minutes, most of them less than one.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin explore
: "${programs:?}" "${bohr:?}" "${out:?}" "${root:?}"

# explore NAME OPTIONS -- COMMAND...: the report to NAME.txt, what was said to NAME.err.
explore() {
  local name=$1
  shift
  rm -rf "$name"
  "$bohr" run --explore -o "$name" "$@" >"$name.txt" 2>"$name.err" </dev/null
}

held() { grep -oE "[0-9]+ races? proved; .*" "$1.err" | tr '\n' ';'; }
proved() { grep -qE "[1-9][0-9]* races? proved" "$1.err"; }
explored() { grep -qE "races? proved" "$1.err"; }
none_proved() { explored "$1" && ! proved "$1"; }
not_proved_why() { grep -qE "outside one|no pair of steps|Not explored" "$1.txt"; }
# A program may have nothing for orders of one launch to decide.
clean() { ! proved "$1"; }

# The racy one proved, the repaired one without a differing order, in one process; silent under
# 2,000 plain replays.
silent() {
  explore silent -- python3 "$programs/missing_record_stream_silent.py"
  ok silent "$(held silent)" proved silent
  ok silent "plain replays afterwards are right" grep -q "nofix plain replay corrupt 0 /2000" \
    silent.txt
}
scratch() {
  compile shared_scratch
  explore scratch -- ./shared_scratch
  ok scratch "$(held scratch)" proved scratch
  ok scratch "plain replays afterwards are right" grep -q "concurrent replay: 0/2000" scratch.txt
}

# 2,000 launches after the one that was explored are right, and as fast as without the tool; so they
# are where nothing is explored.
afterwards() {
  local arm plain
  for arm in race clean; do
    plain=$(python3 "$programs/replays_afterwards.py" $arm)
    rm -rf recorded
    "$bohr" run --exit=guest -o recorded -- python3 "$programs/replays_afterwards.py" $arm \
      >recorded.txt 2>recorded.err </dev/null
    explore afterwards.$arm --graph "graph 1" -- python3 "$programs/replays_afterwards.py" $arm
    ok afterwards.$arm "$(held afterwards.$arm)" explored afterwards.$arm
    ok afterwards.$arm "$(grep -h "^right" afterwards.$arm.txt)" \
      grep -q "^right 2000 of 2000" afterwards.$arm.txt
    printf '      %-40s %s; recorded: %s\n' afterwards.$arm "without the tool: ${plain#*, }" \
      "$(grep -oE "median .*" recorded.txt)"
  done
}

# Each program of tests/cuda/programs: witnessed or said why not; its clean twin not.
programs() {
  local name
  compile missing_join
  explore missing_join.race --launch 2 -- ./missing_join race
  ok missing_join.race "said why not" not_proved_why missing_join.race
  for name in missing_wait event_reused; do
    compile $name
    explore $name.race --launch 2 -- ./$name race
    ok $name.race "$(held $name.race)" proved $name.race
    explore $name.clean --launch 2 -- ./$name clean
    ok $name.clean "$(held $name.clean)" clean $name.clean
  done
  compile exec_changed
  for name in set disabled; do
    explore $name.race -- ./exec_changed $name.race
    ok $name.race "$(held $name.race)" proved $name.race
    ok $name.race "right" grep -q "right after 200 launches" $name.race.txt
    explore $name.clean --graph "graph 1" -- ./exec_changed $name.clean
    ok $name.clean "$(held $name.clean)" none_proved $name.clean
    ok $name.clean "right" grep -q "right after 200 launches" $name.clean.txt
  done
  compile child_graph
  explore child.race -- ./child_graph race
  ok child.race "$(held child.race)" proved child.race
  explore child.clean --graph "graph 2" -- ./child_graph clean
  ok child.clean "$(held child.clean)" none_proved child.clean
  for name in race clean; do
    ok child.$name "right" grep -q "right after 200 launches" child.$name.txt
  done
  for name in missing_record_stream_captured inplace_copy scratch_views; do
    explore $name.race --launch 2 -- python3 "$programs/$name.py" race
    ok $name.race "$(held $name.race)" proved $name.race
    explore $name.clean --launch 2 -- python3 "$programs/$name.py" clean
    ok $name.clean "$(held $name.clean)" clean $name.clean
  done
  for name in scratch_views inplace_kernel; do
    explore $name.candidate --launch 2 -- python3 "$programs/$name.py" candidate
    ok $name.candidate "$(held $name.candidate)" proved $name.candidate
  done
  explore inplace_kernel.clean --launch 2 -- python3 "$programs/inplace_kernel.py" clean
  ok inplace_kernel.clean "$(held inplace_kernel.clean)" clean inplace_kernel.clean
  for name in missing_record_stream_eager pool_order; do
    explore $name.race --launch 2 -- python3 "$programs/$name.py" race
    ok $name.race "said why not" not_proved_why $name.race
  done
  explore balanced_branches.race -- python3 "$programs/balanced_branches.py" plain
  ok balanced_branches.race "$(held balanced_branches.race)" proved balanced_branches.race
  explore balanced_branches.clean -- python3 "$programs/balanced_branches.py" hold
  ok balanced_branches.clean "$(held balanced_branches.clean)" clean balanced_branches.clean
  explore loud.race -- python3 "$programs/missing_record_stream_loud.py"
  ok loud.race "$(held loud.race)" proved loud.race
}

# Float atomics upstream of the racy tensor: pinned, or every order would differ.
atomic() {
  local program=$programs/missing_record_stream_atomic.py
  explore atomic.race -- python3 "$program" race
  ok atomic.race "$(held atomic.race)" proved atomic.race
  ok atomic.race "$(grep -h "replays left" atomic.race.txt)" grep -q "race: 0 of" atomic.race.txt
  ok atomic.race "20 of 20, and it says what is pinned" grep -qE "(varies|vary) by" atomic.race.txt
  explore atomic.clean -- python3 "$program" clean
  ok atomic.clean "$(held atomic.clean)" clean atomic.clean
}

# One early drop in a decode graph of more than 1,000 nodes.
deepseek() {
  local program=$programs/deepseek_v4_decode.py
  explore deepseek.race -- python3 "$program" race
  ok deepseek.race "$(held deepseek.race)" proved deepseek.race
  ok deepseek.race "$(grep -h "replays left" deepseek.race.txt)" grep -q "race: 0 of" deepseek.race.txt
  explore deepseek.clean -- python3 "$program" clean
  ok deepseek.clean "$(held deepseek.clean)" clean deepseek.clean
}

# A long search in slices: the program's state is what so many launches leave.
slices() {
  compile counting_graph
  explore slices --max-pause 0.05 --orders 4000 --budget 100000 -- ./counting_graph 4000
  ok slices "$(held slices)" proved slices
  ok slices "held several times" grep -qE "held [0-9]+ times" slices.err
  ok slices "right" grep -q "right after 4000 launches" slices.txt
}

# The tool is killed at random moments of a search; the program must come out right.
killed() {
  local batch i right=0 pids
  compile counting_graph
  for batch in 1 2 3 4 5; do
    pids=()
    for i in 1 2 3 4 5 6 7 8 9 10; do
      rm -rf "killed.$i"
      "$bohr" run --explore --max-pause 0 --orders 1000000 --budget 10000000 -o "killed.$i" -- \
        ./counting_graph 3000 >"killed.$i.txt" 2>"killed.$i.said" </dev/null &
      pids+=($!)
    done
    for i in 1 2 3 4 5 6 7 8 9 10; do
      sleep 0.$((RANDOM % 4))$((RANDOM % 10))
      if ((batch == 1 && i == 1)); then sleep 2; fi
      disown "${pids[i - 1]}"
      kill -9 "${pids[i - 1]}"
    done
    for i in $(seq 100); do
      if ! pgrep -x counting_graph >/dev/null; then break; fi
      sleep 0.1
    done
    right=$((right + $(grep -l "right after 3000 launches" killed.*.txt | wc -l)))
  done
  grep -h " held;" killed.*.said >killed.err
  ok killed "$right of 50 right after the tool was killed" test "$right" = 50
  ok killed "$(grep -c held killed.err) of the last 10 were held then" grep -q held killed.err
}

# 60 GiB named by the graph, 2 GiB free.
large() {
  compile counting_graph
  explore large --max-pause 30 -- ./counting_graph 5000 $((60 << 30)) $((2 << 30))
  ok large "$(held large)" proved large
  ok large "right" grep -q "right after 5000 launches" large.txt
}

# A second process writes memory of the graph: refused, and nothing of it is put back.
shared() {
  compile shared_memory
  explore shared -- ./shared_memory
  ok shared "refused by name" grep -q "another process may write" shared.err
  ok shared "$(head -n 1 shared.txt)" grep -q "^0 foreign writes lost" shared.txt
}

# Orders that end the process, a program that ends meanwhile, another thread's launches and updates.
hostile() {
  local arm i
  compile fatal_orders
  compile two_threads
  for arm in garbage fatal hang; do
    explore $arm.clean -- ./fatal_orders $arm clean
    ok $arm.clean "$(tail -n 1 $arm.clean.err)" clean $arm.clean
    ok $arm.clean "right" grep -q "right after" $arm.clean.txt
  done
  explore garbage.stopped -- ./fatal_orders garbage race
  ok garbage.stopped "$(held garbage.stopped)" proved garbage.stopped
  ok garbage.stopped "right afterwards" grep -q "right after" garbage.stopped.txt
  explore garbage.lost --may-lose-process -- ./fatal_orders garbage race
  ok garbage.lost "the order is told" grep -q "ended the program's context" garbage.lost.txt
  ok garbage.lost "its note stays" grep -q "was under way" garbage.lost.err
  explore garbage.again --may-lose-process --restart -- ./fatal_orders garbage race
  ok garbage.again "$(held garbage.again)" proved garbage.again
  ok garbage.again "$(grep -c "started again" garbage.again.err) starts more" \
    grep -q "right after" garbage.again.txt
  for arm in fatal hang; do
    explore $arm.again --restart 3 --watchdog 3 -- ./fatal_orders $arm race
    ok $arm.again "the pair is told" \
      grep -qE "(look_up|wait_for)#.* runs before (fill|set)#" $arm.again.txt
    ok $arm.again "$(grep -c "started again" $arm.again.err) starts more" \
      grep -q "right after" $arm.again.txt
  done
  ok hang.again "a hidden order" grep -q "waits for ever" hang.again.txt
  explore threads --launch 3 -- ./two_threads 500
  ok threads "$(held threads)" proved threads
  ok threads "right" grep -q "right after 1000 launches" threads.txt
  explore threads.slices --launch 3 --max-pause 0.01 --orders 4000 --budget 100000 -- \
    ./two_threads 500
  ok threads.slices "right" grep -q "right after 1000 launches" threads.slices.txt
  compile counting_graph
  rm -rf ended
  "$bohr" run --explore --max-pause 0 --orders 1000000 --budget 10000000 -o ended -- \
    ./counting_graph 3000 >ended.txt 2>ended.err </dev/null &
  for i in $(seq 100); do
    if grep -q " held;" ended.err; then break; fi
    sleep 0.1
  done
  pkill -KILL -x counting_graph
  wait $!
  ok ended "told, and nobody waits" grep -q "ended by SIGKILL" ended.err
}

# Graph against eager in Python, without exploring: each defect by its name, each repaired twin equal.
# The last one without a history of its own.
compare() {
  local name arm kind program=$programs/compare_graph.py
  while read -r name kind; do
    for arm in race clean; do
      if [[ $arm == clean ]]; then kind=equal; fi
      if [[ $kind == none ]]; then continue; fi
      PYTHONPATH=$root/python python3 "$program" "$name.$arm" >"$name.$arm.txt" \
        2>"$name.$arm.err" </dev/null
      ok "$name.$arm" "$(cat "$name.$arm.txt")" grep -q "^$name.$arm: $kind" "$name.$arm.txt"
    done
  done <<'END'
scalar frozen-at-capture
rebound frozen-at-capture
item frozen-at-capture
counter frozen-at-capture
freed stale-memory
again stale-memory
written stale-memory
carry stale-memory
different different
graphed frozen-at-capture
compiled none
END
  rm -rf compare.run
  "$bohr" run --exit=guest -o compare.run -- python3 "$program" again.race again.clean \
    >compare.run.txt 2>compare.run.err </dev/null
  ok compare.run "under bohr run" grep -q "^again.race: stale-memory" compare.run.txt
  ok compare.run "under bohr run" grep -q "^again.clean: equal" compare.run.txt
}

# Canaries: what `spill` writes past its buffer, into its neighbour and into a block that nobody
# names, is told; its clean twin is not. Names of blocks are taken from what a wrong one is told.
watch() {
  compile canary
  local arena guard arm
  explore canary.names --watch 'allocation 0 (128 KiB)' --watch 'allocation 0 (20 KiB)' -- \
    ./canary clean
  arena=$(grep -oE 'allocation [1-9][0-9]* \(128 KiB\)' canary.names.err | head -n 1)
  guard=$(grep -oE 'allocation [1-9][0-9]* \(20 KiB\)' canary.names.err | head -n 1)
  for arm in race clean; do
    explore canary.$arm --watch "${arena}[64K:128K]=produce" --watch "$guard" -- ./canary $arm
    ok canary.$arm "$(held canary.$arm)" none_proved canary.$arm
    ok canary.$arm "memory is as its launches leave it" grep -q '^right$' canary.$arm.txt
  done
  ok canary.race "$(grep -h WATCHED: canary.race.err | head -n 1)" \
    grep -qE 'WATCHED: spill#[0-9]+\(.*\) wrote allocation .*128 KiB\) \[64K,' canary.race.err
  ok canary.race "a block that nobody names" \
    grep -qE 'WATCHED: spill#[0-9]+\(.*\) wrote allocation .*20 KiB\) \[0, 4\)' canary.race.err
  ok canary.race "2 pages" grep -q 'UNEXPECTED WRITES to what is watched: 2 pages' canary.race.txt
  ok canary.clean "nobody else wrote" grep -q 'no other step wrote it' canary.clean.txt
  ok canary.clean "nothing is told" test -z "$(grep -h WATCHED: canary.clean.err)"
}

parts 'silent scratch afterwards programs atomic deepseek slices killed large shared hostile compare
watch' "$@"
finish

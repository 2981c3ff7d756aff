#!/usr/bin/env bash
# bohr attach and bohr env without a GPU: the stand-in driver (tests/cuda/fake) runs its kernels on
# host memory. A program that was started by nobody of ours is armed by the lines that bohr env
# prints, is explored and repaired while it goes on, and ends with the memory that its launches leave.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
unset CUDA_INJECTION64_PATH BOHR_DIR PYTHONPATH
build_fakes "$tmp" held_guest || exit 1
export LD_LIBRARY_PATH=$tmp

# armed NAME ARM [MICROSECONDS [LAUNCHES]]: starts it, and waits until it is recorded. Its number
# is in `guest`.
armed() {
  local name=$1 arm=$2
  shift 2
  (
    eval "$("$BOHR" env -o "$name" --for shell 2>/dev/null)"
    exec ./held_guest "$arm" guest "$@"
  ) >"$name.guest" 2>&1 &
  guest=$!
  for ((i = 0; i < 100; ++i)); do
    [[ -s $name/$guest.bohr ]] && return
    sleep 0.05
  done
  fail "$name: it is not recorded"
}
# attached STATUS NAME OPTIONS...: NAME.out and NAME.err.
attached() {
  local wanted=$1 name=$2 status=0
  shift 2
  timeout 60 "$BOHR" attach "$@" >"$name.out" 2>"$name.err" || status=$?
  [[ $status == "$wanted" ]] || fail "$name: status $status instead of $wanted"
}
# right NAME: it ended well.
right() {
  wait "$guest" || fail "$1: the program ended with $?"
  expect_in "$1.guest" 'guest right' "$1"
}

expect_status 0 env -- env BOHR_VIA=cupti "$BOHR" env -o lines
expect_in out "Environment=\"CUDA_INJECTION64_PATH=$agent\"" 'env'
expect_in out "Environment=\"BOHR_DIR=$tmp/lines\"" 'env'
expect_status 0 'env for a container' -- "$BOHR" env -o lines --for container
expect_in out "-v $tmp/lines:$tmp/lines" 'env for a container'
chmod 755 lines
expect_status 2 'env in an open folder' -- "$BOHR" env -o lines
expect_in err 'others than its owner may read it' 'env in an open folder'

armed served race 1000 2000
# What was recorded so far, while it runs.
expect_status 1 'show' -- "$BOHR" check served
attached 1 looked "$guest"
expect_in looked.out 'RACE FOUND' looked
kill -0 "$guest" || fail 'served: it ended'
attached 1 first "$guest" --explore --fix
if grep -q 'made without nvcc' first.err first.out; then
  kill "$guest"
  echo 'the rest needs a build with nvcc'
  finish
  exit
fi
expect_in first.err '1 race proved' first
expect_in first.err '1 of 1 repair held when tried' first
expect_in first.out 'PROVED' first
expect_in first.out 'memory restored' first
expect_in first.out 'let consume#1' first
[[ -s served/attach-2/fix.json && -s served/attach-2/report.txt ]] || fail 'first: nothing was kept'
grep -q '"program_exit": null' served/attach-2/findings.json || fail 'first: it has not ended'
kill -0 "$guest" || fail 'served: it ended when it was explored'
# Again, in short holds, by the process above it, and where it was told to.
attached 1 second $$ --explore --max-pause 0.2 -o again
expect_in second.err '1 race proved' second
[[ -s again/report.txt ]] || fail 'second: its report is elsewhere'
# One that dies lets it go on, and the next one is let in.
"$BOHR" attach "$guest" --explore --watchdog 5 >killed.out 2>killed.err &
killed=$!
for ((i = 0; i < 100; ++i)); do
  grep -q ': held;' killed.err && break
  sleep 0.02
done
kill -9 $killed
wait $killed
attached 1 third "$guest" --explore
expect_in third.err '1 race proved' third
right served
[[ ! -e served/$guest.attach ]] || fail 'served: its page is left'
attached 2 ended "$guest"
expect_in ended.err 'there is none' ended

# Nothing to find, and a graph that is not launched any more.
armed quiet clean 1000 300
attached 3 quiet "$guest" --explore  # what the CPU does is not recorded
expect_in quiet.err 'waiting for launches of 0 graphs' quiet
right quiet
armed stopped race 1000 200
sleep 0.3
kill -STOP "$guest"
# Who is attached is alone, and lets it go when it is told to.
"$BOHR" attach "$guest" --explore --patience 20 >waits.out 2>waits.err &
waits=$!
sleep 0.5
attached 2 other "$guest" --explore
expect_in other.err 'another bohr is attached' other
kill -INT $waits
wait $waits
expect_in waits.err 'not explored: stopped' waits
attached 1 stopped "$guest" --explore --patience 1
expect_in stopped.err 'no launch of it within 1 s' stopped
attached 2 unknown "$guest" --explore --graph none
expect_in unknown.err 'no graph of this name was captured so far' unknown
kill -CONT "$guest"
right stopped

# No agent, no process, no number.
sleep 5 &
attached 2 none $!
expect_in none.err 'bohr env' none
kill $!
attached 2 bad 0
attached 2 word abc
attached 2 alone $$ --fix
finish

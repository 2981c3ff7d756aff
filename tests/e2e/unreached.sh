#!/usr/bin/env bash
# bohr run names processes that use CUDA and were not reached: here one that was started with an
# environment of its own, and one whose driver was told to load something else. Their twin, with the
# variable in place, is recorded.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
unset CUDA_INJECTION64_PATH
build_fakes "$tmp" held_guest || exit 1
export LD_LIBRARY_PATH=$tmp

guest='./held_guest clean guest 1000 1000'
expect_status 3 cleared -- "$BOHR" run -o cleared -- sh -c \
  "env -i LD_LIBRARY_PATH=$tmp $guest & $guest; wait"
expect_in err 'held_guest: NOT RECORDED: it was started with another environment' cleared
expect_in out 'NO RACE FOUND, BUT NOT CLEAN: of 2 processes one was not checked at all' cleared
expect_in out 'not-recorded: it was started with another environment' cleared
[[ $(grep -c 'NOT RECORDED' err) == 1 ]] || fail 'cleared: told more than once, or of the twin'
[[ $(find cleared -name '*.bohr' | wc -l) == 1 ]] || fail 'cleared: the twin was not recorded'
echo 'extern "C" int InitializeInjection() { return 1; }' >profiler.cc
g++ -shared -fPIC -o profiler.so profiler.cc
expect_status 3 other -- "$BOHR" run --via cupti -o other -- sh -c \
  "CUDA_INJECTION64_PATH=$tmp/profiler.so $guest"
expect_in err "the driver was told to load $tmp/profiler.so into it instead" other
# Ranks have their number in the report.
expect_status 3 reached -- "$BOHR" run -o reached -- sh -c \
  "RANK=0 WORLD_SIZE=2 $guest & RANK=1 WORLD_SIZE=2 $guest; wait"
expect_not_in err 'NOT RECORDED' reached
expect_in out 'held_guest, rank 0 of 2 ' reached
expect_in out 'held_guest, rank 1 of 2 ' reached
finish

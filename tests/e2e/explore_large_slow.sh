#!/usr/bin/env bash
# A held launch whose memory cannot be saved whole, without a GPU: the graph writes the end of a block
# of 1 GiB, and there is no memory to be had beside it but the host's. So its pages are watched over
# one launch of the guest's own, at a second hold what changed there is saved, and the guest finds its
# memory right afterwards.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
unset CUDA_INJECTION64_PATH
build_fakes "${tmp:?of lib.bash}" held_guest || exit 1
export LD_LIBRARY_PATH=$tmp FAKE_LITTLE_MEMORY=1

expect_status 1 large -- "$BOHR" run --explore --max-pause 0 -o large -- \
  ./held_guest large guest 500 9000
if grep -q 'made without nvcc' err; then
  echo 'skipped: this build has no kernels of its own'
  exit 77
fi
expect_in err '1 race proved' large
expect_in err 'held 2 times' large
expect_in out 'PROVED' large
expect_in out 'guest right' large

# Of watched bytes the pages are saved and looked at, also where no launch writes: the first ones, and
# the last, which hold what is written. All of the block finds no room.
block='allocation 1 (1 GiB)' few=(--budget 12 --max-pause 0)
expect_status 1 watched -- "$BOHR" run --explore "${few[@]}" -o watched --watch "${block}[0:8K]=" \
  --watch "${block}[1025M:1074794400]=consume#1" -- ./held_guest large guest 500 9000
expect_in err "WATCHED: produce#0(stream 1) wrote $block [1025M," watched
expect_in out 'no other step wrote it' watched
expect_in out 'UNEXPECTED WRITES to what is watched: 1 page.' watched
expect_not_in out 'not watched' watched
expect_in out 'guest right' watched
expect_status 1 all -- "$BOHR" run --explore "${few[@]}" -o all --watch "$block" -- \
  ./held_guest large guest 500 9000
expect_in out 'not watched    allocation 1 (1 GiB) [0, 1025M)' all
expect_in out 'guest right' all
finish

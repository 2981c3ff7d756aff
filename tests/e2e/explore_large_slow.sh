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
  ./held_guest large guest 500 3000
if grep -q 'made without nvcc' err; then
  echo 'skipped: this build has no kernels of its own'
  exit 77
fi
expect_in err '1 race proved' large
expect_in err 'held 2 times' large
expect_in out 'PROVED' large
expect_in out 'guest right' large
finish

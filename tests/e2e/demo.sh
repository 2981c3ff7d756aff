#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# bohr demo: every verdict is the expected one, and quickly.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

SECONDS=0
expect_status 0 demo -- "$BOHR" demo
expect_in out 'RACE 1 of 1   reuse' demo
expect_in out 'reuse: memory reused too early   PROVED' demo
expect_in out '20 of 20 identical' demo
expect_in out 'A decode step on a simulated GPU' demo
expect_in out 'CLEAN: no race' demo
expect_in out 'Every verdict is the expected one.' demo
expect_not_in out 'NOT AS EXPECTED' demo
expect_in out 'of 200 runs left other outputs (' demo
expect_status 0 'a short demo' -- "$BOHR" demo --own-runs 7
expect_in out 'of 7 runs left other outputs (' 'a short demo'
expect_status 0 'a demo without own runs' -- "$BOHR" demo --own-runs 0
expect_not_in out 'runs left other outputs' 'a demo without own runs'
((SECONDS < 60)) || fail "the demo took $SECONDS s"
finish

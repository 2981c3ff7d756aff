#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# bohr demo: every verdict is the expected one, and quickly.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

SECONDS=0
expect_status 0 demo -- "$BOHR" demo
expect_in out 'RACE 1 of 1   reuse' demo
expect_in out '20 of 20 identical' demo
expect_in out 'eager, two streams    0 of 1000 ' demo
expect_in out 'graph, one stream     0 of 1000 ' demo
expect_in out 'the same, repaired    0 of 1000 ' demo
expect_not_in out 'graph, two streams    0 of 1000 ' demo
expect_in out 'Every verdict is the expected one.' demo
expect_not_in out 'NOT AS EXPECTED' demo
cp out first
expect_status 0 'the demo again' -- "$BOHR" demo --seed 1
cmp -s out first || fail 'one seed gives two stories'
expect_status 0 'another seed' -- "$BOHR" demo --seed 99 --steps 300
expect_in out 'graph, one stream     0 of 300 ' 'another seed'
cmp -s out first && fail 'another seed gives the same story'
((SECONDS < 60)) || fail "the demo took $SECONDS s"
finish

#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# bohr demo: every verdict is the expected one, all that it prints was measured, and quickly.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

# told NAME ARG...: the text, the page and the JSON of one seed agree.
told() {
  local name=$1
  shift
  expect_status 0 "$name, as JSON" -- "$BOHR" demo --format json "$@"
  cp out "$name.json"
  expect_status 0 "$name" -- "$BOHR" demo --html "$name.html" "$@"
  cp out "$name.txt"
  expect_in out 'Every verdict is the expected one.' "$name"
  expect_not_in out 'NOT AS EXPECTED' "$name"
  expect_in err "$name.html" "$name"
  expect_status 0 "$name: its numbers" -- \
    python3 "$BOHR_SOURCE/tests/e2e/demo_page.py" "$name.txt" "$name.json" "$name.html"
}

SECONDS=0
told demo
((SECONDS < 60)) || fail "the demo took $SECONDS s"
expect_in demo.txt 'RACE 1 of 1   reuse' demo
expect_status 0 'the demo again' -- "$BOHR" demo --seed 1
cmp -s out demo.txt || fail 'one seed gives two stories'

told seed-99 --seed 99 --steps 300
expect_in seed-99.txt ' of 300 ' 'another seed'
cmp -s seed-99.json demo.json && fail 'another seed gives the same story'

expect_status 2 'a page that cannot be written' -- "$BOHR" demo --steps 200 --html no/such/folder
expect_in err 'no/such/folder' 'a page that cannot be written'
# Where there is a GPU this would be the story on it.
if ! nvidia-smi >/dev/null 2>&1; then
  expect_status 2 'no GPU' -- "$BOHR" demo --cuda --steps 200
  grep -qE 'no GPU that CUDA can use|cannot find bohr_demo_layer' err || fail 'no GPU is not said'
fi
finish

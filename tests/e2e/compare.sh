#!/usr/bin/env bash
# bohr check --compare: five arms of one decode step, of which one has the race and each other one
# lacks it for a reason of its own.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

# bf16: the indexer's logits are dropped before main has joined the side stream.
cat >bf16.case <<'END'
case 1
stream main
stream idx
pool g
buffer x 16K
buffer topk 4K
buffer out 16K
capture step on main
main: alloc logits 16K pool g
main: kernel score reads x writes logits
main: record scored
idx: wait scored
idx: kernel select reads logits writes topk
main: free logits
main: alloc q 16K pool g over logits
main: kernel project reads x writes q
idx: record selected
main: wait selected
main: kernel attend reads q, topk writes out
main: free q
end step
main: launch step
END
# fp8: a buffer that lives throughout, so nothing is handed out again.
sed -e '/alloc logits/d; /free logits/d; s/ over logits//; s/\blogits\b/scores/' \
  -e 's/^buffer topk/buffer scores 16K\n&/' bf16.case >fp8.case
# eager: the side stream is there and is not used.
sed -e '/^capture/d; /^end/d; /launch/d; /record/d; /wait/d; s/^idx:/main:/' bf16.case >eager.case
# overlap off: no side stream at all.
sed -e '/^stream idx/d; /record/d; /wait/d; s/^idx:/main:/' bf16.case >overlap-off.case
# repaired: the join stands before the next write.
awk '/^idx: record selected/ || /^main: wait selected/ { next }
     /^main: free logits/ { print "idx: record selected"; print "main: wait selected" }
     { print }' bf16.case >repaired.case
# larger: q does not fit where logits was.
sed -e 's/ over logits//; s/alloc q 16K/alloc q 32K/' bf16.case >larger.case

expect_status 1 arms -- "$BOHR" check --compare bf16.case fp8.case eager.case
expect_in out 'bf16' arms
expect_in out '1 place' arms
expect_in out 'logits -> q' arms
expect_in out 'absent: no such' arms
expect_in out 'not reached:' arms
expect_in out 'Only bf16 has it: the arms change whether the block exists' arms
expect_not_in out $'\033' 'no colour when piped'

# why ARM TEXT: the cell of ARM beside bf16.
why() {
  expect_status 1 "$1" -- "$BOHR" check --compare bf16.case "$1.case" --format json
  expect_in out "$2" "$1"
}
why fp8 '"why": "no-block"'
why eager '"text": "not reached: stream idx unused"'
why overlap-off '"text": "ordered: one stream"'
why repaired '"text": "ordered: edge select -> project"'
why larger '"text": "absent: no bytes shared"'
expect_status 1 repaired -- "$BOHR" check --compare bf16.case repaired.case
expect_in out 'Only bf16 has it: the others order the two.' repaired

# Outside graphs a wait or the host brings the order.
write_race_case >race.case
write_clean_case >wait.case
sed -e '/^expect/d' -e '/produce_next/i host: sync side' race.case >host.case
sed -e '/produce_next/d; /^expect/d' race.case >without.case
expect_status 1 eager -- "$BOHR" check --compare race.case wait.case host.case without.case --format json
expect_in out '"text": "ordered: a wait at line 12"' wait
expect_in out '"text": "ordered: host synchronisation at line 11"' host
expect_in out '"text": "absent: no produce_next"' without

# All have it; none has it.
sed 's/out 4K/out 8K/' race.case >other.case
expect_status 1 all -- "$BOHR" check --compare race.case other.case
expect_in out 'Every arm has it' all
expect_status 0 none -- "$BOHR" check --compare wait.case host.case
expect_in out 'No arm has a race' none

# What is accepted stays in sight.
echo 'class=data  # only a test' >accepted
expect_status 0 suppressed -- "$BOHR" check --compare race.case wait.case --suppress accepted
expect_in out '1 place, suppressed' suppressed

# In a narrow terminal the arms stand below each other.
if command -v script >/dev/null; then
  script -qec "stty cols 44; '$BOHR' check --compare bf16.case fp8.case overlap-off.case eager.case" \
    /dev/null </dev/null >narrow
  expect_in narrow 'absent: no such block' narrow
  expect_in narrow 'ordered: one stream' narrow
  awk '{ gsub(/\033\[[0-9;]*m/, ""); gsub(/\r/, "") } length($0) > 44 { exit 1 }' narrow ||
    fail 'a line is wider than the terminal'
fi

# What cannot be compared.
expect_status 2 'one arm' -- "$BOHR" check --compare race.case
expect_in err 'two or more' 'one arm'
expect_status 2 'twice' -- "$BOHR" check --compare race.case race.case
expect_status 2 'not there' -- "$BOHR" check --compare race.case nothing.case
expect_in err 'nothing.case' 'not there'
[[ ! -s out ]] || fail 'half a comparison was printed'
expect_status 2 'expect' -- "$BOHR" check --compare --expect race.case wait.case

# Recorded arms: lines of source tell what belongs together.
traces=$BOHR_SOURCE/tests/traces
expect_status 1 recorded -- "$BOHR" check --compare \
  "$traces/missing_record_stream_captured.race.bohr.zst" \
  "$traces/missing_record_stream_captured.clean.bohr.zst"
finish

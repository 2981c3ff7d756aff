#!/usr/bin/env bash
# bohr fix: proposals and what verifying them gave, on cases, recorded programs and bad input.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}"
cases=$BOHR_SOURCE/tests/cases traces=$BOHR_SOURCE/tests/traces

status=0
"$BOHR" fix "$cases/shared/life_dsv4_qkv_a.race.case" >race.out 2>&1 || status=$?
[[ $status == 1 ]] || fail "a program with a race: status $status"
expect_in race.out 'keep qkv_a until flash_mla' race
expect_in race.out 'let wq_b wait for k_rope_store in step' race
expect_in race.out 'NOT verified: k_rope_store | qkv_a is left' race
expect_status 0 'its fix lines' -- "$BOHR" fix --expect "$cases/shared/life_dsv4_qkv_a.race.case"
expect_status 0 'its clean twin' -- "$BOHR" fix "$cases/shared/life_dsv4_qkv_a.clean.case"

"$BOHR" fix --format json "$cases/shared/life_dsv4_qkv_a.race.case" >race.json
python3 - race.json <<'END' || fail 'the JSON of repairs'
import json, sys
fixes = json.load(open(sys.argv[1]))["fixes"]
assert [f["kind"] for f in fixes] == ["lifetime", "edge", "separate"], fixes
assert [f["verified"] for f in fixes] == [True, True, False], fixes
assert fixes[0]["block"] == "qkv_a" and fixes[0]["until"] == "flash_mla", fixes
assert fixes[1]["from"] == "k_rope_store" and fixes[1]["to"] == "wq_b", fixes
END

"$BOHR" fix "$traces/missing_record_stream_silent.race.bohr.zst" >trace.out 2>&1
expect_in trace.out 'until the capture ends' trace
expect_in trace.out 'fix-not-replayed' trace
expect_in trace.out '(3 times)' trace

# Each recorded program with a race has a repair that holds.
for trace in "$traces"/*.race.bohr.zst; do
  "$BOHR" fix "$trace" >all.out 2>&1
  # Copies and sets alone can be run on symbolic memory.
  state='holds in the check'
  grep -q fix-not-replayed all.out || state=verified
  grep -qE "^ +$state(,.*)?$" all.out || fail "$trace: no repair is said to be $state"
  [[ $state == verified ]] || ! grep -qE '^ +verified' all.out || fail "$trace: verified, and not run"
  expect_not_in all.out 'No choice of these repairs' "$trace"
done

echo nonsense >bad.case
expect_status 2 'nonsense' -- "$BOHR" fix bad.case
expect_status 2 'no file' -- "$BOHR" fix none.case
printf 'case 1\nstream a\nbuffer x 64\na: kernel one writes x\n' | "$BOHR" fix - >clean.out ||
  fail "a program without a race: status $?"
expect_not_in clean.out 'Repairs' clean
finish

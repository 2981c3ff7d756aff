#!/usr/bin/env bash
# shellcheck disable=SC2016  # inner shells expand their own variables
# bohr explore and bohr replay, on cases.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

write_race_case >race.case
write_clean_case >clean.case

# A race is proved, saved, and repeats.
expect_status 1 race -- "$BOHR" explore race.case
expect_in out 'RACE 1 of 1   data: same data, no order   PROVED' race
expect_in out '20 of 20 identical' race
expect_in out 'differ in this one swap of neighbours' race
expect_in out 'issue order, in which every read sees the write meant for it' race
expect_in out 'Not covered' race
expect_in out 'bohr replay race.case-data-' race
witness=$(echo race.case-data-*.witness)
[[ -f $witness ]] || fail 'no witness was saved beside the case'
expect_status 0 replay -- "$BOHR" replay "$witness"
expect_in out 'REPEATED: consume | produce_next on y' replay
mkdir moved && cp "$witness" race.case moved/ && mv race.case elsewhere.case
expect_status 0 'replay beside its program' -- "$BOHR" replay "moved/$witness"
expect_status 0 'replay of a named program' -- "$BOHR" replay "$witness" elsewhere.case
mv elsewhere.case race.case

# A clean program has none.
expect_status 0 clean -- "$BOHR" explore clean.case --exhaustive
expect_in out 'these are all legal orders' clean
expect_not_in out 'PROVED' clean
[[ $(echo clean.case-*) == 'clean.case-*' ]] || fail 'a clean program left a file'

# Arms: the same program with another flag.
sed 's/^side: kernel/main: kernel/' race.case >one_stream.case
sed 's/consume/absorb/' race.case >other_kernel.case
sed -e 's/^buffer out 4K/&\nbuffer z 4K/' -e 's/produce_next reads x writes y/produce_next reads x writes z/' \
  race.case >other_block.case
expect_status 1 arms -- "$BOHR" explore race.case -o . --arm one_stream.case \
  --arm other_kernel.case --arm other_block.case --arm race.case
expect_in out 'Why it hides   one_stream.case: the two are ordered' arms
expect_in out 'other_kernel.case: one of the two does not run' arms
expect_in out 'other_block.case: the two share no bytes' arms
expect_in out 'race.case: has it too' arms
printf '%s\n' 'case 1' 'stream main' 'stream side' 'buffer out 4K' 'main: alloc t 4K' \
  'main: kernel w writes t' 'main: record e' 'side: wait e' 'side: kernel r reads t writes out' \
  'main: free t' >latent.case
expect_status 3 'a cause that is no pair' -- "$BOHR" explore latent.case --arm race.case
expect_not_in out 'Why it hides' 'a cause that is no pair'
expect_in out 'no pair of steps' 'a cause that is no pair'
expect_status 2 'an arm that is not there' -- "$BOHR" explore race.case --arm nothing.case

# Regions without meaning.
printf '%s\n' 'case 1' 'stream a' 'stream b' 'buffer out 4K' 'a: kernel write writes out' \
  'b: kernel pad writes out[3K:4K]' >pad.case
mkdir padded
expect_status 1 'an ignored tail' -- "$BOHR" explore pad.case --ignore 'out[3K:4K]' -o padded
expect_in out 'Ignored        out [3K, 4K): what differs there does not count; 25% of output' \
  'an ignored tail'
expect_in out 'same bytes with 2 contents, ignored' 'an ignored tail'
expect_not_in out 'outputs-masked' 'an ignored tail'
expect_status 1 'an ignored head' -- "$BOHR" explore pad.case --ignore 'out [0, 3K)' -o padded
expect_in out 'PROVED' 'an ignored head'
expect_in out '(outputs-masked)' 'an ignored head'
ignoring=$(echo padded/*.witness)
[[ -f $ignoring ]] || fail 'one witness, of what is ignored in its head, was expected'
expect_in "$ignoring" '"ignored":[{"name":"out","begin":0,"end":3072' 'an ignored head'
expect_status 0 'its replay' -- "$BOHR" replay "$ignoring"
sed 's/"ignored":/"disregarded":/' "$ignoring" >forgetful.witness
expect_status 1 'a replay that compares all bytes' -- "$BOHR" replay forgetful.witness
expect_status 1 'ignoring, in JSON' -- "$BOHR" explore pad.case --ignore out --format json -o padded
expect_in out '"name": "out"' 'ignoring, in JSON'
expect_status 2 'an unknown name' -- "$BOHR" explore pad.case --ignore ou
expect_in err 'the nearest names are out' 'an unknown name'
expect_status 2 'bytes beyond the end' -- "$BOHR" explore pad.case --ignore 'out[4K:5K]'

# Canaries: `pad` writes into what `write` alone is expected to.
printf '%s\n' 'case 1' 'stream a' 'buffer out 8K' 'view tail of out[3K:8K]' \
  'a: kernel write writes out[0:3K]' 'a: kernel pad writes out[3K:8K]' >canary.case
expect_status 1 'a canary' -- "$BOHR" explore canary.case --watch 'out=write'
expect_in out 'UNEXPECTED WRITES to what is watched: 2 pages.' 'a canary'
expect_in out 'written by     pad(a)' 'a canary'
expect_in out 'offset 3072: 1,024 bytes of out [3K, 4K) changed' 'a canary'
expect_status 0 'its twin' -- "$BOHR" explore canary.case --watch 'out=write,pad' --watch tail
expect_in out 'no other step wrote it, under 2 contents' 'its twin'
expect_not_in out 'UNEXPECTED' 'its twin'
expect_status 1 'nobody may write' -- "$BOHR" explore canary.case --watch 'tail[1K:2K]='
expect_in out 'expected       nobody' 'nobody may write'
expect_status 1 'in JSON' -- "$BOHR" explore canary.case --watch 'out=write' --format json
expect_in out '"label": "pad"' 'in JSON'
expect_status 2 'an unknown block' -- "$BOHR" explore canary.case --watch tial
expect_in err 'the nearest names are tail, out' 'an unknown block'
expect_status 2 'an unknown label' -- "$BOHR" explore canary.case --watch 'out=wirte'
expect_in err 'the nearest labels are write, pad' 'an unknown label'
expect_status 2 'bytes beyond its end' -- "$BOHR" explore canary.case --watch 'out[0:9K]'
expect_status 2 'memory of nobody' -- "$BOHR" explore canary.case --watch 0x10+8
expect_status 2 'without a search' -- "$BOHR" run --watch out -- true

# Own runs: symbolic memory has none.
expect_status 2 'own runs' -- "$BOHR" explore race.case --own-runs 10
expect_in err 'no runs of its own' 'own runs'
expect_in err 'leave out --own-runs' 'own runs'
expect_status 1 'no own runs' -- "$BOHR" explore race.case --own-runs 0
expect_not_in out 'By itself' 'no own runs'

# Where witnesses go; standard input.
mkdir kept
expect_status 1 output -- "$BOHR" explore race.case -o kept
[[ -f kept/$witness ]] || fail '-o was not honoured'
expect_status 1 stdin -- bash -c '"$0" explore - <race.case' "$BOHR"
expect_in out 'PROVED' stdin

# Expectations.
{ cat race.case; echo 'expect witness'; } >expect.case
expect_status 0 'expect met' -- "$BOHR" explore --expect expect.case
expect_in out '1 met, 0 failed' 'expect met'
{ cat race.case; echo 'expect no-witness'; } >expect.case
expect_status 1 'expect not met' -- "$BOHR" explore --expect expect.case
expect_in out 'line 13: expected no witness, and there is one' 'expect not met'

# JSON
expect_status 1 json -- "$BOHR" explore race.case --format json
if command -v python3 >/dev/null; then
  python3 - <<'END' || fail 'the JSON is not what it should be'
import json
doc = json.load(open("out"))
assert doc["schema"] == "bohr.findings/1", doc
witness = doc["witness"]
assert witness == doc["witnesses"][0], doc
assert witness["critical_pair"] == ["consume", "produce_next"], witness
assert (witness["replays"], witness["identical"]) == (20, 20), witness
assert witness["reaches_output"] is True and witness["cause"] == doc["causes"][0]["id"], witness
(exploration,) = doc["explorations"]
assert exploration["baseline"] == "issue-order" and exploration["pairs_covered"], exploration
assert exploration["trials"][0]["result"] == "diverges", exploration
END
fi
cp out first.json
"$BOHR" explore race.case --format json >second.json
cmp -s first.json second.json || fail 'two runs with one seed give different JSON'

# Bad input.
expect_status 2 'no budget' -- "$BOHR" explore race.case --budget 0
expect_in err 'at least 1' 'no budget'
expect_status 1 'a small budget' -- "$BOHR" explore race.case --budget 4
expect_in out 'the budget of replays was used up (budget)' 'a small budget'
expect_in out 'other bytes, but no budget was left' 'a small budget'
expect_status 2 'another program' -- "$BOHR" replay "$witness" clean.case
expect_in err 'of another program' 'another program'
sed 's#bohr.witness/1#bohr.witness/9#' "$witness" >newer.witness
expect_status 2 'a newer witness' -- "$BOHR" replay newer.witness
expect_in err 'bohr.witness/9' 'a newer witness'
head -c 100 "$witness" >cut.witness
expect_status 2 'half a witness' -- "$BOHR" replay cut.witness
expect_in err 'it is no witness' 'half a witness'
sed -E 's/"swap": *[0-9]+/"swap": 1e30/' "$witness" >huge.witness
cmp -s huge.witness "$witness" && fail 'the witness has no swap to change'
expect_status 2 'a witness whose number is none' -- "$BOHR" replay huge.witness
expect_status 2 'a case as witness' -- "$BOHR" replay race.case
expect_status 2 'a witness that is not there' -- "$BOHR" replay nothing.witness
expect_status 2 'a file that is not there' -- "$BOHR" explore nothing.case
python3 - "$witness" <<'END' 2>/dev/null || true
import json, sys
doc = json.load(open(sys.argv[1]))
doc["right"][0], doc["right"][-1] = doc["right"][-1], doc["right"][0]
json.dump(doc, open("illegal.witness", "w"))
END
if [[ -f illegal.witness ]]; then
  expect_status 2 'an illegal schedule' -- "$BOHR" replay illegal.witness
  expect_in err 'breaks an order' 'an illegal schedule'
fi
mkdir readonly && cp race.case readonly/ && chmod 555 readonly
if ! touch readonly/probe 2>/dev/null; then
  expect_status 2 'a folder without rights' -- "$BOHR" explore readonly/race.case
  expect_in out 'PROVED' 'the report is there all the same'
fi
chmod 755 readonly

# A recorded trace whose kernels are known by parameters only.
trace=$BOHR_SOURCE/tests/traces/missing_wait.race.bohr.zst
if [[ -f $trace ]]; then
  expect_status 1 'a recorded trace' -- "$BOHR" explore "$trace" -o kept
  expect_in out 'Not explored' 'a recorded trace'
fi
finish

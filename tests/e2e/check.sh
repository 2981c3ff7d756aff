#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# bohr check, show and the command line itself, on cases.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

write_race_case >race.case
write_clean_case >clean.case
printf 'case 1\nstream s\nbuffer b 4K\ns: kernel k writes b unknown\n' >open.case

expect_status 1 race -- "$BOHR" check race.case
expect_in out 'RACE 1 of 1   data' race
expect_in out 'consume' race
expect_in out 'main knows' race
expect_in out 'Never covered' race
expect_not_in out $'\033' 'no colour when piped'
expect_status 0 clean -- "$BOHR" check clean.case
expect_in out 'CLEAN: no race' clean
expect_status 3 open -- "$BOHR" check open.case
expect_in out 'NOT CLEAN' open
expect_in out 'unknown-access' open

expect_status 1 'standard input' -- bash -c '"$0" check - <race.case' "$BOHR"
expect_status 1 'several files' -- "$BOHR" check clean.case race.case open.case
expect_in out 'CLEAN: no race' 'several files'
expect_in out 'RACE 1 of 1' 'several files'
expect_status 2 'a file that is not there' -- "$BOHR" check clean.case nothing.case
expect_in err 'nothing.case' 'a file that is not there'
expect_in out 'CLEAN: no race' 'the others are still checked'
printf 'case 1\nstream s\nt: kernel k\n' >bad.case
expect_status 2 'a bad case' -- "$BOHR" check bad.case
expect_in err 'line 3' 'a bad case'

# JSON
expect_status 1 json -- "$BOHR" check race.case --format json
if command -v python3 >/dev/null; then
  python3 - <<'END' || fail 'the JSON is not what it should be'
import json
doc = json.load(open("out"))
assert doc["schema"] == "bohr.findings/1", doc
assert doc["verdict"]["result"] == "findings", doc
(finding,) = doc["findings"]
assert (finding["hazard"], finding["class"]) == ("WAR", "data"), finding
assert finding["first"]["label"] == "consume" and finding["first"]["stream"] == "side", finding
assert finding["second"]["label"] == "produce_next", finding
assert finding["range"] == {"name": "y", "begin": 0, "end": 4096}, finding
END
fi
cp out first.json
"$BOHR" check race.case --format json >second.json
cmp -s first.json second.json || fail 'two runs give different JSON'

# expectations
expect_status 0 'expect met' -- "$BOHR" check --expect race.case clean.case
expect_in out '1 met, 0 failed' 'expect met'
sed 's/WAR/RAW/' race.case >wrong.case
expect_status 1 'expect not met' -- "$BOHR" check --expect wrong.case
expect_in out 'line 12' 'expect not met'

# required classes
expect_status 1 'a finding of another class' -- "$BOHR" check race.case --require reuse
expect_status 2 'no such class' -- "$BOHR" check race.case --require fish
expect_in err 'fish' 'no such class'

# suppressions
site=$(sed -n 's/.*"site": "\([^"]*\)".*/\1/p' first.json | head -1)
printf 'site=%s  # tested elsewhere\nsite=reuse-none  # gone\n' "$site" >accepted
expect_status 0 suppressed -- "$BOHR" check race.case --suppress accepted
expect_in out 'tested elsewhere' suppressed
expect_in out 'Unused rule' 'unused rules are reported'
expect_status 0 'unused only' -- "$BOHR" check clean.case --suppress accepted
echo "site=$site" >no_reason
expect_status 2 'no reason' -- "$BOHR" check race.case --suppress no_reason
expect_in err 'no_reason, line 1' 'no reason'
expect_status 2 'no suppression file' -- "$BOHR" check race.case --suppress absent

# SARIF: races are results, what is accepted is carried with its reason
expect_status 1 sarif -- "$BOHR" check race.case clean.case --format sarif
expect_in out '"ruleId": "bohr/data"' sarif
expect_in out '"uri": "race.case"' sarif
expect_in out '"startLine": 11' sarif
expect_status 0 'sarif, accepted' -- "$BOHR" check race.case --suppress accepted --format sarif
expect_in out '"justification"' 'sarif, accepted'
expect_status 1 'sarif of explore' -- "$BOHR" explore race.case --format sarif -o .
expect_in out '"version": "2.1.0"' 'sarif of explore'
expect_status 1 'sarif of fix' -- "$BOHR" fix race.case --format sarif
expect_in out 'Repair: ' 'sarif of fix'
expect_status 2 'sarif of a comparison' -- "$BOHR" check --compare race.case clean.case --format sarif
expect_status 2 'no such root' -- "$BOHR" check race.case --format sarif --source-root nowhere
mkdir -p tree/below && cp race.case tree/below
expect_status 1 'source root' -- "$BOHR" check "$PWD/tree/below/race.case" --format sarif --source-root tree
expect_in out '"uri": "below/race.case"' 'source root'

# show
expect_status 0 show -- "$BOHR" show race.case
expect_in out "$site" show
expect_status 0 'show one' -- "$BOHR" show race.case "$site"
expect_in out 'Places' 'show one'
expect_status 2 'show nothing' -- "$BOHR" show race.case data-zzzz
expect_status 0 'show ops' -- "$BOHR" show race.case --ops
expect_in out 'kernel produce_next' 'show ops'
expect_status 2 'show a graph' -- "$BOHR" show race.case --graph 3

# the command line
expect_status 2 'no subcommand' -- "$BOHR"
expect_status 2 'unknown subcommand' -- "$BOHR" frobnicate
expect_status 2 'unknown option' -- "$BOHR" check --frobnicate race.case
expect_status 2 'no file' -- "$BOHR" check
expect_status 0 version -- "$BOHR" --version
expect_in out 'bohr ' version
expect_status 0 help -- "$BOHR" help
expect_in out 'check' help
expect_status 0 'help of one' -- "$BOHR" help check
expect_in out '--require' 'help of one'
expect_status 2 'cannot print' -- bash -c '"$0" check clean.case >/dev/full' "$BOHR"
expect_status 2 'query of a case' -- "$BOHR" query race.case 'select 1'
finish

#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# bohr run with a guest that plays the recorder's part: it copies a prepared log into BOHR_DIR.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

golden=$BOHR_SOURCE/tests/golden
mkdir lib
touch lib/libbohr_agent.so lib/libbohr_preload.so
export BOHR_VIA=cupti  # empty files cannot be preloaded
export BOHR_LIB=$PWD/lib
unset CUDA_INJECTION64_PATH
leave_race="cp $golden/race.bohr \$BOHR_DIR/\$\$.bohr"
leave_clean="cp $golden/clean.bohr \$BOHR_DIR/\$\$.bohr"

# What the guest gets and what is kept.
expect_status 1 race -- "$BOHR" run -o race -- sh -c "$leave_race; echo hello; echo oops >&2"
expect_in out 'hello' 'output goes through'
expect_in err 'oops' 'errors go through'
expect_in out 'RACE 1 of 1' race
expect_in err 'the program ended with 0' race
for file in report.txt findings.json trace.db; do
  [[ -s race/$file ]] || fail "race/$file is missing"
  [[ $(stat -c %a "race/$file") == 600 ]] || fail "race/$file is not private"
done
[[ $(stat -c %a race) == 700 ]] || fail 'the folder is not private'
expect_in race/report.txt 'RACE 1 of 1' report.txt
expect_in race/findings.json '"code": 0' findings.json
expect_status 0 environment -- "$BOHR" run -o env --max-log 1MB --stacks none --exit=guest -- \
  sh -c 'test "$BOHR_DIR" = "$PWD/env" -a "$BOHR_MAX_LOG" = 1048576 -a "$BOHR_STACKS" = 0 &&
    test "$CUDA_INJECTION64_PATH" = "$BOHR_LIB/libbohr_agent.so" -a "$BOHR_AGENT" = "$CUDA_INJECTION64_PATH"'
expect_status 0 'input goes through' -- bash -c \
  'echo word | "$0" run -o input --exit=guest -- sh -c "read -r w && test \$w = word"' "$BOHR"

# Looking again.
expect_status 1 'check a folder' -- "$BOHR" check race
expect_status 1 'check trace.db' -- "$BOHR" check race/trace.db
expect_status 0 'show a folder' -- "$BOHR" show race
expect_in out 'graph' 'show a folder'
expect_status 0 'query a folder' -- "$BOHR" query race 'select count(*) as n from launch' --format csv
expect_in out $'n\n1' 'query a folder'
expect_status 0 'query trace.db' -- "$BOHR" query race/trace.db 'select count(*) as n from node' --format json
expect_in out '"n": 2' 'query trace.db'
expect_status 2 'query that writes' -- "$BOHR" query race/trace.db 'delete from node'
expect_status 2 'query that is none' -- "$BOHR" query race/trace.db 'selec'

# How the guest ends, and what stands then.
expect_status 0 clean -- "$BOHR" run -o clean -- sh -c "$leave_clean"
expect_in out 'CLEAN: no race' clean
expect_status 4 'clean, but it failed' -- "$BOHR" run -o failed -- sh -c "$leave_clean; exit 3"
expect_in err 'the program ended with 3' 'clean, but it failed'
expect_status 1 'a race, and it failed' -- "$BOHR" run -o both -- sh -c "$leave_race; exit 3"
expect_status 3 "the program's own status" -- "$BOHR" run -o own --exit=guest -- sh -c "$leave_race; exit 3"
expect_status 4 'killed' -- "$BOHR" run -o killed -- sh -c "$leave_clean; kill -9 \$\$"
expect_in err 'SIGKILL' killed
expect_status 137 'killed, own status' -- "$BOHR" run -o killed2 --exit=guest -- sh -c 'kill -9 $$'
expect_in killed/findings.json '"signal": 9' killed

# Nothing recorded.
expect_status 3 'no CUDA' -- "$BOHR" run -o nothing -- true
expect_in out 'NOTHING WAS CHECKED: no CUDA work' 'no CUDA'
expect_not_in out 'CLEAN' 'no CUDA'
expect_status 3 'not recorded' -- "$BOHR" run -o errors -- \
  sh -c 'echo "CUPTI was not found" >$BOHR_DIR/$$.error'
expect_in out 'CUPTI was not found' 'not recorded'
expect_status 3 'half recorded' -- "$BOHR" run -o half -- \
  sh -c "$leave_clean; echo 'no driver' >\$BOHR_DIR/1.error"
expect_status 4 'nothing, and it failed' -- "$BOHR" run -o nothing2 -- false

# A log that was cut off, and one that is none.
expect_status 3 'cut log' -- "$BOHR" run -o cut -- \
  sh -c "head -c \$((\$(stat -c %s $golden/clean.bohr) - 30)) $golden/clean.bohr >\$BOHR_DIR/\$\$.bohr"
expect_in out 'lost-records' 'cut log'
expect_status 3 'no log' -- "$BOHR" run -o garbage -- sh -c 'echo garbage >$BOHR_DIR/$$.bohr'

# Several processes, one site.
expect_status 1 ranks -- "$BOHR" run -o ranks -- \
  sh -c "sh -c '$leave_race' & sh -c '$leave_race' & wait"
expect_in out 'of 2 processes' ranks
expect_in out 'RACE 1 of 1' ranks
expect_status 1 'trace.db of two' -- "$BOHR" check ranks/trace.db

# Refusals leave nothing behind.
expect_status 2 'no program' -- "$BOHR" run
expect_status 2 'no --' -- "$BOHR" run python serve.py
expect_in err 'bohr run [OPTIONS] -- CMD' 'no --'
expect_status 2 'no such option' -- "$BOHR" run --frobnicate -- true
expect_status 2 'no program after --' -- "$BOHR" run --
expect_status 2 'not there' -- "$BOHR" run -o absent -- /no/such/program
expect_in err '/no/such/program' 'not there'
[[ ! -e absent ]] || fail 'a folder was left for a program that is not there'
expect_status 2 'not empty' -- "$BOHR" run -o race -- true
expect_in err 'not empty' 'not empty'
expect_status 2 'no parent' -- "$BOHR" run -o no/such/place -- true
expect_status 2 'no agent' -- env BOHR_LIB="$PWD" "$BOHR" run -o agentless -- true
[[ ! -e agentless ]] || fail 'a folder was left without an agent'
expect_status 2 'another tool' -- env CUDA_INJECTION64_PATH=/other.so "$BOHR" run -o other -- true
expect_in err '/other.so' 'another tool'
expect_status 2 'bad suppressions' -- "$BOHR" run -o bad --suppress nowhere -- touch ran
[[ ! -e ran ]] || fail 'the program ran although the command line was wrong'
expect_status 3 'default folder' -- "$BOHR" run -- true
[[ -d bohr-1 ]] || fail 'no default folder'
expect_status 3 'second default folder' -- "$BOHR" run -- true
[[ -d bohr-2 ]] || fail 'no second default folder'
if ((EUID != 0)); then
  mkdir closed && chmod 500 closed
  expect_status 2 'read-only' -- "$BOHR" run -o closed -- true
fi

# Suppressed and required.
site=$(sed -n 's/.*"site": "\([^"]*\)".*/\1/p' race/findings.json | head -1)
echo "site=$site  # known" >accepted
expect_status 0 suppressed -- "$BOHR" run -o suppressed --suppress accepted -- sh -c "$leave_race"
expect_status 1 json -- "$BOHR" run -o json --format json -- sh -c "$leave_race"
expect_in out '"bohr.findings/1"' json
finish

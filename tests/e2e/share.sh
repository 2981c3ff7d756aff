#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests expand their own variables
# bohr share: what a bundle says and does not say, and that a check of it says the same.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}"
golden=$BOHR_SOURCE/tests/golden traces=$BOHR_SOURCE/tests/traces
export USER=zelda HOSTNAME=host-of-zelda

# verdict FILE: of a check, without the file's own name.
verdict() {
  "$BOHR" check --format json "$1" | grep -vF "$1" | grep -v '"\(name\|file\|source\)"'
}

# Every recorded trace: the same verdict and the same ids.
for trace in "$traces"/*.bohr.zst; do
  name=$(basename "$trace" .bohr.zst)
  expect_status 0 "$name" -- "$BOHR" share "$trace" -o "$name.tar.zst"
  expect_in out 'as of the original' "$name"
  # A file that a compiler made has a name of its own in each run, and is replaced.
  [[ $name == compiled.race ]] && expect_in out 'ids differ' "$name" && continue
  expect_not_in out 'ids differ' "$name"
  [[ $(verdict "$trace" | sed -n '/"verdict"/,/}/p;/"site"/p') == \
    "$(verdict "$name.tar.zst" | sed -n '/"verdict"/,/}/p;/"site"/p')" ]] ||
    fail "$name: a check of the bundle says something else"
done
bundle=missing_record_stream_captured.race.tar.zst
[[ $(stat -c %a "$bundle") == 600 ]] || fail 'the bundle is not private'
expect_status 1 'check of a bundle' -- "$BOHR" check "$bundle"
expect_status 0 'show of a bundle' -- "$BOHR" show "$bundle"
expect_status 0 'query of a bundle' -- "$BOHR" query "$bundle" 'select command, start_unix_ns from process_v'
expect_in out 'python3 missing_record_stream_captured.py …' 'the command'
expect_not_in out 179 'when it began'
tar --zstd -xf "$bundle" 2>/dev/null || zstd -dcq "$bundle" | tar -x
for file in MANIFEST.txt trace.db report.txt findings.json; do
  [[ -s bohr-share/$file ]] || fail "$file is not in the bundle"
done
expect_not_in bohr-share/trace.db '/src/bohr/tests/cuda' 'trace.db'
expect_status 1 'check of its trace' -- "$BOHR" check bohr-share/trace.db
expect_status 0 'a bundle of a bundle' -- "$BOHR" share "$bundle" -o again.tar.zst
expect_status 0 'the same again' -- "$BOHR" share "$bundle" -o again2.tar.zst
cmp -s again.tar.zst again2.tar.zst || fail 'two bundles of one trace differ'

# A log as it comes out of a run of zelda's, in a folder with things that are nobody's business. The
# golden log gets her name by way of a SQLite trace.
"$BOHR" run -o run -- true >/dev/null 2>&1
cat >patch.py <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
(most,) = db.execute("SELECT max(id) FROM string").fetchone()
def text(value):
    global most
    most += 1
    db.execute("INSERT INTO string (proc, id, text) VALUES (0, ?, ?)", (most, value))
    return most
db.execute("UPDATE process SET command = ?", (text("/home/zelda/bin/serve --api-key hush --prompt hi"),))
db.execute("UPDATE thread SET name = ?", (text("zelda's"),))
db.execute("UPDATE string SET text = '/home/zelda/plans/' || text WHERE text LIKE '%.py'")
db.execute("UPDATE string SET text = replace(text, 'consume', 'zelda_consume')")
text("a text that nothing names: hush")
db.commit()
END
zstd -dcq "$traces/missing_record_stream_captured.race.bohr.zst" >race.bohr 2>/dev/null ||
  cp "$golden/race.bohr" race.bohr
mkdir taken && cp race.bohr taken/4711.bohr
expect_status 0 'a folder' -- "$BOHR" share taken --list
[[ ! -e taken.share.tar.zst ]] || fail '--list wrote a bundle'
echo 'cannot write /home/zelda/x' >taken/4712.error
echo notes >taken/notes.txt
expect_status 0 'a folder with an error' -- "$BOHR" share taken/
expect_in out 'notes.txt' 'what is left out'
expect_status 1 'check of the folder' -- "$BOHR" check taken.share.tar.zst
expect_in out 'not-recorded' 'the process that was not recorded'
expect_not_in out zelda 'its error'
expect_status 2 'there is one already' -- "$BOHR" share taken
expect_in err 'there is such a file' 'there is one already'

tar --zstd -xf "$bundle" && rm -f bohr-share/report.txt
python3 patch.py bohr-share/trace.db || fail 'the trace could not be changed'
expect_status 0 "zelda's" -- "$BOHR" share bohr-share/trace.db -o hers.tar.zst
expect_in out 'zelda' "the sender's own list"
expect_in out 'as of the original' "zelda's"
zstd -dcq hers.tar.zst >hers.tar
for word in zelda hush plans prompt; do
  if grep -qai "$word" hers.tar; then fail "\"$word\" is in the bundle"; fi
done

# Refusals, of which nothing is left.
expect_status 2 'no such folder' -- "$BOHR" share nowhere
expect_status 2 'an empty folder' -- "$BOHR" share elsewhere
mkdir empty
expect_status 2 'an empty folder' -- "$BOHR" share empty
write_race_case >race.case
expect_status 2 'a case' -- "$BOHR" share race.case
expect_in err 'a case holds no recorded calls' 'a case'
expect_status 2 'nowhere to write' -- "$BOHR" share race.bohr -o no/such/place.tar.zst
head -c 3000 "$bundle" >cut.tar.zst
expect_status 2 'a bundle that was cut' -- "$BOHR" check cut.tar.zst
zstd -dcq "$bundle" >whole.tar
head -c 5000 whole.tar >cut.tar
expect_status 2 'an archive that was cut' -- "$BOHR" check cut.tar
expect_in err 'cut off' 'an archive that was cut'
expect_status 1 'an archive without compression' -- "$BOHR" check whole.tar
tar -cf other.tar race.case
expect_status 2 "somebody else's archive" -- "$BOHR" check other.tar
expect_in err 'holds no trace.db' "somebody else's archive"
finish

#!/usr/bin/env bash
# Kinds of memory through the agent on the stand-in driver (tests/cuda/fake/memory_guest.cc), and a
# recording that gets its blocks from an allocator's own history.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

# shellcheck disable=SC2154  # tmp is of lib.bash
build_fakes "$tmp" memory_guest || exit 1
export LD_LIBRARY_PATH=$tmp

# run STATUS NAME -- ARGUMENTS: a run of the guest, its JSON in NAME.json.
run() {
  local wanted=$1 name=$2
  shift 3
  expect_status "$wanted" "$name" -- "$BOHR" run -o "$name" --format json -- ./memory_guest "$@"
  cp out "$name.json"
}

run 1 alias -- alias race
expect_in alias.json '"hazard": "WAW"' "two addresses of one memory"
expect_in alias.json '"begin": 96' "the bytes that both write"
run 0 alias_clean -- alias clean
expect_status 0 "mappings are recorded" -- "$BOHR" query alias/*.bohr \
  "select count(*) as n, count(distinct physical) as m from mapping" --format csv
expect_in out "2,1" "two mappings of one memory"

run 1 early -- early race
expect_in early.json '"label": "allocation"' "a use ahead of the allocation"
run 0 early_clean -- early clean
run 3 late -- late race
expect_in late.json '"class": "lifetime"' "a use behind the free"
run 0 late_clean -- late clean
run 0 pool -- other_stream race
expect_in pool.json '"pool-reuse"' "an order that the pool made"
run 0 pool_clean -- other_stream clean
expect_not_in pool_clean.json '"pool-reuse"' "an order of the program's"

# --- histories
# Each call is timed, as no shim tells the blocks.

for arm in race clean; do
  "$BOHR" run -o "rmm_$arm" -- ./memory_guest rmm "$arm" "$tmp/$arm.csv" >out 2>err
  expect_status 0 "import $arm" -- "$BOHR" import "rmm_$arm" "$arm.csv" -o "$arm.db"
  expect_in out "30 blocks of RMM's history placed" "import $arm"
  expect_not_in out "left out" "import $arm"
done
expect_status 0 "times" -- "$BOHR" query rmm_race/*.bohr \
  "select count(*) > 0 as n from sample" --format csv
expect_in out 1 "calls are timed"
expect_status 1 "blocks of the pool" -- "$BOHR" check race.db --require reuse
expect_in out "reuse" "the block that was handed out too early"
expect_status 0 "blocks of the pool, in order" -- "$BOHR" check clean.db --require reuse,lifetime,pool
expect_in out "history of RMM" "where the blocks are from"

# The same as PyTorch tells it: a pickle of its snapshot, without the segment that it does not own.
python3 - race.csv race.pickle race.json <<'END'
import csv, json, pickle, sys

entries = []
for row in csv.DictReader(open(sys.argv[1])):
    entry = {"addr": int(row["Pointer"], 16), "size": int(row["Size"]),
             "stream": int(row["Stream"], 16), "frames": [
                 {"name": "step", "filename": "model.py", "line": 7}]}
    if not entries:
        entries.append({**entry, "action": "segment_alloc", "size": 1 << 20})
    if row["Action"] == "allocate":
        entries.append({**entry, "action": "alloc"})
    else:
        entries.append({**entry, "action": "free_requested"})
        entries.append({**entry, "action": "free_completed"})
snapshot = {"segments": [{"device": 0, "address": entries[0]["addr"], "total_size": 1 << 20,
                          "segment_pool_id": (0, 0)}],
            "device_traces": [entries], "allocator_settings": {"expandable_segments": False}}
pickle.dump(snapshot, open(sys.argv[2], "wb"))
json.dump(snapshot, open(sys.argv[3], "w"))
END
for kind in pickle json; do
  expect_status 0 "snapshot as $kind" -- "$BOHR" import rmm_race "race.$kind" -o "torch_$kind.db"
  expect_in out "of PyTorch's history placed" "snapshot as $kind"
done
# Without times, what was handed out twice in a round is open, and said so.
expect_status 0 "which blocks are open" -- "$BOHR" import rmm_race race.pickle -o torch.db
expect_in out "left out (allocator-order-unknown)" "blocks without a place"
expect_status 3 "open blocks are no clean verdict" -- "$BOHR" check torch.db --require reuse

# --- refusals: words, status 2, nothing written

refused() { # CODE-WORDS FILE RECORDING
  expect_status 2 "$1" -- "$BOHR" import "$3" "$2" -o refused.db
  expect_in err "$1" "$2"
  [[ ! -e refused.db ]] || fail "$1: something was written"
}
echo nothing >nothing
refused "neither a memory snapshot" nothing rmm_race
head -c 100 race.pickle >cut.pickle
refused "it ends before its last instruction" cut.pickle rmm_race
python3 -c 'import os, pickle
class Bad:
    def __reduce__(self):
        return os.system, ("touch ran",)
pickle.dump({"device_traces": [Bad()]}, open("bad.pickle", "wb"))'
refused "makes or runs objects" bad.pickle rmm_race
[[ ! -e ran ]] || fail "the pickle was run"
# The first block is given back at once, though the kernels go on to use it.
first=$(sed -n 2p race.csv | cut -d , -f 4)
{ sed -n 1,2p race.csv && grep "free,$first," race.csv &&
  tail -n +3 race.csv | grep -v "free,$first,"; } >dropped.csv
refused "cannot be of one run" dropped.csv rmm_race
refused "no call of the recording names" race.csv alias
refused "has its allocator's blocks already" race.csv race.db
sed -e 's/,0x/,0x1/' race.csv >elsewhere.csv
refused "no call of the recording names" elsewhere.csv rmm_race

finish

#!/usr/bin/env bash
# bohr run --apply without a GPU: a program captures a graph for each of some batch sizes, of which
# every second one is racy (tests/cuda/fake/buckets_guest.cc). The fix file that one run leaves
# repairs the graphs of the next ones, which the stand-in driver then has with one edge more.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${applier:?of fakes.bash}"
unset CUDA_INJECTION64_PATH LD_PRELOAD BOHR_APPLY BOHR_UNRESOLVED
build_fakes "$tmp" buckets_guest || exit 1
export LD_LIBRARY_PATH=$tmp

# run STATUS NAME OPTIONS -- COMMAND...: NAME.out and NAME.err.
run() {
  local wanted=$1 name=$2 status=0
  shift 2
  "$BOHR" run -o "$name" "$@" >"$name.out" 2>"$name.err" || status=$?
  [[ $status == "$wanted" ]] || fail "$name: status $status instead of $wanted"
}
# counts NAME TEXT: what became of its graphs.
counts() { expect_in "$1.err" "$2" "$1"; }
# edges NAME LIST: of the graphs, as the driver has them at the end.
edges() {
  local have
  have=$(grep -oE '^[0-9]+ edges' "$1.out" | cut -d' ' -f1 | tr '\n' ' ')
  [[ $have == "$2 " ]] || fail "$1: its graphs have $have edges, not $2"
}

run 1 racy --fix -- ./buckets_guest recorded
edges racy '2 2 2 2 2'
expect_in racy.err "bohr run --apply $tmp/racy/fix.json" 'the next command'
expect_in racy.err "BOHR_APPLY=$tmp/racy/fix.json" 'the line for a unit file'
fix=$tmp/racy/fix.json

# The same program, repaired: the check finds nothing, and each graph is what it should be.
run 0 repaired --apply "$fix" -- ./buckets_guest recorded
counts repaired 'applied in 2 graphs, not needed in 3, unresolved in 0'
edges repaired '2 3 2 3 2'
expect_in repaired.out 'CLEAN' repaired
expect_in repaired/findings.json '"applied": 2' 'the counts are in the JSON'
# So is one whose graphs are built without a capture, in another order of edges.
run 1 by_hand --fix -- ./buckets_guest by_hand
run 0 by_hand_repaired --apply by_hand/fix.json -- ./buckets_guest by_hand
counts by_hand_repaired 'applied in 2 graphs, not needed in 3, unresolved in 0'

# Inside a child graph the edge is that graph's own; where one side is inside and the other is not,
# the whole child graph is waited for.
for arm in inside across; do
  run 1 $arm --fix -- ./buckets_guest $arm
  expect_in $arm.out 'RACE FOUND: 1 cause, 2 places' $arm
  run 0 ${arm}_repaired --apply $arm/fix.json -- ./buckets_guest $arm
  counts ${arm}_repaired 'applied in 2 graphs, not needed in'
  counts ${arm}_repaired 'unresolved in 0'
  expect_in ${arm}_repaired.out CLEAN $arm
done
edges inside '4 4 4 4 4'
edges inside_repaired '4 5 4 5 4'
edges across '2 2 2 2 2'
edges across_repaired '2 3 2 3 2'

# A size that was not recorded is repaired where it shares bytes as the others do; where it seems
# not to, nothing tells how far its blocks reach.
run 0 more --apply "$fix" -- ./buckets_guest more
counts more 'applied in 3 graphs, not needed in 3, unresolved in 0'
edges more '2 3 2 3 2 3'
run 2 apart --apply "$fix" -- ./buckets_guest apart
counts apart 'unresolved in 1'
counts apart 'REFUSED'
run 0 apart_warned --apply "$fix" --unresolved=warn -- ./buckets_guest apart
counts apart_warned 'applied in 2 graphs, not needed in 3, unresolved in 1'

# The mistake in graphs of another shape: nobody has verified an edge for them.
run 2 other --apply "$fix" -- ./buckets_guest other
counts other 'it has the mistake'
run 1 other_warned --apply "$fix" --unresolved=warn -- ./buckets_guest other
counts other_warned 'applied in 0 graphs, not needed in 3, unresolved in 2'
edges other_warned '4 4 4 4 4'

# Another program, and one that launches before any graph of the fix is there.
run 2 elsewhere --apply "$fix" -- ./buckets_guest elsewhere
counts elsewhere 'none of those that the fix is for'
run 2 late --apply "$fix" -- ./buckets_guest late
run 0 late_warned --apply "$fix" --unresolved=warn -- ./buckets_guest late
counts late_warned 'applied in 2 graphs, not needed in 4, unresolved in 0'

# A driver that adds no edge leaves the graph as it was, and says so.
FAKE_NO_EDGES=1 run 2 refused --apply "$fix" -- ./buckets_guest recorded
counts refused 'the driver refused an edge'
FAKE_NO_EDGES=1 run 1 refused_warned --apply "$fix" --unresolved=warn -- ./buckets_guest recorded
edges refused_warned '2 2 2 2 2'
# Nor is it believed: what it says it has added must be there.
FAKE_FORGETS_EDGES=1 run 1 forgot --apply "$fix" --unresolved=warn -- ./buckets_guest recorded
counts forgot 'applied in 0 graphs, not needed in 3, unresolved in 2'

# Without a tool around it: two variables, one line at the first launch, nothing recorded; however
# the program finds the driver's functions, and whatever it and its children are.
alone() { # STATUS ARM [VARIABLE=VALUE...]: alone.out and alone.err
  local wanted=$1 arm=$2 status=0
  shift 2
  env LD_PRELOAD="$applier" BOHR_APPLY="$fix" "$@" ./buckets_guest "$arm" >alone.out 2>alone.err ||
    status=$?
  [[ $status == "$wanted" ]] || fail "alone $arm $*: status $status instead of $wanted"
}
for lookup in linked dlsym proc; do
  alone 0 recorded LOOKUP=$lookup
  edges alone '2 3 2 3 2'
  expect_in alone.err "bohr: $fix: applied in 2, not needed in 3, unresolved in 0" "alone, $lookup"
  [[ $(wc -l <alone.err) == 1 ]] || fail "alone, $lookup: it says more than one line"
done
alone 0 by_hand BOHR_APPLY="$tmp/by_hand/fix.json"
edges alone '2 3 2 3 2'  # those made after the first launch, too
alone 2 other
expect_in alone.err 'BOHR_UNRESOLVED=warn' alone
alone 2 late
expect_in alone.err 'none of those that the fix is for' 'alone, late'
alone 0 late BOHR_UNRESOLVED=warn
alone 2 recorded BOHR_APPLY="$tmp/none"
expect_in alone.err "$tmp/none: no fix file can be read there" 'alone, no file'
alone 2 recorded BOHR_APPLY="$tmp/none" BOHR_UNRESOLVED=warn
alone 0 recorded BOHR_APPLY=
edges alone '2 2 2 2 2'
[[ ! -s alone.err ]] || fail 'alone, without a fix file: it says something'
env LD_PRELOAD="$applier" BOHR_APPLY="$fix" bash -c 'python3 -c "print(40 + 2)"' >alone.out 2>alone.err
[[ $(cat alone.out) == 42 && ! -s alone.err ]] || fail 'alone: a program without CUDA is not left alone'

# What asks for the next definition behind its own still gets it.
cat >next.cc <<'END'
#include <dlfcn.h>
extern "C" long labs(long) noexcept {
  return reinterpret_cast<long (*)(long)>(dlsym(RTLD_NEXT, "llabs"))(-41) + 1;
}
extern "C" long long llabs(long long) noexcept { return 0; }
END
cat >asks.cc <<'END'
extern "C" long labs(long) noexcept;
int main(int argc, char**) { return static_cast<int>(labs(-argc)); }
END
g++ -O2 -fno-builtin -shared -fPIC -o libnext.so next.cc -ldl
g++ -O2 -fno-builtin -o asks asks.cc ./libnext.so
for preloaded in '' "$applier"; do
  env LD_PRELOAD="$preloaded" ./asks
  [[ $? == 42 ]] || fail "RTLD_NEXT with '$preloaded' is another definition"
done

# Files that are no fix for anything are refused before the program starts.
unusable() { # NAME WORD
  run 2 "bad-$1" --apply "$1" -- touch started
  expect_in "bad-$1.err" "$2" "$1"
  [[ ! -e started && ! -e bad-$1 ]] || fail "$1: the program was started"
}
echo '{}' >empty.json
echo 'no JSON' >text.json
head -c 700 "$fix" >cut.json
sed 's|bohr.fix/1|bohr.fix/9|' "$fix" >newer.json
python3 - "$fix" <<'END'
import json, sys
fix = json.load(open(sys.argv[1]))
graph = next(g for g in fix["graphs"] if g["edges"])
graph["edges"].append(graph["edges"][0][::-1])
json.dump(fix, open("cycle.json", "w"))
graph["edges"] = [[0, 99]]
json.dump(fix, open("outside.json", "w"))
for graph in fix["graphs"]:
    graph["edges"] = []
json.dump(fix, open("without.json", "w"))
END
unusable missing.json 'missing.json'
unusable empty.json 'no fix file'
unusable text.json 'no fix file'
unusable cut.json 'fix file'
unusable newer.json 'another version'
unusable cycle.json 'circle'
unusable outside.json 'damaged'
unusable without.json 'no edge between nodes of a graph'
expect_status 2 'a wrong word' -- "$BOHR" run --apply "$fix" --unresolved=maybe -- true
expect_status 2 'no fix to resolve' -- "$BOHR" run --unresolved=warn -- true

# What has no graph that a driver knows cannot be applied.
write_race_case >race.case
expect_status 2 'a case' -- "$BOHR" fix race.case --save case.json
expect_in err 'a case has no graphs' 'a case'
expect_status 1 'a folder' -- "$BOHR" fix racy --save again.json
expect_status 0 'a file that was saved' -- cmp again.json "$fix"
finish

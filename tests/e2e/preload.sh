#!/usr/bin/env bash
# Recording by the preloaded library, without CUPTI: the calls of programs that are linked to the
# stand-in driver, or look its functions up in the ways of the CUDA runtime, are those that CUPTI
# tells of. What works on a recording (attach, explore, fix, apply) is run in this way, too.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
unset CUDA_INJECTION64_PATH LD_PRELOAD BOHR_DIR BOHR_VIA
preload=$(dirname "$BOHR")/libbohr_preload.so
build_fakes "$tmp" guest pinned_guest buckets_guest || exit 1
build_looking "$tmp" guest || exit 1
export LD_LIBRARY_PATH=$tmp

# run STATUS NAME COMMAND...: NAME.out and NAME.err.
run() {
  local wanted=$1 name=$2 status=0
  shift 2
  "$BOHR" run --via preload -o "$name" -- "$@" >"$name.out" 2>"$name.err" || status=$?
  [[ $status == "$wanted" ]] || fail "$name: status $status instead of $wanted: $(cat "$name".???)"
}
# records NAME: what its log holds of the program's calls, without numbers of the process.
records() {
  local query
  for query in 'capture, stream, mode FROM capture_begin' 'capture, stream, graph FROM capture_end' \
    'graph, "index", type, stream, function, params > 0 FROM node ORDER BY graph, "index"' \
    'n, "from", "to", type FROM edge' 'graph FROM exec' 'exec, stream FROM launch' \
    'stream, function, grid_x FROM kernel' 'event, version, stream, capture FROM event_record' \
    'event, version, stream, capture FROM event_wait' 'what, stream, event FROM host_sync' \
    'layer, bytes FROM mem_alloc' 'layer FROM mem_free' 'type, context FROM stream' \
    'reason FROM diagnostic_v'; do
    "$BOHR" query "$1"/*.bohr "SELECT $query" || fail "$1: no answer to $query"
  done
}

# The same as CUPTI tells, whether another tool holds CUPTI or not, and however functions are found.
for arm in race clean eager-race eager-clean; do
  status=1
  [[ $arm == *clean ]] && status=0
  "$BOHR" run -o "cupti-$arm" -- ./guest $arm >/dev/null 2>&1
  FAKE_CUPTI_BUSY=1 run $status "linked-$arm" ./guest $arm
  LOOKUP=dlsym run $status "dlsym-$arm" ./guest_looking $arm
  LOOKUP=proc run $status "proc-$arm" ./guest_looking $arm
  LOOKUP=proc FAKE_OTHER_ADDRESSES=1 run $status "elsewhere-$arm" ./guest_looking $arm
  records "cupti-$arm" >wanted
  for way in linked dlsym proc elsewhere; do
    records "$way-$arm" >have
    diff wanted have >differs || fail "$way-$arm: other records: $(cat differs)"
  done
done

# Sources of copies that the program rewrites too early, and those that it does not.
for arm in stream event query graph; do
  run 1 "pinned-$arm-race" ./pinned_guest "$arm-race"
  expect_in "pinned-$arm-race.out" 'host write' "pinned $arm"
  run 3 "pinned-$arm-clean" ./pinned_guest "$arm-clean"
done

# A function that is newer than the recorder is counted, and said.
run 3 newer ./guest future
tr -s ' \n' ' ' <newer.out >words
expect_in words 'cuFutureThing, which is newer than the recorder, was called 3 times' newer
# So is a newer version of a known one, where its address does not say which it is.
LOOKUP=proc LOOKUP_VERSION=99000 FAKE_OTHER_ADDRESSES=1 run 3 version ./guest_looking eager-race
tr -s ' \n' ' ' <version.out >words
expect_in words 'cuStreamCreate, which is newer than the recorder, was called 2 times' version
# And where there are more than can be counted.
mkdir crowded_driver
for ((i = 0; i < 300; ++i)); do echo "extern \"C\" int cuFuture$i() { return 0; }"; done >crowded.cc
FAKE_MORE=$tmp/crowded.cc build_fakes "$tmp/crowded_driver" guest || fail 'the crowded driver was not built'
LD_LIBRARY_PATH=$tmp/crowded_driver run 3 crowded crowded_driver/guest futures
tr -s ' \n' ' ' <crowded.out >words
expect_in words '44 functions of the driver that are newer than the recorder could not be' crowded
# PyTorch whose allocator is not seen is named where the process works, and not where it only looks
# for devices, as a launcher of ranks does.
g++ -shared -o libtorch_cuda.so -x c++ /dev/null
LD_PRELOAD=$tmp/libtorch_cuda.so run 3 unseen ./guest clean
expect_in unseen.out 'allocator-order-unknown' unseen
# shellcheck disable=SC2016  # the inner shell's
run 0 launcher bash -c 'LD_PRELOAD="$LD_PRELOAD $0" ./guest devices; ./guest clean' "$tmp/libtorch_cuda.so"
expect_in launcher.out 'CLEAN: no race found' launcher
[[ $(find launcher -name '*.bohr' | wc -l) == 2 ]] || fail 'launcher: other logs than 2'
# And all else is left alone: programs without CUDA, another tool's library, children.
run 3 plain bash -c 'python3 -c "print(40 + 2)"'
expect_in plain.out 42 plain
echo 'extern "C" int InitializeInjection() { return 1; }' >tool.cc
g++ -shared -fPIC -o tool.so tool.cc
CUDA_INJECTION64_PATH=$tmp/tool.so run 1 beside ./guest race
run 1 child bash -c './guest race; true'
cat >other.cc <<'END'
#include <dlfcn.h>
extern "C" int cuMemFree_v2(unsigned long long address) {
  return reinterpret_cast<int (*)(unsigned long long)>(dlsym(RTLD_NEXT, "cuMemFree_v2"))(address);
}
END
g++ -shared -fPIC -o other.so other.cc
LD_PRELOAD=$tmp/other.so run 1 other ./guest race
# Behind a library that is found first, too.
LD_PRELOAD="$tmp/other.so $preload" BOHR_DIR=$tmp/first bash -c 'mkdir -m 700 first; ./guest race' >/dev/null
expect_status 1 'behind another library' -- "$BOHR" check first

# Of a Python program that imports no PyTorch the lines are known as well, isolated or not.
cat >sets.py <<'END'
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
streams = [ctypes.c_void_p() for _ in range(2)]
memory = ctypes.c_uint64()
for stream in streams:
    cuda.cuStreamCreate(ctypes.byref(stream), 1)
cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64))


def fill(value, stream):
    cuda.cuMemsetD8Async(memory, ctypes.c_ubyte(value), ctypes.c_size_t(64), stream)


fill(1, streams[0])
fill(2, streams[1])
END
for way in 'preload -E' 'cupti -E' 'preload -I'; do
  read -r via option <<<"$way"
  "$BOHR" run --via "$via" -o "lines $way" -- python3 "$option" sets.py >lines.out 2>lines.err
  expect_in lines.out 'written by     sets.py:13 fill <- sets.py:16 <module>' "lines, $way"
  expect_in lines.out 'written by     sets.py:13 fill <- sets.py:17 <module>' "lines, $way"
done

# Nodes that were added by hand are known by who added them, and are on no stream.
run 1 by_hand ./buckets_guest by_hand
expect_in by_hand.out 'written by     ' 'added by hand'
expect_not_in by_hand.out 'stream buckets_guest' 'added by hand'
expect_not_in by_hand.out 'buckets_guest knows' 'added by hand'

# Of several ranks those that are wanted, whichever launcher numbered them; both ways in.
for via in cupti preload; do
  "$BOHR" run --via $via --ranks 1-2 -o "ranks-$via" -- bash -c '
    RANK=0 ./guest race; RANK=1 WORLD_SIZE=4 ./guest race; SLURM_PROCID=2 ./guest race
    OMPI_COMM_WORLD_RANK=3 ./guest race; ./guest clean' >"ranks-$via.out" 2>"ranks-$via.err"
  [[ $(find "ranks-$via" -name '*.bohr' | wc -l) == 3 ]] || fail "ranks, $via: other logs than 3"
  expect_in "ranks-$via.out" 'rank 1 of 4' "ranks, $via"
  expect_in "ranks-$via.out" 'rank 2' "ranks, $via"
  expect_not_in "ranks-$via.out" 'rank 3' "ranks, $via"
  expect_not_in "ranks-$via.err" 'NOT RECORDED' "ranks, $via"
done
# None of them runs unrepaired.
"$BOHR" run --fix -o to_repair -- ./buckets_guest recorded >/dev/null 2>&1
for via in cupti preload; do
  RANK=7 "$BOHR" run --via $via --ranks 0 --apply to_repair/fix.json -o "rank-$via" -- \
    ./buckets_guest recorded >"rank-$via.out" 2>"rank-$via.err"
  expect_in "rank-$via.err" 'applied in 2 graphs' "a rank to be repaired, $via"
done
expect_status 2 'no list of ranks' -- "$BOHR" run --ranks 1- -- true

# Of work outside graphs the newest is kept where there is no room for all; pairs with what was
# dropped are not decided, and what comes after it is. Or all of it is kept.
for via in cupti preload; do
  "$BOHR" run --via $via --recent 20000 -o "recent-$via" -- ./guest many-race >"recent-$via.out" 2>&1
  expect_in "recent-$via.out" 'recent-only' "recent, $via"
  expect_in "recent-$via.out" 'produce (stream 1) | consume (stream 2)' "recent, $via"
  expect_not_in "recent-$via.out" 'lost-records' "recent, $via"
  expect_not_in "recent-$via.out" 'unmodelled-order' "recent, $via"
  size=$(cat "recent-$via"/*.recent-? | wc -c)
  ((size > 5000 && size <= 20000)) || fail "recent, $via: $size bytes of recent work"
  "$BOHR" run --via $via --recent 20000 -o "dropped-$via" -- ./guest race-many >"dropped-$via.out" 2>&1
  expect_in "dropped-$via.out" 'recent-only' "dropped, $via"
  expect_not_in "dropped-$via.out" 'produce (stream 1) | consume' "dropped, $via"
  "$BOHR" run --via $via --record all -o "all-$via" -- ./guest race-many >"all-$via.out" 2>&1
  expect_in "all-$via.out" 'RACE FOUND:' "all, $via"
  [[ -z $(find "all-$via" -name '*.recent-*') ]] || fail "all, $via: recent work beside the log"
done
finish

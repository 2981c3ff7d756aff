#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests expand their own variables
# Guests that do to their process what they must not be kept from doing, and machines that are not as
# they should be: the guest goes on as it would without us, and the report says what was lost.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
# shellcheck source=/dev/null
source "$BOHR_SOURCE/tests/e2e/fakes.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
build_fakes "$tmp" guest odd_guest || exit 1
g++ -shared -fPIC -O1 -o jumping_clock.so "$BOHR_SOURCE/tests/cuda/fake/jumping_clock.cc" || exit 1
unset CUDA_INJECTION64_PATH

# bohr_run STATUS NAME [VARIABLE=VALUE...] -- CMD...: in the folder NAME.
bohr_run() {
  local status=$1 name=$2 set=()
  shift 2
  while [[ $1 != -- ]]; do set+=("$1") && shift; done
  expect_status "$status" "$name" -- env LD_LIBRARY_PATH="$tmp" "${set[@]}" "$BOHR" run -o "$name" "$@"
}
# odd ARM STATUS: the program ends as without us, and the report with STATUS.
odd() {
  mkdir -p "own_$1"
  LD_LIBRARY_PATH=$tmp ./odd_guest "$1" "$tmp/own_$1" >/dev/null 2>&1
  if (($? == 77)); then
    echo "not tested, for it is not allowed here: $1"
    return 1
  fi
  rm -rf "own_$1" && mkdir "own_$1"
  bohr_run "$2" "$1" -- "$tmp/odd_guest" "$1" "$tmp/own_$1"
  expect_in out 'done' "$1"
  expect_in err 'the program ended with 0' "$1"
}
# lost NAME TEXT: the report and the error file say it.
lost() {
  tr -s ' \n' ' ' <out >words
  expect_in words "$2" "$1" && expect_in words 'lost-records' "$1"
}
# kernels NAME: how many kernels its log holds.
kernels() { "$BOHR" query "$1"/*.bohr 'select count(*) from kernel' --format csv | tail -n 1; }

odd plain 0
[[ $(cat plain/*.bohr* | wc -c) -gt 4200000 ]] || fail 'the log did not have to grow'
if odd close 0; then [[ $(kernels close) == 120000 ]] || fail 'close: kernels are missing'; fi
odd gone 3 && lost gone "the program closed the log's file"
if odd chroot 0; then [[ $(kernels chroot) == 120000 ]] || fail 'chroot: kernels are missing'; fi
if odd user 0; then [[ $(kernels user) == 120000 ]] || fail 'user: kernels are missing'; fi
odd fsize 3 && lost fsize 'limit for files'
odd nofile 0
BOHR_RECORD=all odd as 3 && expect_in out 'lost-records' as
# The same, where all records are in the log itself.
mv gone gone-recent && mv fsize fsize-recent
BOHR_RECORD=all odd gone 3 && lost gone "the program closed the log's file"
BOHR_RECORD=all odd fsize 3 && lost fsize 'limit for files'

# Limits that were there before.
for limit in '-f 0' '-f 8' '-n 12' '-v 200000'; do
  name=limit${limit// /}
  bash -c "ulimit $limit; LD_LIBRARY_PATH=$tmp ./odd_guest plain $tmp" >/dev/null 2>&1 || continue
  BOHR_DIR=$tmp/$name CUDA_INJECTION64_PATH=$agent LD_LIBRARY_PATH=$tmp \
    bash -c "mkdir $name; ulimit $limit; exec ./odd_guest plain $tmp" 2>err | cat >out
  ((PIPESTATUS[0] == 0)) || fail "ulimit $limit: the program ended badly: $(cat err)"
  expect_in out 'done' "ulimit $limit"
done

# A driver newer than anything known: its calls are told, and nothing else happens.
bohr_run 3 newer BOHR_VIA=cupti FAKE_CUPTI_NEWER=1 -- ./odd_guest newer "$tmp"
expect_in out cuFutureThing newer
expect_in out "cuFutureThing, which is newer than" newer
expect_in err 'the program ended with 0' newer

# A clock that jumps: the same verdicts.
bohr_run 1 jump_race LD_PRELOAD="$tmp/jumping_clock.so" -- ./guest race
bohr_run 0 jump_clean LD_PRELOAD="$tmp/jumping_clock.so" -- ./guest clean

# No home, no terminal, no TMPDIR, an empty environment but for what starts the program.
bohr_run 1 homeless HOME=/nowhere TMPDIR=/nowhere -- ./guest race
expect_status 0 'nothing in the environment' -- env -i LD_LIBRARY_PATH="$tmp" "$BOHR" run -o bare -- ./guest clean

# Two guests in one folder, at once and one after the other.
mkdir -m 700 shared
for arm in race clean race clean; do
  env LD_LIBRARY_PATH="$tmp" CUDA_INJECTION64_PATH="$agent" BOHR_DIR="$tmp/shared" ./guest $arm &
done >/dev/null
wait
[[ $(find shared -name '*.bohr' | wc -l) == 4 ]] || fail 'two guests in one folder: not four logs'
expect_status 1 'two guests in one folder' -- "$BOHR" check shared
bohr_run 2 shared -- ./guest clean
expect_in err 'not empty' 'a folder that is used already'

# Two runs that begin in one empty folder at once: one is refused.
for i in 1 2 3 4 5; do
  mkdir "same$i"
  for j in 1 2; do
    { env LD_LIBRARY_PATH="$tmp" "$BOHR" run -o "same$i" -- ./guest clean; echo $? >"same$i.$j"; } \
      >/dev/null 2>&1 &
  done
done
wait
[[ $(cat same?.? | sort | tr -d '\n') == 0000022222 ]] || fail "two runs in one folder: $(cat same?.?)"

# A recorder of another version: newer logs are refused by name, and the run is told as not checked.
cat >future.cc <<'END'
#include <cstdio>
#include "trace/writer/framing.h"
#include "trace/writer/record_types.h"
int main() {
  uint8_t head[bohr::trace::kLogHeadSize] = {};
  bohr::trace::encode_log_head(head, bohr::trace::kLogVersion + 1);
  return std::fwrite(head, 1, sizeof head, stdout) != sizeof head;
}
END
g++ -std=c++20 "-I$BOHR_SOURCE/src" -o make_log future.cc || exit 1
./make_log >future.bohr
bohr_run 3 future -- sh -c "cp future.bohr \$BOHR_DIR/\$\$.bohr"
expect_in out 'lost-records' 'a newer recorder'
expect_in err 'version' 'a newer recorder'

# A log that is cut and filled again while it is read: any verdict or refusal, and no crash.
size=$(stat -c %s plain/*.bohr)
cp plain/*.bohr moving.bohr
(while [[ ! -e stop ]]; do
  truncate -s $((RANDOM * size / 32768)) moving.bohr
  cp plain/*.bohr moving.bohr
done) &
for _ in {1..20}; do
  timeout 60 "$BOHR" check moving.bohr >out 2>err
  status=$?
  if ((status > 3)); then
    fail "a log that changes: status $status"
    cat out err | excerpt
  fi
done
touch stop
wait
finish

#!/usr/bin/env bash
# shellcheck disable=SC2016  # scripts expand their own variables
# bohr doctor: on a machine without a driver, with the stand-ins for the driver and CUPTI, and for
# command lines that the recorder's environment does and does not reach.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
# shellcheck source=/dev/null
source "$BOHR_SOURCE/tests/e2e/fakes.bash"
# shellcheck source=/dev/null
source "$BOHR_SOURCE/tests/e2e/late_driver.bash"
: "${tmp:?of lib.bash}"
if ! build_fakes "$tmp" || ! build_late_driver "$tmp"; then exit 1; fi
g++ -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o libnvidia-ml.so.1 \
  "$BOHR_SOURCE/tests/cuda/fake/nvml.cc" || exit 1
python=$(python3 -c 'import sys; print(sys.executable)')
export BOHR_VIA=cupti  # the way with more to ask for; the other one where it is named
unset CUDA_INJECTION64_PATH PYTORCH_ALLOC_CONF PYTORCH_CUDA_ALLOC_CONF KINETO_USE_DAEMON

# row NAME WORKS [TEXT]: that topic of the last text.
row() {
  local line
  line=$(awk -v name="  $1 " 'index($0, name) == 1 { on = 1; print; next }
    /^  [^ ]/ || /^$/ { on = 0 } on' out | tr -s ' \n' ' ')
  [[ $line == " $1 $2 "* ]] || fail "$1 is not '$2': $line"
  [[ -z ${3:-} || $line == *"$3"* ]] || fail "$1 does not say '$3': $line"
}
doctor() { # STATUS NAME [VARIABLE=VALUE...] [-- WORD...]
  local status=$1 name=$2
  shift 2
  local set=()
  while (($#)) && [[ $1 != -* ]]; do set+=("$1") && shift; done
  expect_status "$status" "$name" -- env LD_LIBRARY_PATH="$tmp" "${set[@]}" "$BOHR" doctor "$@"
}

# The machine alone.
expect_status 3 'no driver' -- "$BOHR" doctor
row driver NO 'libcuda.so.1'
row driver NO 'need no driver'
expect_in out 'RECORDING WOULD NOT WORK HERE: driver, gpu, cupti' 'no driver'
doctor 0 stand-ins
row driver ok 'CUDA 13.0'
row gpu ok '256 MiB of 1 GiB free'
row cupti ok "13.0.1, $tmp/libcupti.so.13"
row 'other tools' ok
row glibc ok
expect_in out 'Recording would work.' stand-ins
doctor 0 json --format json
"$python" - out <<'END' || fail 'the JSON is not what it should be'
import json, sys
page = json.load(open(sys.argv[1]))
topics = {topic["topic"]: topic for topic in page["topics"]}
assert page["schema"] == "bohr.doctor/1" and page["would_record"] is True
assert topics["driver"]["facts"]["cuda"] == "13000"
assert topics["gpu"]["facts"]["free_bytes_0"] == str(256 << 20)
assert {topic["works"] for topic in page["topics"]} <= {"yes", "partly", "no"}
END
doctor 3 'no GPU' FAKE_CUDA_INIT=100
row driver NO 'error 100'
doctor 3 'a driver that crashes' FAKE_CUDA_INIT=crash
row driver NO 'was ended by SIGABRT'
row driver NO 'CUDA 13.0'

# CUPTI and its one slot.
doctor 3 'another subscriber' FAKE_CUPTI_BUSY=1
row 'other tools' NO 'subscriber'
doctor 3 'another injection' CUDA_INJECTION64_PATH=/other.so
row 'other tools' NO '/other.so'
doctor 0 kineto KINETO_USE_DAEMON=1
row 'other tools' partly KINETO_USE_DAEMON
# Recorded by the preloaded library: nobody asks CUPTI, and others may.
doctor 0 preload BOHR_VIA= FAKE_CUPTI_BUSY=1
row preload ok 'needs no CUPTI'
row recorder ok libbohr_preload.so
row driver ok "CUDA 13.0, $tmp/libcuda.so.1"
expect_not_in out 'subscriber' preload
expect_status 3 'preload without a driver' -- "$BOHR" doctor --via preload
row preload NO 'a driver has to be there first'
# A driver without CUPTI, where no toolkit is found either; then CUPTI by name, and in a wheel that the
# program's Python knows.
late=("LD_LIBRARY_PATH=$tmp/late" CUDA_HOME=/nowhere CUDA_PATH=/nowhere)
if ! compgen -G "/usr/local/cuda/*/libcupti.so*" >/dev/null && ! ldconfig -p | grep -q libcupti; then
  doctor 3 'no CUPTI' "${late[@]}"
  row cupti NO BOHR_CUPTI
fi
doctor 0 'CUPTI by name' "${late[@]}" BOHR_CUPTI="$tmp/late/wheel/libcupti.so.13"
row cupti ok 'named by BOHR_CUPTI'
doctor 3 'a CUPTI that is none' BOHR_CUPTI="$tmp/libnvidia-ml.so.1" "${late[@]}"
row cupti NO

# The allocator's settings.
doctor 0 async PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync
row allocator ok pool-reuse
doctor 0 'no caching' PYTORCH_NO_CUDA_MEMORY_CACHING=1
row allocator partly
doctor 0 expandable PYTORCH_ALLOC_CONF=expandable_segments:True
row allocator ok expandable

# Limits, folder and disk.
(ulimit -f 100 && env LD_LIBRARY_PATH="$tmp" "$BOHR" doctor >out)
row limits partly 'ulimit -f'
doctor 0 disk --max-log 1000000GB
row disk partly '--max-log'
doctor 0 'long path' -o "$(printf '%0100d' 0)"
row folder partly '--explore'
if ((EUID != 0)); then
  mkdir closed && chmod 500 closed
  doctor 3 'closed folder' -o closed/run
  row folder NO closed
fi

# What a command starts in the end, and what reaches it.
doctor 0 sleep -- sleep 1
row program ok sleep
doctor 0 wrapped -- nohup timeout -k 1 5 nice -n 5 env A=b sleep 1
row program ok /sleep
doctor 3 'cleared environment' -- env -i sleep 1
row program NO 'clears the environment'
doctor 3 'our variable unset' -- env -u CUDA_INJECTION64_PATH sleep 1
row program NO CUDA_INJECTION64_PATH
doctor 3 'what preloads unset' --via preload -- env -u LD_PRELOAD sleep 1
row program NO LD_PRELOAD
doctor 0 'what injects unset' --via preload -- env -u CUDA_INJECTION64_PATH sleep 1
row program ok
doctor 0 'path replaced' -- env PYTHONPATH=/x sleep 1
row program partly PYTHONPATH
doctor 0 "somebody else's variable unset" -- env -u SOMETHING sleep 1
row program ok
mkdir elsewhere
printf '#!/bin/sh\n' >elsewhere/sudo && chmod +x elsewhere/sudo
doctor 3 sudo PATH="$tmp/elsewhere:$PATH" -- sudo sleep 1
row program NO 'sudo clears'
printf '#!/usr/bin/env -S %s -u\n' "$python" >script && chmod +x script
doctor 0 script -- ./script
row program ok "$python"
row 'python shim' ok 'loaded by Python'
printf '#!%s -I\n' "$python" >isolated && chmod +x isolated
doctor 0 isolated -- ./isolated a b
row 'python shim' partly 'NOT loaded'
for options in -I -E -S -IB '-B -E' '-X dev -I' '-Ic pass'; do
  # shellcheck disable=SC2086  # several words
  doctor 0 "python $options" -- "$python" $options x
  row 'python shim' partly 'NOT loaded'
done
for options in -B '-X dev' '-W ignore -u' '-c I' '-m -I'; do
  # shellcheck disable=SC2086
  doctor 0 "python $options" -- "$python" $options
  row 'python shim' ok 'loaded by Python'
done
printf '#!/bin/sh\nexec %s\n' "$python" >shell_script && chmod +x shell_script
doctor 0 shell -- ./shell_script
row program ok 'a shell'
echo 'int main() {}' | gcc -x c -static -o static - 2>/dev/null && {
  doctor 3 static -- ./static
  row program NO 'static'
}
{
  printf '\x7fELF\x02\x01\x01'
  head -c 11 /dev/zero
  printf '\xf3'
  head -c 200 /dev/zero
} >foreign && chmod +x foreign
doctor 3 'another machine' -- ./foreign
row program NO 'another kind of machine'
printf '\x7fELF' >damaged && chmod +x damaged
doctor 0 damaged -- ./damaged
printf '#!./loop\n' >loop && chmod +x loop
doctor 0 'a script of itself' -- ./loop
row program partly 'gave up'
if ((EUID != 0)) && [[ -u /usr/bin/passwd ]]; then
  doctor 3 setuid -- /usr/bin/passwd
  row program NO setuid
fi

# Refusals.
doctor 2 'no such program' -- no-such-program
expect_in err 'no-such-program' 'no such program'
doctor 2 'no such program behind another' -- nohup no-such-program
doctor 2 'no such option' --frobnicate
doctor 2 'a word too many' --format text sleep
expect_status 2 'no recorder' -- env BOHR_LIB="$tmp/elsewhere" "$BOHR" run -- true
expect_status 3 'no recorder' -- env BOHR_LIB="$tmp/elsewhere" "$BOHR" doctor
row recorder NO
finish

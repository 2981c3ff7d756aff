#!/usr/bin/env bash
# shellcheck disable=SC2016  # inner shells expand their own variables
# Where programs are confined: another user than root, a root that cannot be written to, CUPTI in a
# Python wheel and nowhere else. What is not permitted here is named and left out.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
# shellcheck source=/dev/null
source "$BOHR_SOURCE/tests/e2e/fakes.bash"
# shellcheck source=/dev/null
source "$BOHR_SOURCE/tests/e2e/late_driver.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}" "${applier:?of fakes.bash}"
if ! build_fakes "$tmp" guest || ! build_late_driver "$tmp"; then exit 1; fi
unset CUDA_INJECTION64_PATH
# The tool where everybody may run it.
chmod 755 "$tmp"
mkdir tool && cp "$BOHR" "$agent" "$applier" tool/ && chmod -R a+rX tool ./*.so.* late
cp -r "$(dirname "$BOHR")/python" tool/ 2>/dev/null

# Another user.
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if ((EUID == 0)) && "${nobody[@]}" true 2>/dev/null; then
  install -d -o 65534 -g 65534 -m 700 theirs
  (
    cd theirs || exit 1
    expect_status 1 'not root' -- "${nobody[@]}" env HOME=/nowhere LD_LIBRARY_PATH="$tmp" \
      "$tmp/tool/bohr" run -o run -- "$tmp/guest" race
    [[ $(stat -c '%u %a' run run/*.bohr | tr '\n' ' ') == '65534 700 65534 600 ' ]] ||
      fail "not root: $(stat -c '%n %u %a' run run/*.bohr)"
    finish
  ) || failures=$((failures + 1))
else
  echo 'not tested, for it is not allowed here: another user'
fi

# A root that cannot be written to, but for the folder of the run.
if unshare -rm true 2>/dev/null; then
  mkdir rw
  expect_status 1 'read-only root' -- unshare -rm bash -c '
    mount --bind "$1/rw" "$1/rw" && mount -o remount,bind,ro / 2>/dev/null || exit 77
    cd / && touch /not-writable 2>/dev/null && exit 78
    LD_LIBRARY_PATH=$1 TMPDIR=$1/rw "$1/tool/bohr" run -o "$1/rw/run" -- "$1/guest" race' _ "$tmp"
  # A machine with a driver and neither toolkit nor CUPTI in the loader's reach: the wheel is found
  # beside the CUDA runtime that the program has mapped, as PyTorch has it.
  mkdir -p site/nvidia/cuda_runtime/lib site/nvidia/cuda_cupti/lib
  cp late/wheel/libcupti.so.13 site/nvidia/cuda_cupti/lib/
  echo 'int cudart;' | gcc -shared -x c -o site/nvidia/cuda_runtime/lib/libcudart.so.13 - || exit 1
  hidden='for at in /usr/local/cuda*; do [[ -d $at ]] && mount -t tmpfs none "$at"; done 2>/dev/null
    export LD_LIBRARY_PATH=$1/late; cd "$1" || exit 1; '
  expect_status 1 'CUPTI in a wheel' -- unshare -rm bash -c "$hidden"'
    export LD_PRELOAD=$1/site/nvidia/cuda_runtime/lib/libcudart.so.13
    exec tool/bohr run -o wheel -- ./guest race' _ "$tmp"
  if ! ldconfig -p | grep -q libcupti; then
    expect_status 3 'no CUPTI' -- unshare -rm bash -c "$hidden"'
      exec tool/bohr run -o without -- ./guest race' _ "$tmp"
    expect_in out 'set BOHR_CUPTI to its path' 'no CUPTI'
    expect_status 3 'no CUPTI, says doctor' -- unshare -rm bash -c "$hidden"'
      exec tool/bohr doctor' _ "$tmp"
    expect_in out 'pip install nvidia-cuda-cupti' 'no CUPTI, says doctor'
    # The program's Python knows of the wheel.
    python=$(python3 -c 'import sys; print(sys.executable)')
    expect_status 0 'the wheel, says doctor' -- unshare -rm bash -c "$hidden"'
      PYTHONPATH=$1/site exec tool/bohr doctor -- "$2" x.py' _ "$tmp" "$python"
    expect_in out 'of a Python wheel' 'the wheel, says doctor'
  fi
else
  echo 'not tested, for it is not allowed here: a read-only root, CUPTI in a wheel'
fi
finish

#!/usr/bin/env bash
# Compiles for aarch64 what goes into foreign processes, links both libraries and holds them to what
# tools/check_agent.sh demands; of the tool's core the sources are only compiled, not linked. Nothing is
# run. Called through ./dev aarch64, which installs the cross compiler (g++-aarch64-linux-gnu).
# Skipped without that or without the CUDA toolkit's headers. Usage: check_aarch64.sh
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
compiler=aarch64-linux-gnu-g++
cuda=${CUDA_HOME:-/usr/local/cuda}/include
out=build/aarch64
if ! command -v "$compiler" >/dev/null || [[ ! -f $cuda/cupti.h ]]; then
  echo "skipped: there is no $compiler, or no cupti.h in $cuda"
  echo '0 passed, 0 failed'
  exit 0
fi
mkdir -p "$out"
rm -f "$out"/*.o
echo '#define BOHR_VERSION "0"' >"$out/version.h"
cat "$cuda"/cuda{,GL,EGL,VDPAU,Profiler}.h 2>/dev/null |
  sed -nE 's/.*CUDAAPI +(cu[A-Z][A-Za-z0-9_]*)\(.*/BOHR_KNOWN(\1)/p' | sort -u >"$out/known_functions.inc"
shopt -s nullglob
export compiler out
# Headers of libraries are those of this machine, behind the cross compiler's own.
export flags="-std=c++20 -O1 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -Wall -Wextra
  -Wno-missing-field-initializers -Werror -include $out/version.h -Isrc -I$out -isystem $cuda -idirafter /usr/include"
passed=0 failed=0

# A source to an object file; what is linked into the preloaded library alone gets its settings.
compile() {
  # shellcheck disable=SC2086  # flags are words
  "$compiler" $flags -c -o "$out/${1//\//+}.o" "$1"
}
compile_preload() {
  # shellcheck disable=SC2086
  "$compiler" $flags -O2 -DBOHR_DEFINES_DLSYM -c -o "$out/preload+${1//\//+}.o" "$1"
}
look_at() {
  # shellcheck disable=SC2086
  "$compiler" $flags -fsyntax-only "$1"
}
export -f compile compile_preload look_at

# each FUNCTION NAME SOURCE...: counts as one test.
each() {
  local function=$1 name=$2
  shift 2
  if printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c "$function {}"; then
    printf 'ok    %s (%s sources)\n' "$name" $#
    passed=$((passed + 1))
  else
    printf 'FAIL  %s\n' "$name"
    failed=$((failed + 1))
  fi
}

# library NAME MAP OBJECT...
library() {
  local name=$1 map=$2
  shift 2
  if "$compiler" -shared -o "$out/$name" "$@" -static-libstdc++ -static-libgcc \
    -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,--version-script="$map" -Wl,--push-state,--no-as-needed \
    -l:libdl.so.2 -l:libpthread.so.0 -Wl,--pop-state &&
    PATH=$out/tools:$PATH tools/check_agent.sh "$out/$name" "$map"; then
    printf 'ok    %s\n' "$name"
    passed=$((passed + 1))
  else
    printf 'FAIL  %s\n' "$name"
    failed=$((failed + 1))
  fi
}

# check_agent.sh asks for objdump and readelf; these know aarch64.
mkdir -p "$out/tools"
for tool in objdump readelf; do
  ln -sf "$(command -v aarch64-linux-gnu-$tool)" "$out/tools/$tool"
done
# Code for the GPU is the same on every host, and nothing is run here.
cat >"$out/device.cc" <<'END'
namespace bohr::replay::cuda {
extern const unsigned char device_code[];
const unsigned char device_code[] = {0};
extern const unsigned long device_code_size;
const unsigned long device_code_size = 0;
}  // namespace bohr::replay::cuda
END

guest=(src/base/*.cc src/trace/writer/*.cc src/patch/*.cc src/model/*.cc src/gpu/*.cc src/gpu/cuda/*.cc
  src/replay/*.cc src/replay/cuda/*.cc src/agent/*.cc)
preload=(src/agent/preload/*.cc src/agent/shim_api.cc)
each compile 'what goes into foreign processes' "${guest[@]}" cmake/agent/glibc_floor.cc \
  "$out/device.cc"
each compile_preload 'what is preloaded' "${preload[@]}" cmake/agent/glibc_floor.cc
each look_at 'the core of the tool' src/store/*.cc src/trace/*.cc src/order/*.cc src/check/*.cc
# Parts go through an archive, so that each library takes what it needs.
objects() { for source in "$@"; do printf '%s\n' "$out/${source//\//+}.o"; done; }
rm -f "$out/parts.a"
mapfile -t parts < <(objects "${guest[@]}" "$out/device.cc" |
  grep -vE 'agent\+(inject|shim_api)\.cc\.o$')
aarch64-linux-gnu-ar rcs "$out/parts.a" "${parts[@]}"
mapfile -t own < <(objects src/agent/inject.cc src/agent/shim_api.cc cmake/agent/glibc_floor.cc)
library libbohr_agent.so cmake/agent/exports.map "${own[@]}" "$out/parts.a"
own=("$out"/preload+*.o)
library libbohr_preload.so cmake/agent/preload_exports.map "${own[@]}" "$out/parts.a"

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))

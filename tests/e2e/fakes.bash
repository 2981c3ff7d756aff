# The stand-ins for the driver and CUPTI (tests/cuda/fake): sourced, not run. Sets `agent` and
# `applier`, the two libraries that live in a program; skips the
# test where the agent was not built.
agent=$(dirname "$BOHR")/libbohr_agent.so
applier=$(dirname "$BOHR")/libbohr_preload.so
cuda_include=${CUDA_HOME:-/usr/local/cuda}/include
if [[ ! -f $agent || ! -f $cuda_include/cupti.h ]]; then
  echo "skipped: the agent was not built, or there is no cupti.h in $cuda_include"
  exit 77
fi

# build_fakes FOLDER PROGRAM...: the libraries and these programs of tests/cuda/fake. FAKE_MORE: a
# source that the driver gets as well.
build_fakes() {
  local folder=$1 fake=$BOHR_SOURCE/tests/cuda/fake program
  local flags=(-std=c++20 -O1 -isystem "$cuda_include" "-I$fake" "-I$BOHR_SOURCE/src")
  shift
  g++ "${flags[@]}" -shared -fPIC -Wl,-soname,libcupti.so.13 -o "$folder/libcupti.so.13" \
    "$fake/cupti.cc" || return
  g++ "${flags[@]}" -shared -fPIC -Wl,-soname,libcuda.so.1,-Bsymbolic-functions -o "$folder/libcuda.so.1" \
    "$fake"/{driver,memory,mapped,replaying,own_kernels,exec_changes,graph_kinds,lookup}.cc \
    ${FAKE_MORE:+"$FAKE_MORE"} "$folder/libcupti.so.13" || return
  for program in "$@"; do
    g++ "${flags[@]}" -o "$folder/$program" "$fake/$program.cc" "$folder/libcuda.so.1" \
      "-Wl,-rpath-link,$folder" || return
  done
}

# build_looking FOLDER PROGRAM: once more as PROGRAM_looking, which looks the driver's functions up
# as the CUDA runtime does (tests/cuda/fake/runtime.cc).
build_looking() {
  local fake=$BOHR_SOURCE/tests/cuda/fake
  g++ -std=c++20 -O1 -isystem "$cuda_include" "-I$fake" "-I$BOHR_SOURCE/src" \
    -o "$1/$2_looking" "$fake/$2.cc" "$fake/runtime.cc" "$1/libcuda.so.1" "-Wl,-rpath-link,$1"
}

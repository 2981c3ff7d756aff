# A stand-in driver that does not bring CUPTI along, as the real one does not: sourced behind fakes.bash.

# build_late_driver FOLDER: behind build_fakes; the driver in FOLDER/late, and the CUPTI that is to be
# found later in FOLDER/late/wheel.
build_late_driver() {
  local fake=$BOHR_SOURCE/tests/cuda/fake
  mkdir -p "$1/late/wheel" && cp "$1/libcupti.so.13" "$1/late/wheel/" &&
    g++ -std=c++20 -O1 -isystem "${cuda_include:?of fakes.bash}" "-I$fake" "-I$BOHR_SOURCE/src" \
      -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$1/late/libcuda.so.1" \
      "$fake"/{driver,memory,replaying,own_kernels,exec_changes,late_cupti}.cc
}

# What the scripts that need a GPU share: sourced, not run. BOHR names a built tool (default:
# build/release/bohr). A script ends with "N passed, N failed" and fails where something did.

# begin NAME: what is said lies in build/gpu-NAME, which becomes the current folder.
begin() {
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  programs=$root/tests/cuda/programs
  bohr=${BOHR:-$root/build/release/bohr}
  preloaded=$(dirname "$bohr")/libbohr_preload.so
  out=$root/build/gpu-$1
  passed=0 failed=0
  export root programs bohr preloaded out
  mkdir -p "$out"
  cd "$out" || exit 2
}

# ok NAME WHAT CONDITION...: of what NAME said on standard error, NAME.err, something where it failed.
ok() {
  local name=$1 what=$2
  shift 2
  if "$@"; then
    printf 'ok    %-28s %s\n' "$name" "$what"
    passed=$((passed + 1))
    return
  fi
  printf 'FAIL  %-28s %s\n' "$name" "$what"
  failed=$((failed + 1))
  [[ ! -e $name.err ]] ||
    grep -hE 'held|proved|explore|applied|not repaired|REFUSED|lost|could not|rror' "$name.err" | head -n 5
}
has() { grep -qE "$1" "$2"; }
lacks() { ! grep -qE "$1" "$2"; }

# compile NAME [ARGUMENT...]: one of the programs, for this GPU.
compile() {
  nvcc -std=c++20 -O2 -lineinfo -arch=native -I "$programs" -o "$1" "$programs/$1.cu" -lcuda "${@:2}"
}

# parts ALL WANTED...: the functions of these names; all of the words of ALL where none is wanted.
parts() {
  local all part
  read -rd '' -a all <<<"$1"
  shift
  for part in "${@:-${all[@]}}"; do "$part"; done
}

finish() {
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}

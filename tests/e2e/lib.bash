# Helpers of the end-to-end tests: sourced, not run. BOHR is the tool, BOHR_SOURCE the source tree.
set -u
: "${BOHR:?the tool}" "${BOHR_SOURCE:?the source tree}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failures=0

fail() {
  printf 'FAIL: %s\n' "$*"
  failures=$((failures + 1))
}

excerpt() { head -n 20 | sed 's/^/    /'; }

# expect_status WANTED NAME -- COMMAND...: runs it, keeps its output in $tmp/out and $tmp/err.
expect_status() {
  local wanted=$1 name=$2
  shift 3
  "$@" >"$tmp/out" 2>"$tmp/err"
  local status=$?
  [[ $status == "$wanted" ]] && return
  fail "$name: status $status instead of $wanted: $*"
  cat "$tmp/out" "$tmp/err" | excerpt
}
expect_in() { # FILE TEXT NAME
  grep -qF -- "$2" "$1" && return
  fail "$3: \"$2\" is not in $(basename "$1"):"
  excerpt <"$1"
}
expect_not_in() { # FILE TEXT NAME
  grep -qF -- "$2" "$1" || return 0
  fail "$3: \"$2\" is in $(basename "$1"):"
  excerpt <"$1"
}
finish() { ((failures == 0)); }

write_race_case() {
  cat <<'END'
case 1
stream main
stream side
buffer x 4K
buffer y 4K
buffer out 4K
main: kernel produce reads x writes y
main: record ready
side: wait ready
side: kernel consume reads y writes out
main: kernel produce_next reads x writes y
expect hazard WAR consume produce_next on y class data
END
}
write_clean_case() {
  write_race_case | sed -e '/^expect/d' -e '/produce_next/i side: record done\nmain: wait done'
  echo 'expect clean'
}

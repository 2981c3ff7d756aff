#!/usr/bin/env bash
# Checks that a library of ours can live in a foreign process: it exports only what its map names,
# needs no library but the C library's, and no symbol newer than glibc 2.28.
# Usage: check_agent.sh LIBRARY MAP
set -euo pipefail
library=$1 map=$2
floor=2.28
failed=0

complain() {
  if [[ -n $2 ]]; then
    printf '%s: %s\n%s\n' "$library" "$1" "$2"
    failed=1
  fi
}

symbols=$(objdump -T "$library")
# The names between "global:" and "local:", as one pattern.
named=$(sed -n '/global:/,/local:/s/^ *\([A-Za-z_0-9*]*\);.*/\1/p' "$map" | grep -v '^\*$' |
  sed 's/\*/.*/' | paste -sd '|')
complain "exports more than $map means to" "$(awk '/^[0-9a-f]+ / && $2 != "l" && !/\*UND\*/ {
    print $NF }' <<<"$symbols" | grep -vE "^($named)$" || true)"
complain "is linked against libraries that a host may lack" "$(readelf -d "$library" |
  sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' |
  grep -vE '^(libc|libdl|libm|libpthread|librt)\.so\.[0-9]+$|^ld-linux' || true)"
complain "needs symbols newer than glibc $floor; see cmake/agent/glibc_floor.cc" "$(
  awk '/\*UND\*.*GLIBC_/ { gsub(/[()]/, "", $(NF - 1)); print $(NF - 1), $NF }' <<<"$symbols" |
    while read -r version name; do
      newest=$(printf '%s\n' "${version#GLIBC_}" "$floor" | sort -V | tail -1)
      if [[ $newest != "$floor" ]]; then printf '%s %s\n' "$version" "$name"; fi
    done
)"
exit "$failed"

#!/usr/bin/env bash
# A recording that does not end: what a server does again and again takes no more than the room that
# it was given, and what graphs need is there however long ago it was recorded.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/fakes.bash"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
: "${tmp:?of lib.bash}" "${agent:?of fakes.bash}"
unset CUDA_INJECTION64_PATH
build_fakes "$tmp" serving_guest || exit 1
export LD_LIBRARY_PATH=$tmp

# serve NAME REQUESTS OPTIONS...: NAME.out; its sizes in `log` and `recent`.
serve() {
  local name=$1 requests=$2
  shift 2
  expect_status 1 "$name" -- "$BOHR" run "$@" -o "$name" -- ./serving_guest "$requests"
  cp out "$name.out"
  expect_in "$name.out" 'done' "$name"
  log=$(cat "$name"/*.bohr | wc -c)
  recent=$(cat "$name"/*.recent-* 2>/dev/null | wc -c)
}
# Of the races that were found.
sites() { "$BOHR" check --format json "$1"/*.bohr | grep -oE '"(site|id)": "[a-z]+-[0-9a-f]{4}"' | sort -u; }
reasons() { "$BOHR" query "$1"/*.bohr 'SELECT DISTINCT reason FROM diagnostic_v' --format csv; }

serve all 600 --record all
all=$log
serve short 600 --recent 512K
short=$log
serve long 3600 --recent 512K
# Six times as long: a block that is out when the recent files take turns stays, and nothing else.
(((log - short) * 200 < all * 5)) || fail "it grew from $short to $log bytes; all is $all in a sixth"
((recent <= 600000)) || fail "long: $recent bytes of recent work"
((short * 100 < all)) || fail "a log of $short bytes beside $all of all records"
# The race of the graph, which was captured long ago, and the one of a moment ago.
for name in all short long; do
  sites $name >$name.sites
  [[ $(wc -l <$name.sites) == 2 ]] || fail "$name: $(cat $name.sites) instead of two sites"
done
cmp -s all.sites long.sites || fail "other sites: $(diff all.sites long.sites)"
reasons long >told
expect_in told 'recent-only' long
expect_not_in told 'allocator-order-unknown' long
expect_not_in told 'unknown-allocation' long
finish

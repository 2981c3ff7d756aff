#!/usr/bin/env bash
# Two ranks of torchrun on this machine's GPUs: each has its log and its number, what both did wrong
# is told once, one rank alone can be recorded, and exploring ends. With two GPUs an all-reduce by
# NCCL is in the captured graph. Needs PyTorch as python3's.
#
#   tools/gpu_ranks.sh
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin ranks
: "${programs:?}" "${bohr:?}"

# ranks NAME ARM OPTIONS...: the report to NAME.txt, what was said to NAME.err.
ranks() {
  local name=$1 arm=$2
  shift 2
  rm -rf "$name"
  timeout -k 5 150 "$bohr" run -o "$name" "$@" -- python3 -m torch.distributed.run \
    --nproc-per-node 2 --master-port 29531 "$programs/ranks.py" "$arm" >"$name.txt" 2>"$name.err" </dev/null
}
both_right() { [[ $(grep -c '^rank [01] right' "$1.txt") == 2 ]]; }

ranks race race --record all
ok race "both are right by themselves" both_right race
ok race "$(grep -m 1 '^RACE FOUND' race.txt)" has '^RACE FOUND' race.txt
ok race "told once, of both" has 'of 2 processes' race.txt
for rank in 0 1; do ok race "rank $rank has its number" has "rank $rank of 2" race.txt; done
ranks clean clean --record all
ok clean "both are right" both_right clean
ok clean "$(grep -m 1 -E '^(CLEAN|NO RACE)' clean.txt)" lacks '^RACE' clean.txt
ranks one race --ranks 1
ok one "rank 1 has a log" has 'rank 1 of 2' one.txt
ok one "rank 0 has none" lacks 'rank 0 of 2' one.txt
ranks explored race --explore --launch 3
ok explored "$(grep -hoE '[0-9]+ races? proved; .*|not explored.*|peer-communication.*' explored.err | tr '\n' ';')" \
  has 'the program ended with 0' explored.err
ok explored "both are right afterwards" both_right explored
finish

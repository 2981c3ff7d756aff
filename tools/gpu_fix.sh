#!/usr/bin/env bash
# Repairs real programs on this machine's GPU: `bohr run --explore --fix`, then the same program with
# `bohr run --apply`, and says for each whether it came out as it must. Needs PyTorch as python3's.
#
#   tools/gpu_fix.sh [PART...]      (default: all)
#
# Parts: apply buckets alone costs deepseek programs frameworks demo. The last needs bohr_demo_layer
# beside the tool, the one before it Triton and CuPy.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin fix
: "${programs:?}" "${bohr:?}" "${out:?}" "${preloaded:?}"

# run NAME OPTIONS -- COMMAND...: the report to NAME.txt, what was said to NAME.err.
run() {
  local name=$1
  shift
  rm -rf "$name"
  "$bohr" run -o "$name" "$@" >"$name.txt" 2>"$name.err" </dev/null
}

counts() { grep -hoE "applied in .*" "$1.err" | tr '\n' ';'; }
held() { grep -oE "[0-9]+ races? proved; .*" "$1.err" | tr '\n' ';'; }

# Found and proved; with its edges in its graphs the explorer finds nothing, and 2,000 replays of the
# same process are right.
apply() {
  local program=$programs/missing_record_stream_silent.py
  run found --explore --fix -- python3 "$program"
  ok found "$(held found)" has "[1-9][0-9]* races? proved" found.err
  ok found "a repair is verified" has "^ +verified" found.txt
  ok found "fix.json" test -s found/fix.json
  run applied --explore --graph "graph 1" --apply found/fix.json -- python3 "$program"
  ok applied "$(counts applied)" has "applied in 1 graph, not needed in 1, unresolved in 0" applied.err
  ok applied "$(held applied)" lacks "[1-9][0-9]* races? proved" applied.err
  ok applied "explored" has "0 races proved" applied.err
  ok applied "2,000 right" has "nofix plain replay corrupt 0 /2000" applied.txt
}

# 20 batch sizes in one pool, some of them racy.
buckets() {
  run buckets --explore --fix -- python3 "$programs/buckets.py" race
  ok buckets "$(held buckets | head -c 60)" has "[1-9][0-9]* races? proved" buckets.err
  ok buckets "fix.json" test -s buckets/fix.json
  run buckets.applied --explore --apply buckets/fix.json -- python3 "$programs/buckets.py" race
  ok buckets.applied "$(counts buckets.applied)" \
    has "applied in 10 graphs, not needed in 10, unresolved in 0" \
    buckets.applied.err
  ok buckets.applied "nothing is proved" lacks "[1-9][0-9]* races? proved" buckets.applied.err
  ok buckets.applied "no race in any graph" lacks "^RACE.*PROVED" buckets.applied.txt
  ok buckets.applied "$(grep -h '^right' buckets.applied.txt)" has "^right 2000 of 2000" \
    buckets.applied.txt
}

# Two variables and no tool around it: repaired, and as fast as plain. Beside it what a recording
# costs, by CUPTI, whose subscription alone does, and by the preloaded library.
alone() {
  local program=$programs/decode_layer.py round via
  run layer.alone --explore --fix --max-pause 0 -- python3 "$program" race
  for round in 1 2 3; do
    python3 "$program" race
    LD_PRELOAD=$preloaded BOHR_APPLY=$out/layer.alone/fix.json python3 "$program" race 2>alone.err
    for via in cupti preload; do
      "$bohr" run --via $via -o "recorded.$via.$round" -- python3 "$program" race 2>/dev/null |
        grep '^replay us'
    done
  done | grep -oE "median .*" | paste - - - - |
    sed 's/^/      plain, repaired, recorded by CUPTI, preloaded: /' |
    tee alone.txt
  ok alone "$(cat alone.err)" has "applied in 1, not needed in 0, unresolved in 0" alone.err
}

# kept NAME PERCENT: one verified repair keeps so much of what overlap gains.
kept() {
  python3 - "$1/findings.json" "$2" <<'END'
import json, sys
fixes = json.load(open(sys.argv[1]))["fixes"]
kept = [f["cost"]["kept"]["value"] for f in fixes if f.get("cost", {}).get("kept")]
sys.exit(0 if kept and max(kept) >= float(sys.argv[2]) / 100 else 1)
END
}
costs() {
  local name
  run balanced --explore --fix --max-pause 0 -- python3 "$programs/balanced_branches.py" plain
  run layer --explore --fix --max-pause 0 -- python3 "$programs/decode_layer.py" race
  for name in balanced layer; do
    ok $name "$(held $name)" has "[1-9][0-9]* races? proved" $name.err
    ok $name "a repair keeps 95% of what overlap gains" kept $name 95
    sed -n '/^Repairs/,/^ *kind/p' $name.txt | head -n 40
  done
}
deepseek() {
  local program=$programs/deepseek_v4_decode.py
  run deepseek --explore --fix --max-pause 0 -- python3 "$program" race 200
  ok deepseek "$(held deepseek)" has "[1-9][0-9]* races? proved" deepseek.err
  ok deepseek "a repair keeps 95% of what overlap gains" kept deepseek 95
  sed -n '/^Repairs/,/^ *kind/p' deepseek.txt | head -n 40
  run deepseek.applied --explore --graph "graph 1" --apply deepseek/fix.json -- python3 "$program" \
    race 200
  ok deepseek.applied "$(counts deepseek.applied)" has "unresolved in 0" deepseek.applied.err
  ok deepseek.applied "$(held deepseek.applied)" has "0 races proved" deepseek.applied.err
}

# repaired NAME COMMAND...: proved, a repair verified, and with its edges nothing is proved any more.
repaired() {
  local name=$1
  shift
  run "$name" --explore --fix --launch 2 --max-pause 0 -- "$@"
  ok "$name" "$(held "$name")" has "[1-9][0-9]* races? proved" "$name.err"
  ok "$name" "a repair is verified" has "^ +verified" "$name.txt"
  ok "$name" "fix.json" test -s "$name/fix.json"
  run "$name.applied" --explore --launch 2 --apply "$name/fix.json" --unresolved=warn -- "$@"
  ok "$name.applied" "$(counts "$name.applied")" has "applied in [1-9]" "$name.applied.err"
  ok "$name.applied" "nothing is proved" lacks "[1-9][0-9]* races? proved" "$name.applied.err"
}
# Each program of tests/cuda/programs with a race inside one graph.
programs() {
  local name
  for name in missing_wait event_reused shared_scratch exec_changed child_graph; do
    nvcc -std=c++20 -O2 -lineinfo -arch=native -o $name.bin "$programs/$name.cu" -lcuda
  done
  for name in missing_wait event_reused child_graph; do repaired $name ./$name.bin race; done
  repaired shared_scratch ./shared_scratch.bin
  repaired exec_changed ./exec_changed.bin set.race
  nvcc -std=c++20 -O2 -lineinfo -arch=native -I "$programs" -o cublas_gemm.bin \
    "$programs/../frameworks/cublas_gemm.cu" -lcuda -lcublas
  repaired cublas_gemm ./cublas_gemm.bin race
  for name in missing_record_stream_captured inplace_copy scratch_views; do
    repaired $name python3 "$programs/$name.py" race
  done
  for name in scratch_views inplace_kernel; do
    repaired $name.candidate python3 "$programs/$name.py" candidate
  done
  repaired atomic python3 "$programs/missing_record_stream_atomic.py" race
  repaired loud python3 "$programs/missing_record_stream_loud.py"
}

# Those of other frameworks, where the race is inside a graph.
frameworks() {
  local name
  for name in triton_kernels cupy_graph; do
    repaired $name python3 "$programs/../frameworks/$name.py" race
  done
}

# The story of the demo, on this device.
demo() {
  "$bohr" demo --cuda >demo.txt 2>demo.err
  ok demo "$(grep -hm 1 'runs on' demo.txt)" has 'Every verdict is the expected one' demo.txt
}

parts 'apply buckets alone costs deepseek programs frameworks demo' "$@"
finish

#!/usr/bin/env bash
# A server with a race, under load, on this machine's GPU: armed by the lines of `bohr env`, explored
# and repaired while it serves, then started again with the repair. Needs PyTorch as python3's.
#
#   tools/gpu_server.sh [PART...]      (default: all)
#
# Parts: startup attach applied. BOHR_VIA=preload takes the preloaded recorder.
set -uo pipefail
# shellcheck source=/dev/null
source "$(dirname "$0")/gpu_lib.bash"
begin server
: "${programs:?}" "${bohr:?}" "${out:?}" "${preloaded:?}"
port=18471

# serve NAME COMMAND...: starts it, waits until it is ready, and leaves the seconds in `started` and
# its process in `server`.
serve() {
  local name=$1 begin
  shift
  port=$((port + 1))
  begin=$EPOCHREALTIME
  "$@" $port race >"$name.log" 2>"$name.err" &
  server=$!
  for ((i = 0; i < 1200; ++i)); do
    [[ $(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:$port/ready) == 200 ]] && break
    sleep 0.05
  done
  started=$(python3 -c "print(f'{$EPOCHREALTIME - $begin:.2f}')")
}
# stopped NAME: by SIGTERM, well.
stopped() {
  local status=0
  kill -TERM "$server"
  wait "$server" || status=$?
  ok server "$1: SIGTERM ended it with $status, $(tail -n 1 "$1.log")" has 'ended well' "$1.log"
}
armed() {
  eval "$("$bohr" env -o "$1" --for shell 2>/dev/null)"
  shift
  exec "$@"
}

# Until it serves, without a recorder and with it in both ways, in turn.
startup() {
  local round plain=() cupti=() preload=()
  for round in 1 2 3; do
    serve plain python3 "$programs/server.py"
    plain+=("$started")
    kill $server && wait $server
    BOHR_VIA=cupti serve with armed "cupti.$round" python3 "$programs/server.py"
    cupti+=("$started")
    kill $server && wait $server
    BOHR_VIA=preload serve with armed "preload.$round" python3 "$programs/server.py"
    preload+=("$started")
    kill $server && wait $server
  done
  echo "      start-up plain ${plain[*]} s, by CUPTI ${cupti[*]} s, preloaded ${preload[*]} s"
}

attach() {
  local front began
  serve server armed server python3 "$programs/server.py"
  began=$SECONDS
  front=$(sed -n 's/front pid //p' server.log)
  python3 "$programs/load.py" $port 5 >before.txt
  ok server "before: $(cat before.txt)" has 'wrong 0 failed 0' before.txt
  python3 "$programs/load.py" $port 40 >during.txt &
  load=$!
  sleep 3
  "$bohr" attach "$front" --explore --fix --max-pause 0.3 --patience 8 -o attached >attached.txt 2>attached.err
  ok server "attached: $(grep -oE '[0-9]+ races? proved; .*' attached.err | tr '\n' ';')" \
    has '[1-9][0-9]* races? proved' attached.err
  ok server "a repair is verified" has '^ +verified' attached.txt
  ok server "a fix file" test -s attached/fix.json
  kill -0 $load 2>/dev/null && echo "      it was attached to for less than the load lasted"
  wait $load
  ok server "during: $(cat during.txt)" has 'wrong 0 failed 0' during.txt
  python3 "$programs/load.py" $port 5 >after.txt
  ok server "after: $(cat after.txt)" has 'wrong 0 failed 0' after.txt
  du -cb server/*.bohr | tail -n 1 | while read -r bytes _; do
    echo "      logs: $bytes bytes in $((SECONDS - began)) s of two workers"
  done
  for pid in $(pgrep -P "$front"); do
    grep -h VmRSS "/proc/$pid/status" 2>/dev/null
  done | tr '\n' ' '
  stopped server
}

applied() {
  serve alone env LD_PRELOAD="$preloaded" BOHR_APPLY="$out/attached/fix.json" \
    python3 "$programs/server.py"
  python3 "$programs/load.py" $port 5 >alone.txt
  ok server "applied: $(cat alone.txt)" has 'wrong 0 failed 0' alone.txt
  stopped alone
  ok server "$(grep -h 'applied in' alone.err | sed 's/.*: //' | tr '\n' ';')" has 'unresolved in 0' alone.err
  serve run "$bohr" run -o run --explore --launch 3 --apply attached/fix.json -- \
    python3 "$programs/server.py"
  python3 "$programs/load.py" $port 15 >run.txt
  ok server "applied and explored: $(cat run.txt)" has 'wrong 0 failed 0' run.txt
  stopped run
  ok server "$(grep -hoE 'applied in .*' run.err | tr '\n' ';')" has 'applied in' run.err
  ok server "nothing is proved: $(grep -hoE '[0-9]+ races? proved; .*' run.err | tr '\n' ';')" \
    lacks '[1-9][0-9]* races? proved' run.err
}

parts 'attach applied startup' "$@"
finish

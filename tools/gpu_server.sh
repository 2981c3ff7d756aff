#!/usr/bin/env bash
# A server with a race, under load, on this machine's GPU: armed by the lines of `bohr env`, explored
# and repaired while it serves, then started again with the repair. Needs PyTorch as python3's.
#
#   tools/gpu_server.sh [PART...]      (default: all)
#
# Parts: startup attach applied growth announced killed. BOHR_VIA=preload takes the preloaded recorder.
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
  for round in 1 2 3 4 5 6; do
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
  echo "      logs: $(bytes_of server '*.bohr') bytes in $((SECONDS - began)) s of two workers"
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

# KiB of memory that the workers of `server` have.
resident() {
  local pid
  for pid in $(pgrep -P "$server"); do sed -n 's/VmRSS:[^0-9]*//p' "/proc/$pid/status"; done |
    awk '{ sum += $1 } END { print sum + 0 }'
}
# Up to the last byte that is not zero: a log that is written to is longer than what it holds.
bytes_of() {
  find "$1" -name "$2" -exec python3 -c '
import sys
print(sum(len(open(name, "rb").read().rstrip(b"\0")) for name in sys.argv[1:]))' {} +
}

# What is kept of three minutes under load, and what two workers take of memory with a recorder and
# without. The first half minute fills what has a bound.
growth() {
  local plain recorded first second
  serve bare python3 "$programs/server.py"
  python3 "$programs/load.py" $port 20 >bare.txt
  plain=$(resident)
  stopped bare
  serve grown armed grown python3 "$programs/server.py"
  python3 "$programs/load.py" $port 20 >grown.txt
  recorded=$(resident)
  first=$(bytes_of grown '*.bohr')
  python3 "$programs/load.py" $port 185 >grown.txt
  second=$(bytes_of grown '*.bohr')
  ok server "185 s: $(cat grown.txt)" has 'wrong 0 failed 0' grown.txt
  echo "      log $first bytes, 185 s later $second: $(((second - first) * 3600 / 185 / 1024)) KiB an hour"
  echo "      recent files $(bytes_of grown '*.recent-*') bytes; two workers $plain KiB, recorded $recorded KiB"
  stopped grown
}

# From the end of a worker's captures to the race on the terminal.
announced() {
  local line
  "$bohr" run -o announced -- python3 "$programs/server.py" 18460 race 2> >(
    while IFS= read -r line; do echo "$EPOCHREALTIME $line"; done >announced.err
  ) >announced.log &
  server=$!
  for ((i = 0; i < 600; ++i)); do
    grep -q 'RACE' announced.err 2>/dev/null && break
    sleep 0.05
  done
  sleep 3
  kill -TERM "$server"
  wait "$server"
  grep -h 'captured' announced.log
  ok server "announced: $(grep -hm 1 RACE announced.err)" has RACE announced.err
}

# gone PATTERN: no such process within 20 s.
gone() {
  local i
  for ((i = 0; i < 200; ++i)); do
    pgrep -f "$1" >/dev/null || return 0
    sleep 0.1
  done
  return 1
}
# one_killed NUMBER VICTIM: a recorded server, of which the front, a worker or bohr is killed at a
# random moment. What was wrong is printed.
one_killed() {
  local name=killed.$1 port=$((18500 + $1)) status=0 victim front
  "$bohr" run -o "$name" --exit=guest -- python3 "$programs/server.py" $port race >"$name.log" 2>"$name.err" &
  local tool=$!
  sleep $((RANDOM % 8 + 1)).$((RANDOM % 10))
  front=$(sed -n 's/front pid //p' "$name.log")
  case $2 in
    bohr) victim=$tool ;;
    worker) victim=$(pgrep -P "${front:-0}" | tail -n 1) ;;
    *) victim=$front ;;
  esac
  kill -KILL "${victim:-$tool}" 2>/dev/null
  # A front goes on without a worker, and without bohr.
  front=$(sed -n 's/front pid //p' "$name.log")
  [[ $2 == front ]] || { sleep 1 && kill -TERM "$front" 2>/dev/null && sleep 4 && kill -KILL "$front" 2>/dev/null; }
  wait "$tool" 2>/dev/null
  gone "[s]erver.py $port" || echo "$name: the front stayed behind"
  python3 -c "import socket; socket.socket().bind(('127.0.0.1', $port))" || echo "$name: the port is held"
  if compgen -G "$name/*.bohr" >/dev/null; then
    "$bohr" check "$name" >"$name.txt" 2>&1 || status=$?
    ((status == 2)) && echo "$name: cannot be read: $(tail -n 1 "$name.txt")"
  fi
  echo "$name: $2 ($victim), status $status" >>killed.done
}
# 12 kills on this device, four at a time.
killed() {
  local i victims=(front bohr worker)
  rm -rf killed.*
  for ((i = 0; i < 12; ++i)); do
    one_killed $i "${victims[i % 3]}" >>killed.txt 2>&1 &
    ((i % 4 == 3)) && wait
  done
  gone '[m]ultiprocessing.spawn' || echo "a worker stayed behind" >>killed.txt
  sed -i '/ Killed /d' killed.txt  # what the shell says of bohr
  cat killed.txt
  [[ $(wc -l <killed.done) == 12 ]] || echo "not all came to their end" >>killed.txt
  ok server "$(wc -l <killed.done) kills: every log readable, no process left, no port held" test ! -s killed.txt
}

parts 'attach applied startup growth announced killed' "$@"
finish

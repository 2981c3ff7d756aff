#!/usr/bin/env bash
# shellcheck disable=SC2016  # guests and inner shells expand their own variables
# What depends on a terminal: colour, the number of entries, Ctrl-C.
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
command -v python3 >/dev/null || exit 77

write_race_case >race.case
{ # twelve mistakes, each a site of its own
  printf 'case 1\nstream main\nstream side\n'
  for i in {1..12}; do
    printf 'buffer b%s 4K\nmain: kernel write%s writes b%s\nside: kernel read%s reads b%s\n' "$i" "$i" "$i" "$i" "$i"
  done
} >many.case
mkdir lib && touch lib/libbohr_agent.so lib/libbohr_preload.so
export BOHR_VIA=cupti  # empty files cannot be preloaded
export BOHR_LIB=$PWD/lib
unset CUDA_INJECTION64_PATH NO_COLOR

cat >pty_check.py <<'END'
import os, pty, select, signal, sys, time

BOHR = os.environ["BOHR"]


def run(arguments, keys=(), environment=None):
    """Runs bohr on a terminal of its own; `keys`: (text to wait for, what to type then)."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm", **(environment or {})})
        os.execv(BOHR, [BOHR] + arguments)
    output, keys = "", list(keys)
    end = time.time() + 30
    while time.time() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            output += data.decode(errors="replace")
        if keys and keys[0][0] in output:
            os.write(terminal, keys.pop(0)[1])
    else:
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


def check(condition, what, output):
    if not condition:
        sys.exit(f"FAIL: {what}:\n{output}")


status, output = run(["check", "race.case"])
check(status == 1 and "\033[1;31mRACE FOUND" in output, "colour on a terminal", output)
status, output = run(["check", "race.case"], environment={"NO_COLOR": "1"})
check(status == 1 and "\033[" not in output, "NO_COLOR", output)
status, output = run(["check", "many.case"])
check("RACE 10 of 12" in output and "RACE 11" not in output, "at most ten", output)
check("2 more: --all" in output, "how to see the rest", output)
status, output = run(["check", "many.case", "--all"])
check("RACE 12 of 12" in output, "--all", output)

# Ctrl-C reaches the guest once each time, and a second one is not swallowed.
guest = """n=0
trap 'n=$((n + 1)); echo "got $n"; [ $n = 2 ] && exit 0' INT
echo ready
while :; do sleep 0.05; done"""
status, output = run(["run", "-o", "twice", "--", "bash", "-c", guest],
                     [("ready", b"\x03"), ("got 1", b""), ("got 1", b"\x03")])
check("got 2" in output, "the second Ctrl-C", output)
check("got 3" not in output, "each Ctrl-C once", output)
check("SIGINT passed on" in output and status == 3, f"status {status} after Ctrl-C", output)
END
python3 pty_check.py || fail 'on a terminal'
finish

# SPDX-License-Identifier: Apache-2.0
# cupy_graph.py race|clean: CuPy captures two streams, of which the second is forked before its input
# is written instead of after it.
# From parameters alone: the multiplication is the first access of `y`, so it writes. race: a finding
# of class data. clean: clean.
import sys

import cupy

N = 10_000
race = {"race": True, "clean": False}[sys.argv[1]]
main, side = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
x = cupy.arange(N, dtype=cupy.float32)  # on the default stream, which no other waits for
cupy.cuda.runtime.deviceSynchronize()
warm, y, out = (cupy.empty(N, dtype=cupy.float32) for _ in range(3))
with main:
    cupy.multiply(x, 2, out=warm)  # compiled before the capture
    cupy.add(warm, x, out=warm)
cupy.cuda.runtime.deviceSynchronize()

main.begin_capture()
if race:
    side.wait_event(main.record())
with main:
    cupy.multiply(x, 2, out=y)
if not race:
    side.wait_event(main.record())
with side:
    cupy.add(y, x, out=out)
main.wait_event(side.record())
graph = main.end_capture()
for _ in range(3):
    graph.launch(main)
main.synchronize()

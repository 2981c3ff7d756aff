# SPDX-License-Identifier: Apache-2.0
# missing_record_stream_eager.py race|clean: as missing_record_stream_captured.py, but eager, where
# record_stream is the repair: the allocator then waits with the block until the side stream is done.
# From parameters alone: the side stream's use of the old lifetime is unordered with the first
# access of the new one. race: a finding of class reuse. clean: clean under reuse, lifetime and pool.
import sys

import torch

N = 1_000_000  # no multiple of the allocator's 512 bytes: no block ends where another begins
race = {"race": True, "clean": False}[sys.argv[1]]
torch.manual_seed(0)
x = torch.randn(N, device="cuda")
k = torch.randn(N, device="cuda")
side = torch.cuda.Stream()
main = torch.cuda.current_stream()
torch.cuda.synchronize()

for _ in range(3):
    q = x * 2.0
    side.wait_stream(main)
    with torch.cuda.stream(side):
        s = q + k
    if not race:
        q.record_stream(side)
    del q
    z = x * -7.0
    main.wait_stream(side)
    del s, z
torch.cuda.synchronize()

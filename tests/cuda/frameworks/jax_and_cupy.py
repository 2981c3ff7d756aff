# SPDX-License-Identifier: Apache-2.0
# jax_and_cupy.py race|clean: XLA computes an array, on a stream of its own and by a command buffer
# where it makes one, and CuPy copies it on another stream, by its address, without waiting.
# From parameters alone: XLA's kernel is the first access of the array, and the copy an exact read.
# race: a finding. clean (everything is waited for): none.
import os
import sys

# Each array is memory of its own, of a pool whose frees wait for nothing, and short programs are
# command buffers, too.
os.environ.setdefault("XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_graph_min_graph_size=1")

import cupy
import jax
import jax.numpy as jnp

N = 10_000
race = {"race": True, "clean": False}[sys.argv[1]]
stream = cupy.cuda.Stream(non_blocking=True)
kept = cupy.empty(N, dtype=cupy.float32)


@jax.jit
def layer(x):
    return jnp.tanh(jnp.sort(x) * 2.0 + 1.0)


x = jax.block_until_ready(jnp.arange(N, dtype=jnp.float32))
jax.block_until_ready(layer(x))
for _ in range(3):
    y = layer(x)
    if not race:
        jax.block_until_ready(y)
        cupy.cuda.runtime.deviceSynchronize()
    memory = cupy.cuda.UnownedMemory(y.unsafe_buffer_pointer(), 4 * N, y)
    shown = cupy.ndarray((N,), dtype=cupy.float32, memptr=cupy.cuda.MemoryPointer(memory, 0))
    kept.data.copy_from_device_async(shown.data, 4 * N, stream)
    stream.synchronize()

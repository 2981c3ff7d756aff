// SPDX-License-Identifier: Apache-2.0
// The two small programs of `bohr demo`: one line apart.
#pragma once

namespace bohr::app {

// The block is dropped before `main` has joined the side stream that still reads it.
constexpr const char* kDemoRace = R"(case 1
stream main
stream side
pool g
buffer x 4096
buffer cache 2048
buffer out 4096

capture step on main
main: alloc qkv 4096 pool g
main: kernel qkv_gemm reads x writes qkv
main: record ready
side: wait ready
side: kernel kv_store reads qkv[2048:4096] writes cache
main: free qkv
main: alloc q 4096 pool g over qkv
main: kernel q_gemm reads x writes q
side: record done
main: wait done
main: kernel attend reads q, cache writes out
main: free q
end step
main: launch step

expect hazard WAR kv_store q_gemm on q class reuse
expect witness
)";

// The same with the block kept until after the join: its bytes are no longer there for `q`.
constexpr const char* kDemoClean = R"(case 1
stream main
stream side
pool g
buffer x 4096
buffer cache 2048
buffer out 4096

capture step on main
main: alloc qkv 4096 pool g
main: kernel qkv_gemm reads x writes qkv
main: record ready
side: wait ready
side: kernel kv_store reads qkv[2048:4096] writes cache
main: alloc q 4096 pool g
main: kernel q_gemm reads x writes q
side: record done
main: wait done
main: free qkv
main: kernel attend reads q, cache writes out
main: free q
end step
main: launch step

expect clean
)";

}  // namespace bohr::app

// SPDX-License-Identifier: Apache-2.0
// Reads the calling thread's Python frames without the GIL: extension modules release it around the
// very calls that we see. That is sound because a thread's own frames cannot change while it runs
// native code, and because nothing here takes a reference or allocates Python memory.
//
// CPython has no interface for it, so the layout of thread states, frames and code objects is taken
// from its versions 3.11, 3.12 and 3.13 and then proved on the running interpreter: calibrate(),
// called once with the GIL held, walks the frames both through the C API and raw (through reads
// that cannot fault) and leaves raw walking off when the two differ in anything.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "agent/stacks.h"

namespace bohr::agent {

// Offsets in bytes; see calibrate().
struct PythonLayout {
  ptrdiff_t thread_frame = 0;      // in the thread state: the current frame or the C frame
  ptrdiff_t c_frame_current = -1;  // in the C frame, before 3.13: the current frame
  ptrdiff_t frame_code = 0;
  ptrdiff_t frame_previous = 0;
  ptrdiff_t frame_instruction = 0;
  ptrdiff_t frame_owner = 0;
  ptrdiff_t code_instructions = 0;
  ptrdiff_t code_file = 0;
  ptrdiff_t code_name = 0;
  ptrdiff_t string_data = 0;
};

struct PythonApi {
  int (*is_initialized)() = nullptr;
  void* (*this_thread_state)() = nullptr;
  int (*gil_check)() = nullptr;
  int (*line_of)(void* code, int offset) = nullptr;
  void* code_type = nullptr;
};

struct PythonFrames {
  std::atomic<bool> usable{false};
  PythonApi api;
  PythonLayout layout;
  // String ids: frames of the shim are left out, and the function of PyTorch that calls it. 0:
  // there is no shim.
  std::atomic<uint32_t> shim_file{0};
  std::atomic<uint32_t> shim_caller{0};
};

// Appends four words for each of the calling thread's frames, innermost first: the code object, its
// file and name (so that a recycled code object is not taken for its predecessor), and the
// instruction. Nothing where frames cannot be read.
void append_python_words(Recorder& r, RawWords* words);

// The names of such frames.
void append_python_frames(Recorder& r, const RawWords& words, std::vector<FrameName>* frames);

// With the GIL held. True when raw walking is sound here.
bool calibrate_python(Recorder& r);
// Asks the interpreter, where there is one, to do so on its main thread, between two steps of the
// program: not every program that uses CUDA imports PyTorch, with which the shim starts.
void calibrate_python_soon();
// The shim's own frames, in stacks that are read from now on.
void leave_out_shim(Recorder& r, const char* shim_file);

}  // namespace bohr::agent

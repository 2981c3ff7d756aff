// SPDX-License-Identifier: Apache-2.0
// How the raw walk is proved right here: calibrate_python() finds the offsets that can be found
// (the fields of a code object by the identity of the values that its attributes give), takes the
// others from the version's layout, and compares every frame's code object and line with what the
// C API says of the same thread at the same moment. All reads of that comparison go through
// process_vm_readv, which fails instead of faulting.
#include "agent/python_frames.h"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string_view>

#include "agent/native_frames.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr int kMaxFrames = 64;
constexpr uint8_t kOwnedByNativeCode = 3;  // a marker frame of the interpreter, from 3.12
// Of every object: reference count, type. Of a type: the size of its instances' fixed part.
constexpr ptrdiff_t kObjectType = 8;
constexpr ptrdiff_t kTypeBasicSize = 32;
// Of a string: its length, and the bits that say that its data are ASCII and in place.
constexpr ptrdiff_t kStringLength = 16;
constexpr ptrdiff_t kStringState = 32;
constexpr uint32_t kCompactAscii = 1u << 5 | 1u << 6;

struct RawFrame {
  uintptr_t code = 0;
  ptrdiff_t offset = 0;  // of the instruction, bytes
};

template <class T>
T direct(uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// For calibration: fails where the address is none.
template <class T>
bool safe(uintptr_t address, T* value) {
  iovec local{value, sizeof *value};
  iovec remote{reinterpret_cast<void*>(address), sizeof *value};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
         static_cast<ssize_t>(sizeof *value);
}

struct DirectReader {
  template <class T>
  bool operator()(uintptr_t address, T* value) const {
    *value = direct<T>(address);
    return true;
  }
};
struct SafeReader {
  template <class T>
  bool operator()(uintptr_t address, T* value) const {
    return safe(address, value);
  }
};

template <class Reader>
bool first_frame(const PythonLayout& layout, uintptr_t thread, Reader read, uintptr_t* frame) {
  if (!read(thread + layout.thread_frame, frame)) return false;
  return layout.c_frame_current < 0 || !*frame || read(*frame + layout.c_frame_current, frame);
}

// Calls add(RawFrame) for up to kMaxFrames frames; false where a read failed.
template <class Reader, class Add>
bool walk(const PythonApi& api, const PythonLayout& layout, uintptr_t thread, Reader read,
          Add add) {
  uintptr_t frame = 0;
  if (!first_frame(layout, thread, read, &frame)) return false;
  for (int i = 0; frame && i < kMaxFrames; ++i) {
    uintptr_t code = 0, instruction = 0, type = 0, previous = 0;
    uint8_t owner = 0;
    if (!read(frame + layout.frame_code, &code) || !read(frame + layout.frame_owner, &owner) ||
        !read(frame + layout.frame_instruction, &instruction) ||
        !read(frame + layout.frame_previous, &previous)) {
      return false;
    }
    if (code && owner < kOwnedByNativeCode) {
      if (!read(code + kObjectType, &type)) return false;
      if (type == reinterpret_cast<uintptr_t>(api.code_type)) {
        const uintptr_t begin = code + static_cast<uintptr_t>(layout.code_instructions);
        add(RawFrame{code, static_cast<ptrdiff_t>(instruction - begin)});
      }
    }
    frame = previous;
  }
  return true;
}

std::string_view text_of(const PythonLayout& layout, uintptr_t string) {
  const uint32_t state = direct<uint32_t>(string + kStringState);
  if ((state & kCompactAscii) != kCompactAscii) return "?";
  return {reinterpret_cast<const char*>(string + layout.string_data),
          static_cast<size_t>(direct<ptrdiff_t>(string + kStringLength))};
}

template <class Function>
bool find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

// The part of the C API that calibration compares with; all of it needs the GIL.
struct Reference {
  void* (*get_frame)() = nullptr;
  void* (*frame_code)(void*) = nullptr;
  void* (*frame_back)(void*) = nullptr;
  int (*frame_line)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*utf8)(void*) = nullptr;
  void (*release)(void*) = nullptr;
  void (*clear_error)() = nullptr;
  bool load() {
    return find("PyEval_GetFrame", &get_frame) && find("PyFrame_GetCode", &frame_code) &&
           find("PyFrame_GetBack", &frame_back) && find("PyFrame_GetLineNumber", &frame_line) &&
           find("PyObject_GetAttrString", &attribute) && find("PyUnicode_AsUTF8", &utf8) &&
           find("Py_DecRef", &release) && find("PyErr_Clear", &clear_error);
  }
};

bool load_api(PythonApi* api) {
  return find("Py_IsInitialized", &api->is_initialized) &&
         find("PyGILState_GetThisThreadState", &api->this_thread_state) &&
         find("PyGILState_Check", &api->gil_check) && find("PyCode_Addr2Line", &api->line_of) &&
         find("PyCode_Type", &api->code_type);
}

// False for versions whose layout is not known.
bool version_layout(PythonLayout* layout) {
  const unsigned long* version = nullptr;
  if (!find("Py_Version", &version)) return false;
  switch (*version >> 16) {
    case 0x030b:
      *layout = {.thread_frame = 56,
                 .c_frame_current = 8,
                 .frame_code = 32,
                 .frame_previous = 48,
                 .frame_instruction = 56,
                 .frame_owner = 69};
      return true;
    case 0x030c:
      *layout = {.thread_frame = 56,
                 .c_frame_current = 0,
                 .frame_code = 0,
                 .frame_previous = 8,
                 .frame_instruction = 56,
                 .frame_owner = 70};
      return true;
    case 0x030d:
      *layout = {.thread_frame = 72,
                 .c_frame_current = -1,
                 .frame_code = 0,
                 .frame_previous = 8,
                 .frame_instruction = 56,
                 .frame_owner = 70};
      return true;
    default:
      return false;
  }
}

// Where in a code object the value of an attribute stands; the last place, since `co_name` may be
// the same object as `co_qualname` and comes first.
bool find_field(const Reference& api, void* code, const char* attribute, ptrdiff_t size,
                ptrdiff_t* field) {
  void* value = api.attribute(code, attribute);
  if (!value) {
    api.clear_error();
    return false;
  }
  bool found = false;
  for (ptrdiff_t at = 16; at + 8 <= size; at += 8) {
    if (direct<void*>(reinterpret_cast<uintptr_t>(code) + static_cast<uintptr_t>(at)) == value) {
      *field = at;
      found = true;
    }
  }
  api.release(value);
  return found;
}

bool find_fields(const Reference& api, void* code, const PythonApi& python, PythonLayout* layout) {
  const auto size =
      direct<ptrdiff_t>(reinterpret_cast<uintptr_t>(python.code_type) + kTypeBasicSize);
  if (size < 64 || size > 1024) return false;
  layout->code_instructions = size;
  void* file = api.attribute(code, "co_filename");
  const char* data = file ? api.utf8(file) : nullptr;
  if (data) layout->string_data = data - static_cast<const char*>(file);
  if (file) api.release(file);
  return data && (layout->string_data == 40 || layout->string_data == 48) &&
         find_field(api, code, "co_filename", size, &layout->code_file) &&
         find_field(api, code, "co_qualname", size, &layout->code_name);
}

// The frames as the C API sees them, against the raw walk.
bool agrees(const Reference& api, const PythonApi& python, const PythonLayout& layout) {
  std::vector<RawFrame> raw;
  const auto thread = reinterpret_cast<uintptr_t>(python.this_thread_state());
  const auto add = [&raw](const RawFrame& f) { raw.push_back(f); };
  if (!thread || !walk(python, layout, thread, SafeReader(), add)) return false;
  void* frame = api.get_frame();
  size_t i = 0;
  bool same = frame != nullptr;
  bool owned = false;
  while (frame && same && i < static_cast<size_t>(kMaxFrames)) {
    void* code = api.frame_code(frame);
    same = i < raw.size() && raw[i].code == reinterpret_cast<uintptr_t>(code) &&
           python.line_of(code, static_cast<int>(raw[i].offset)) == api.frame_line(frame);
    api.release(code);
    void* back = api.frame_back(frame);
    if (owned) api.release(frame);
    owned = true;
    frame = back;
    ++i;
  }
  if (frame && owned) api.release(frame);
  return same && (i == raw.size() || i == static_cast<size_t>(kMaxFrames));
}

}  // namespace

void append_python_words(Recorder& r, RawWords* words) {
  if (!r.python.usable.load(std::memory_order_acquire)) return;
  const PythonApi& api = r.python.api;
  const PythonLayout& layout = r.python.layout;
  if (!api.is_initialized()) return;
  const auto thread = reinterpret_cast<uintptr_t>(api.this_thread_state());
  if (!thread) return;
  walk(api, layout, thread, DirectReader(), [&](const RawFrame& frame) {
    words->push_back(frame.code);
    words->push_back(direct<uintptr_t>(frame.code + layout.code_file));
    words->push_back(direct<uintptr_t>(frame.code + layout.code_name));
    words->push_back(static_cast<uintptr_t>(frame.offset));
  });
}

void append_python_frames(Recorder& r, const RawWords& words, std::vector<FrameName>* frames) {
  const PythonLayout& layout = r.python.layout;
  for (size_t i = 0; i + 4 <= words.size(); i += 4) {
    FrameName name;
    name.python = true;
    name.file = r.log->text(text_of(layout, words[i + 1])).id;
    name.function = r.log->text(text_of(layout, words[i + 2])).id;
    const bool has_shim = r.python.shim_file != 0;
    if (has_shim && name.file == r.python.shim_file) continue;
    if (has_shim && i == 0 && name.function == r.python.shim_caller) continue;
    const int line = r.python.api.line_of(reinterpret_cast<void*>(words[i]),
                                          static_cast<int>(static_cast<intptr_t>(words[i + 3])));
    name.line = line > 0 ? static_cast<uint32_t>(line) : 0;
    frames->push_back(name);
  }
}

bool calibrate_python(Recorder& r) {
  if (r.python.usable.load()) return true;
  Reference reference;
  PythonApi api;
  PythonLayout layout;
  if (!reference.load() || !load_api(&api) || !version_layout(&layout) || !api.gil_check()) {
    return false;
  }
  void* frame = reference.get_frame();
  if (!frame) return false;
  void* code = reference.frame_code(frame);
  const bool fields = find_fields(reference, code, api, &layout);
  reference.release(code);
  if (!fields || !agrees(reference, api, layout)) return false;
  r.python.api = api;
  r.python.layout = layout;
  find_interpreter();
  r.python.usable.store(true, std::memory_order_release);
  return true;
}

void calibrate_python_soon() {
  using IsInitialized = int (*)();
  using AddPendingCall = int (*)(int (*)(void*), void*);
  const auto begun = reinterpret_cast<IsInitialized>(dlsym(RTLD_DEFAULT, "Py_IsInitialized"));
  const auto add = reinterpret_cast<AddPendingCall>(dlsym(RTLD_DEFAULT, "Py_AddPendingCall"));
  if (!begun || !add || !begun()) return;
  const auto calibrate = [](void*) {
    Recorder* r = recorder();
    try {
      if (r && r->recording.load()) calibrate_python(*r);
    } catch (const std::bad_alloc&) {
      stop_recording(*r, "the recorder ran out of memory");
    }
    return 0;
  };
  add(calibrate, nullptr);  // where too many calls wait already, stacks are those of native code
}

void leave_out_shim(Recorder& r, const char* shim_file) {
  r.python.shim_file = r.log->text(shim_file).id;
  r.python.shim_caller = r.log->text("CallbackRegistry.fire_callbacks").id;
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// How the wrappers get between a program and the driver, in a library that is named in LD_PRELOAD.
//
// Programs find the driver's functions in three ways, and the CUDA runtime, in whatever library it
// is linked into, takes the first and then the second: dlsym() for cuGetProcAddress, that for all
// others, and linking against libcuda.so.1. So dlsym and the functions that matter are defined
// here; being preloaded, these definitions are found first.
//
// dlsym's own meaning of RTLD_NEXT is "behind the library that asks", which it knows by its return
// address. What is not ours is therefore handed on by a tail call.
#include <dlfcn.h>

#include <atomic>
#include <initializer_list>

#include "agent/preload/route.h"
#include "agent/preload/words.h"

#define BOHR_PRELOADED extern "C" __attribute__((visibility("default")))

namespace bohr::agent {
namespace {

using Dlsym = void* (*)(void* library, const char* name);

// The C library's, which is behind ours in every lookup. Its versions: x86-64, aarch64, and where
// it moved in glibc 2.34.
Dlsym find_dlsym() {
  for (const char* version : {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"})
    if (void* found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<Dlsym>(found);
  return nullptr;
}

Dlsym real_dlsym() {
  static std::atomic<Dlsym> known{nullptr};
  Dlsym real = known.load(std::memory_order_relaxed);
  if (!real) known.store(real = find_dlsym(), std::memory_order_relaxed);
  return real;
}

// Takes as many words as whoever calls it has: it looks at none.
Word no_driver() { return 3; }  // CUDA_ERROR_NOT_INITIALIZED

// For programs that are linked against the driver. What a wrapper calls meanwhile goes to the
// driver itself, and is not what the program gets later.
template <class Call>
Call linked(std::atomic<void*>* known, const char* name) {
  if (void* call = known->load(std::memory_order_acquire)) return reinterpret_cast<Call>(call);
  void* call = linked_function(name);
  if (!call) {
    call = reinterpret_cast<void*>(no_driver);
  } else if (!is_inside()) {
    known->store(call, std::memory_order_release);
  }
  return reinterpret_cast<Call>(call);
}

}  // namespace

void* real_lookup(void* library, const char* name) { return real_dlsym()(library, name); }

}  // namespace bohr::agent

BOHR_PRELOADED void* bohr_dlsym(void* library, const char* name) asm("dlsym");
BOHR_PRELOADED void* bohr_dlsym(void* library, const char* name) {
  using namespace bohr::agent;
  // Another library that is between the program and the driver looks for what is behind it.
  if (library != RTLD_NEXT && is_of_interest(name))
    return handed_out(name, real_dlsym()(library, name), {});
  return real_dlsym()(library, name);
}

// The header declares these with their own types, so they get their names as labels.
using bohr::agent::Word;
#define BOHR_LINKED_SHORT(name)                                                        \
  BOHR_PRELOADED Word bohr_##name(Word, Word, Word, Word, Word, Word) asm(#name);      \
  BOHR_PRELOADED Word bohr_##name(Word a, Word b, Word c, Word d, Word e, Word f) {    \
    static std::atomic<void*> known{nullptr};                                          \
    return bohr::agent::linked<bohr::agent::AnyCall>(&known, #name)(a, b, c, d, e, f); \
  }
#define BOHR_LINKED_LONG(name)                                                                     \
  BOHR_PRELOADED Word bohr_##name(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,      \
                                  Word, Word, Word, Word, Word, Word) asm(#name);                  \
  BOHR_PRELOADED Word bohr_##name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h,  \
                                  Word i, Word j, Word k, Word l, Word m, Word n, Word o,          \
                                  Word p) {                                                        \
    static std::atomic<void*> known{nullptr};                                                      \
    return bohr::agent::linked<bohr::agent::AnyLongCall>(&known, #name)(a, b, c, d, e, f, g, h, i, \
                                                                        j, k, l, m, n, o, p);      \
  }
#include "agent/linked_names.inc"

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

#include "agent/alone/hooks.h"

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

Word no_driver(Word, Word, Word, Word, Word, Word) { return 3; }  // CUDA_ERROR_NOT_INITIALIZED

// For programs that are linked against the driver.
AnyCall linked(std::atomic<AnyCall>* known, const char* name) {
  if (const AnyCall call = known->load(std::memory_order_acquire)) return call;
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* real = library ? real_dlsym()(library, name) : nullptr;
  if (!real) return no_driver;
  // Ours calls the driver's while it is inside, and so do wrappers of other ways to the same.
  const AnyCall call = reinterpret_cast<AnyCall>(hooked(name, real));
  if (!inside_hook()) known->store(call, std::memory_order_release);
  return call;
}

}  // namespace
}  // namespace bohr::agent

BOHR_PRELOADED void* bohr_dlsym(void* library, const char* name) asm("dlsym");
BOHR_PRELOADED void* bohr_dlsym(void* library, const char* name) {
  using namespace bohr::agent;
  if (is_of_interest(name)) return hooked(name, real_dlsym()(library, name));
  return real_dlsym()(library, name);
}

// The header declares these with their own types, so they get their names as labels.
#define BOHR_LINKED(name)                                                                        \
  BOHR_PRELOADED bohr::agent::Word bohr_##name(bohr::agent::Word, bohr::agent::Word,             \
                                               bohr::agent::Word, bohr::agent::Word,             \
                                               bohr::agent::Word, bohr::agent::Word) asm(#name); \
  BOHR_PRELOADED bohr::agent::Word bohr_##name(bohr::agent::Word a, bohr::agent::Word b,         \
                                               bohr::agent::Word c, bohr::agent::Word d,         \
                                               bohr::agent::Word e, bohr::agent::Word f) {       \
    static std::atomic<bohr::agent::AnyCall> known{nullptr};                                     \
    return bohr::agent::linked(&known, #name)(a, b, c, d, e, f);                                 \
  }

// cmake/agent/apply_exports.map names the same.
BOHR_LINKED(cuGetProcAddress)
BOHR_LINKED(cuGetProcAddress_v2)
BOHR_LINKED(cuStreamEndCapture)
BOHR_LINKED(cuStreamEndCapture_ptsz)
BOHR_LINKED(cuGraphInstantiate)
BOHR_LINKED(cuGraphInstantiate_v2)
BOHR_LINKED(cuGraphInstantiateWithFlags)
BOHR_LINKED(cuGraphInstantiateWithParams)
BOHR_LINKED(cuGraphInstantiateWithParams_ptsz)
BOHR_LINKED(cuGraphExecUpdate)
BOHR_LINKED(cuGraphExecUpdate_v2)
BOHR_LINKED(cuGraphAddDependencies)
BOHR_LINKED(cuGraphAddDependencies_v2)
BOHR_LINKED(cuGraphRemoveDependencies)
BOHR_LINKED(cuGraphRemoveDependencies_v2)
BOHR_LINKED(cuGraphKernelNodeSetParams)
BOHR_LINKED(cuGraphKernelNodeSetParams_v2)
BOHR_LINKED(cuGraphMemcpyNodeSetParams)
BOHR_LINKED(cuGraphMemsetNodeSetParams)
BOHR_LINKED(cuGraphNodeSetParams)
BOHR_LINKED(cuGraphDestroy)
BOHR_LINKED(cuGraphLaunch)
BOHR_LINKED(cuGraphLaunch_ptsz)

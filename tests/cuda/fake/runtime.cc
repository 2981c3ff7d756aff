// SPDX-License-Identifier: Apache-2.0
// Linked into a program, gives it the driver's functions as the CUDA runtime has them: looked up in
// the mapped driver when they are first used, by dlsym (LOOKUP=dlsym), or by cuGetProcAddress for
// the version of CUDA that it was built with (LOOKUP_VERSION: another).
#include <cuda.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Word = uint64_t;
using Get = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);

void* driver() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library;
}

// Without its version. One name is another since CUDA 12.
std::string name_of(std::string symbol) {
  const size_t version = symbol.find("_v2");
  if (version != std::string::npos) symbol.erase(version, 3);
  return symbol == "cuGraphInstantiateWithFlags" ? "cuGraphInstantiate" : symbol;
}

int version() {
  const char* other = std::getenv("LOOKUP_VERSION");
  return other ? std::atoi(other) : CUDA_VERSION;
}

void* look_up(const char* symbol) {
  const char* way = std::getenv("LOOKUP");
  if (way && !std::strcmp(way, "dlsym")) return dlsym(driver(), symbol);
  static const auto first = reinterpret_cast<Get>(dlsym(driver(), "cuGetProcAddress_v2"));
  static const auto get = [] {
    void* found = nullptr;
    first("cuGetProcAddress", &found, version(), CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    return reinterpret_cast<Get>(found);
  }();
  void* found = nullptr;
  get(name_of(symbol).c_str(), &found, version(), CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
  // What the stand-in's own list lacks.
  return found ? found : dlsym(driver(), symbol);
}

template <class... Words>
Word call(void* function, Words... words) {
  return reinterpret_cast<Word (*)(Words...)>(function)(words...);
}

}  // namespace

#define BOHR_LINKED_SHORT(name)                                                \
  extern "C" Word own_##name(Word, Word, Word, Word, Word, Word) asm(#name);   \
  extern "C" Word own_##name(Word a, Word b, Word c, Word d, Word e, Word f) { \
    static void* const function = look_up(#name);                              \
    return call(function, a, b, c, d, e, f);                                   \
  }
#define BOHR_LINKED_LONG(name)                                                                 \
  extern "C" Word own_##name(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, \
                             Word, Word, Word, Word, Word) asm(#name);                         \
  extern "C" Word own_##name(Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h,   \
                             Word i, Word j, Word k, Word l, Word m, Word n, Word o, Word p) { \
    static void* const function = look_up(#name);                                              \
    return call(function, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);                     \
  }
#include "agent/linked_names.inc"

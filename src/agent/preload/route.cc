// SPDX-License-Identifier: Apache-2.0
#include "agent/preload/route.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "agent/environment.h"
#include "agent/gate.h"
#include "agent/life.h"
#include "agent/preload/newer.h"
#include "agent/preload/repairs.h"

namespace bohr::agent {
namespace {

enum class Purpose { nothing, records, repairs };

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

// Decided once: what was handed out stays with the program.
Purpose purpose() {
  static const Purpose decided = is_set(kDirVariable)     ? Purpose::records
                                 : is_set(kApplyVariable) ? Purpose::repairs
                                                          : Purpose::nothing;
  return decided;
}

// Null while the driver is not mapped.
void* exported(const char* symbol) {
  static std::atomic<void*> mapped{nullptr};
  void* library = mapped.load(std::memory_order_relaxed);
  if (!library) mapped.store(library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD));
  return library ? real_lookup(library, symbol) : nullptr;
}

constexpr Way kByWrappers{[](Recorder&, std::string*) { return true; },
                          [](Recorder&, std::string*) { return true; }, report_counted};

std::atomic<CUresult (*)(unsigned)> real_init{nullptr};

// The program's first call of the driver.
CUresult initialise(unsigned flags) {
  const CUresult result = real_init.load()(flags);
  static std::atomic<bool> armed{false};
  if (result != CUDA_SUCCESS || armed.exchange(true)) return result;
  const Inside guard(thread_calls());
  try {
    arm(kByWrappers);
  } catch (...) {
    // Nothing is recorded: the program runs as if the library were not there.
  }
  return result;
}

// cuGetProcAddress has two versions; the second takes one parameter more.
using Find = CUresult (*)(const char* name, void** found, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status);
std::atomic<Find> real_find[2];

template <int version>
CUresult find(const char* name, void** found, int asked, cuuint64_t flags,
              CUdriverProcAddressQueryResult* status) {
  const CUresult result = real_find[version].load()(name, found, asked, flags, status);
  if (result != CUDA_SUCCESS || !found || !*found) return result;
  const bool per_thread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  *found = handed_out(name, *found, {asked, per_thread});
  return result;
}

void* finder(void* real) {
  const auto function = reinterpret_cast<Find>(real);
  const std::pair<Find, std::atomic<Find>*> wrappers[] = {{find<0>, &real_find[0]},
                                                          {find<1>, &real_find[1]}};
  for (const auto& [wrapper, known] : wrappers) {
    if (function == wrapper) return real;
    Find before = nullptr;
    if (known->compare_exchange_strong(before, function) || before == function)
      return reinterpret_cast<void*>(wrapper);
  }
  return real;
}

void* initialiser(void* real) {
  const auto function = reinterpret_cast<CUresult (*)(unsigned)>(real);
  CUresult (*before)(unsigned) = nullptr;
  if (function != initialise) real_init.compare_exchange_strong(before, function);
  return reinterpret_cast<void*>(initialise);
}

// Other libraries have names that begin as the driver's do.
bool is_of_driver(const void* real) {
  const void* init = exported("cuInit");
  return init && same_library(init, real);
}

bool is_finder(const char* name) { return std::strncmp(name, "cuGetProcAddress", 16) == 0; }

}  // namespace

bool is_inside() { return thread_calls().inside; }

bool is_of_interest(const char* name) {
  if (purpose() == Purpose::nothing || !name || std::strncmp(name, "cu", 2) != 0) return false;
  if (purpose() == Purpose::repairs) return is_finder(name) || is_repaired(name);
  return name[2] >= 'A' && name[2] <= 'Z';
}

void* handed_out(const char* name, void* real, const Asked& asked) {
  if (!real || is_inside() || !is_of_interest(name)) return real;
  if (is_finder(name)) return finder(real);
  if (purpose() == Purpose::repairs) return repairing(name, real);
  if (std::strcmp(name, "cuInit") == 0) return initialiser(real);
  void* wrapper = wrapped(name, real, asked, exported);
  if (wrapper != real || !is_of_driver(real)) return wrapper;
  // A function that is not known, or a version of one that is.
  const bool newer = !is_known(name) || (is_wrapped(name) && asked.version > CUDA_VERSION);
  return newer ? counted(name, real) : real;
}

void* linked_function(const char* name) {
  void* real = exported(name);
  return real ? handed_out(name, real, {}) : nullptr;
}

}  // namespace bohr::agent

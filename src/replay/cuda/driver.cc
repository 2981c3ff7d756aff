// SPDX-License-Identifier: Apache-2.0
#include "replay/cuda/driver.h"

#include <dlfcn.h>

namespace bohr::replay::cuda {

bool load(void* handle, Driver* driver, std::string* missing) {
  const auto find = [&](const char* name, auto* function) {
    *reinterpret_cast<void**>(function) = dlsym(handle, name);
    if (*function == nullptr && missing->empty()) *missing = name;
  };
  missing->clear();
#define X(name) find(#name, &driver->name);
  BOHR_REPLAY_FUNCTIONS(X)
#undef X
  return missing->empty();
}

std::string name_of(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  if (driver.cuGetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return "CUDA error " + std::to_string(static_cast<int>(result));
}

}  // namespace bohr::replay::cuda

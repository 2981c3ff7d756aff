// SPDX-License-Identifier: Apache-2.0
// How the CUDA runtime finds the stand-in driver's functions: by name and version. Addresses are
// the library's own, whatever else defines the names (it is linked with -Bsymbolic-functions).
#include <string_view>
#include <utility>

#include "fake.h"

extern "C" {

CUresult cuGetProcAddress_v2(const char* symbol, void** found, int, cuuint64_t,
                             CUdriverProcAddressQueryResult*) {
  // Of each name the newest version.
  const std::pair<std::string_view, void*> known[] = {
      {"cuGetProcAddress", reinterpret_cast<void*>(&cuGetProcAddress_v2)},
      {"cuStreamEndCapture", reinterpret_cast<void*>(&cuStreamEndCapture)},
      {"cuGraphInstantiate", reinterpret_cast<void*>(&cuGraphInstantiateWithFlags)},
      {"cuGraphLaunch", reinterpret_cast<void*>(&cuGraphLaunch)},
  };
  for (const auto& [name, function] : known)
    if (name == symbol) return *found = function, CUDA_SUCCESS;
  return *found = nullptr, CUDA_ERROR_NOT_FOUND;
}
}

// SPDX-License-Identifier: Apache-2.0
#include "agent/driver.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <vector>

#include "agent/environment.h"

namespace bohr::agent {
namespace {

constexpr const char* kCuptiNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

// Folders of the toolkit that may hold CUPTI, in the order in which they are tried.
std::vector<std::string> toolkit_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root && *root) folders.emplace_back(root);
  }
  folders.emplace_back("/usr/local/cuda");
  std::vector<std::string> result;
  for (const std::string& root : folders) {
    for (const char* below : {"/extras/CUPTI/lib64", "/lib64", "/lib", "/targets/x86_64-linux/lib",
                              "/targets/sbsa-linux/lib"}) {
      result.push_back(root + below);
    }
  }
  return result;
}

// Folders of wheels: nvidia/cu13/lib holds all libraries, nvidia/cuda_runtime/lib has a sibling
// nvidia/cuda_cupti/lib.
std::vector<std::string> wheel_folders() {
  std::vector<std::string> folders;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const std::string path = info->dlpi_name ? info->dlpi_name : "";
        const size_t name = path.rfind("/libcudart.so");
        if (name == std::string::npos) return 0;
        auto* out = static_cast<std::vector<std::string>*>(data);
        out->push_back(path.substr(0, name));
        out->push_back(path.substr(0, name) + "/../../cuda_cupti/lib");
        return 0;
      },
      &folders);
  return folders;
}

void* open_cupti() {
  for (const char* name : kCuptiNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  }
  if (const char* path = std::getenv(kCuptiVariable); path && *path) {
    if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  for (const char* name : kCuptiNames) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  for (const std::vector<std::string>& folders : {wheel_folders(), toolkit_folders()}) {
    for (const std::string& folder : folders) {
      for (const char* name : kCuptiNames) {
        const std::string path = folder + "/" + name;
        if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
      }
    }
  }
  return nullptr;
}

}  // namespace

bool load_driver(Driver* driver, std::string* why) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    *why = "libcuda.so.1 is not mapped in this process";
    return false;
  }
#define X(name) find(library, #name, &driver->name);
  BOHR_DRIVER_FUNCTIONS(X)
#undef X
  if (!driver->cuGraphGetEdges_v2 || !driver->cuFuncGetParamInfo ||
      !driver->cuStreamGetCaptureInfo_v3 || !driver->cuGraphKernelNodeGetParams_v2) {
    *why = "the driver is older than CUDA 12.4";
    return false;
  }
  return true;
}

bool load_cupti(Cupti* cupti, std::string* why) {
  void* library = open_cupti();
  if (!library) {
    *why = "no libcupti.so.13 or .12 was found; set BOHR_CUPTI to its path";
    return false;
  }
  const bool found = find(library, "cuptiSubscribe", &cupti->cuptiSubscribe) &&
                     find(library, "cuptiUnsubscribe", &cupti->cuptiUnsubscribe) &&
                     find(library, "cuptiEnableCallback", &cupti->cuptiEnableCallback) &&
                     find(library, "cuptiGetResultString", &cupti->cuptiGetResultString) &&
                     find(library, "cuptiGetVersion", &cupti->cuptiGetVersion);
  if (!found) *why = "the mapped libcupti lacks functions that every version has";
  return found;
}

}  // namespace bohr::agent

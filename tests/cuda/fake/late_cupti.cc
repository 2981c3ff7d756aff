// SPDX-License-Identifier: Apache-2.0
// For a stand-in driver that does not bring CUPTI along, as the real one does not: what it
// announces goes to the stand-in for CUPTI that the agent has mapped by then, wherever that lies.
#include <dlfcn.h>
#include <link.h>

#include <string>

#include "fake.h"

namespace {

std::string mapped_cupti() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const std::string name = info->dlpi_name ? info->dlpi_name : "";
        if (name.find("/libcupti.so") == std::string::npos) return 0;
        *static_cast<std::string*>(data) = name;
        return 1;
      },
      &path);
  return path;
}

}  // namespace

extern "C" void fake_fire(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  static const auto fire = [] {
    const std::string path = mapped_cupti();
    void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    return library ? reinterpret_cast<decltype(&fake_fire)>(dlsym(library, "fake_fire")) : nullptr;
  }();
  if (fire) fire(domain, id, data);
}

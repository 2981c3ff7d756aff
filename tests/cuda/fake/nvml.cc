// SPDX-License-Identifier: Apache-2.0
// A stand-in for libnvidia-ml: one GPU on the bus of the stand-in driver's, 256 MiB of it free.
#include <cstring>

namespace {
int device;
}

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** handle) {
  *handle = &device;
  return std::strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetMemoryInfo(void* handle, unsigned long long* memory) {
  if (handle != &device) return 2;
  memory[0] = 1ULL << 30, memory[1] = 256ULL << 20, memory[2] = memory[0] - memory[1];
  return 0;
}
}

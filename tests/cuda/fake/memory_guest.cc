// SPDX-License-Identifier: Apache-2.0
// The program under test for kinds of memory, by the arm that it is named: memory with two
// addresses
// (`alias`), a driver's pool (`early`, `late`, `other_stream`), and a pool of its own that writes
// RMM's log beside it (`rmm`, to the file named by the third word). The second word says `race` or
// `clean`: in the latter the streams wait for each other.
#include <cuda.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <string>

extern "C" CUfunction fake_function(const char* name, size_t parameters);

namespace {

constexpr size_t kBytes = 1 << 20;

bool clean = false;
CUstream first, second;

void order(CUstream from, CUstream to) {
  CUevent event;
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cuEventRecord(event, from);
  cuStreamWaitEvent(to, event, 0);
}

CUdeviceptr show(CUmemGenericAllocationHandle handle) {
  CUdeviceptr address = 0;
  cuMemAddressReserve(&address, kBytes, 0, 0, 0);
  cuMemMap(address, kBytes, 0, handle, 0);
  return address;
}

void alias() {
  CUmemGenericAllocationHandle handle = 0;
  CUmemAllocationProp properties = {};
  cuMemCreate(&handle, kBytes, &properties, 0);
  const CUdeviceptr here = show(handle), there = show(handle);
  cuMemRelease(handle);
  cuMemsetD8Async(here + 64, 1, 64, first);
  if (clean) order(first, second);
  cuMemsetD8Async(there + 96, 2, 64, second);
  cuCtxSynchronize();
  cuMemUnmap(here, kBytes);
  cuMemUnmap(there, kBytes);
}

void early() {
  CUdeviceptr memory = 0;
  cuMemAllocAsync(&memory, kBytes, first);
  if (clean) order(first, second);
  cuMemsetD8Async(memory, 1, 64, second);
  cuCtxSynchronize();
  cuMemFreeAsync(memory, first);
}

void late() {
  CUdeviceptr memory = 0;
  cuMemAllocAsync(&memory, kBytes, first);
  order(first, second);
  cuMemsetD8Async(memory, 1, 64, second);
  if (clean) order(second, first);
  cuMemFreeAsync(memory, first);
}

// Freed by one stream and handed out to another, which waits by itself or by the driver's doing.
void other_stream() {
  CUdeviceptr memory = 0;
  cuMemAllocAsync(&memory, kBytes, first);
  cuMemsetD8Async(memory, 1, 64, first);
  cuMemFreeAsync(memory, first);
  if (clean) order(first, second);
  cuMemAllocAsync(&memory, kBytes, second);
  cuMemsetD8Async(memory, 2, 64, second);
}

// --- a pool as RMM's adaptor logs it

FILE* log_file = nullptr;

void note(const char* action, CUdeviceptr pointer, CUstream stream) {
  timeval now;
  gettimeofday(&now, nullptr);
  const tm* const local = localtime(&now.tv_sec);
  std::fprintf(log_file, "%d,%02d:%02d:%02d.%06ld,%s,0x%llx,%zu,%p\n", getpid(), local->tm_hour,
               local->tm_min, local->tm_sec, now.tv_usec, action, pointer, size_t{4096},
               static_cast<void*>(stream));
}
void later(const char* action, CUdeviceptr pointer, CUstream stream) {
  usleep(5000);
  note(action, pointer, stream);
}

void run(CUdeviceptr a, CUdeviceptr b, CUstream stream) {
  CUfunction function = fake_function("_Z4stepPfS_", 2);
  void* params[] = {&a, &b};
  cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
}

// In each round a block is dropped and handed out again while the side stream still reads it.
void rmm(const char* path) {
  log_file = std::fopen(path, "w");
  std::fprintf(log_file, "Thread,Time,Action,Pointer,Size,Stream\n");
  CUdeviceptr segment = 0;
  cuMemAlloc_v2(&segment, kBytes);
  const CUdeviceptr x = segment, y = segment + 8192, z = segment + 16384;
  later("allocate", x, first);
  for (int round = 0; round < 3; ++round) {
    later("allocate", y, first);
    run(x, y, first);
    order(first, second);
    later("allocate", z, second);
    run(y, z, second);
    if (clean) order(second, first);
    later("free", y, first);
    later("allocate", y, first);
    run(x, y, first);
    order(second, first);
    later("free", y, first);
    later("free", z, second);
  }
  later("free", x, first);
  // Ones that are used at once and dropped at once show how exact the times are.
  for (int i = 0; i < 20; ++i) {
    const CUdeviceptr own = z + (i + 1) * 8192;
    note("allocate", own, first);
    run(own, own, first);
    note("free", own, first);
  }
  usleep(5000);
  cuCtxSynchronize();
  std::fclose(log_file);
  cuMemFree_v2(segment);
}

}  // namespace

int main(int count, char** words) {
  const std::string arm = count > 1 ? words[1] : "";
  clean = count > 2 && std::string(words[2]) == "clean";
  cuInit(0);
  cuStreamCreate(&first, CU_STREAM_NON_BLOCKING);
  cuStreamCreate(&second, CU_STREAM_NON_BLOCKING);
  if (arm == "alias") alias();
  if (arm == "early") early();
  if (arm == "late") late();
  if (arm == "other_stream") other_stream();
  if (arm == "rmm" && count > 3) rmm(words[3]);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// A program that does what daemons, servers and sandboxes do to their own process once CUDA has
// started, and then works on until a log has to grow several times. Its own file must stay its own.
//
//   odd_guest ARM FOLDER    ARM: plain, close, gone (its log's folder is out of reach, too),
//   chroot,
//                           user, fsize, nofile, as, newer
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "fake.h"

extern "C" CUfunction fake_function(const char* name, size_t parameters);

namespace {

constexpr int kSteps = 120'000;
constexpr const char* kOwn = "what the program wrote into its own file";

bool limit(decltype(RLIMIT_AS) kind, rlim_t value) {
  const rlimit limits{value, value};
  return setrlimit(kind, &limits) == 0;
}

rlim_t mapped_bytes() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file && std::fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file) std::fclose(file);
  return pages * static_cast<unsigned long>(sysconf(_SC_PAGESIZE));
}

bool leave_root(const std::string& folder) {
  return chdir(folder.c_str()) == 0 && chroot(".") == 0;
}

// Files of the program get the numbers of those that it closed.
std::vector<int> close_all(const std::string& folder) {
  for (int file = 3; file < 256; ++file) close(file);
  std::vector<int> own;
  for (int i = 0; i < 16; ++i) {
    own.push_back(open((folder + "/own" + std::to_string(i)).c_str(), O_RDWR | O_CREAT, 0600));
    if (own.back() < 0 || write(own.back(), kOwn, std::strlen(kOwn)) < 0) own.clear();
  }
  return own;
}

bool still_own(const std::vector<int>& files) {
  for (int file : files) {
    char text[256] = "";
    if (pread(file, text, sizeof text, 0) != static_cast<ssize_t>(std::strlen(kOwn))) return false;
    if (std::strcmp(text, kOwn) != 0) return false;
  }
  return true;
}

// What a driver announces that is newer than everybody.
void call_of_the_future() {
  const auto fire = reinterpret_cast<decltype(&fake_fire)>(dlsym(RTLD_DEFAULT, "fake_fire"));
  CUpti_CallbackData data = {};
  CUresult result = CUDA_SUCCESS;
  for (CUpti_CallbackId id : {CUPTI_DRIVER_TRACE_CBID_SIZE + 7u, 5000u, 2'000'000'000u}) {
    data.functionName = "cuFutureThing";
    data.functionReturnValue = &result;
    for (CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
      data.callbackSite = site;
      fire(CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
      fire(CUPTI_CB_DOMAIN_RESOURCE, id, &data);
      fire(static_cast<CUpti_CallbackDomain>(99), id, &data);
    }
  }
}

void work() {
  CUfunction produce = fake_function("_Z7producePfm", 2);
  CUstream stream;
  CUdeviceptr p, size = 4000;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuMemAlloc_v2(&p, size);
  void* params[] = {&p, &size};
  for (int i = 0; i < kSteps; ++i)
    cuLaunchKernel(produce, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr);
  cuStreamSynchronize(stream);
  cuMemFree_v2(p);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || cuInit(0) != CUDA_SUCCESS) return 3;
  const std::string arm = argv[1], folder = argv[2];
  std::vector<int> own;
  bool done = true;
  if (arm == "close" || arm == "gone") own = close_all(folder), done = !own.empty();
  if (arm == "chroot" || arm == "gone") done = done && leave_root(folder);
  if (arm == "user") done = setgroups(0, nullptr) == 0 && setgid(65534) == 0 && setuid(65534) == 0;
  if (arm == "fsize") done = limit(RLIMIT_FSIZE, 4096);
  if (arm == "nofile") done = limit(RLIMIT_NOFILE, 0);
  if (arm == "as") done = limit(RLIMIT_AS, mapped_bytes() + (1 << 20));
  if (arm == "newer") call_of_the_future();
  if (!done) return 77;
  work();
  if (!still_own(own)) return 5;
  std::puts("done");
}

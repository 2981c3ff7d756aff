// SPDX-License-Identifier: Apache-2.0
// Lets the agent, built on a current distribution, load into hosts with glibc 2.28.
//
// The linker binds each reference to the newest version of a symbol. Functions that glibc 2.34
// moved between its libraries got a new version then, though their first one still works: they are
// wrapped here and bound to the first one. What older versions lack altogether (the static
// libstdc++ and libgcc of newer distributions ask for it) is written out below. The wrappers stay
// inside the agent. tools/check_agent.sh names what is missing here.
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#define BOHR_GLIBC_FIRST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define BOHR_GLIBC_FIRST "GLIBC_2.17"
#endif

// The wrapper is named by an asm label, since the headers declare the name with attributes that
// differ between versions.
#define BOHR_FIRST_VERSION(result, name, parameters, arguments) \
  extern "C" result first_##name parameters;                    \
  asm(".symver first_" #name ", " #name "@" BOHR_GLIBC_FIRST);  \
  extern "C" result wrapped_##name parameters asm(#name);       \
  extern "C" result wrapped_##name parameters { return first_##name arguments; }

BOHR_FIRST_VERSION(void*, dlopen, (const char* file, int mode), (file, mode))
BOHR_FIRST_VERSION(void*, dlvsym, (void* library, const char* name, const char* version),
                   (library, name, version))
#if !defined(BOHR_DEFINES_DLSYM)  // the library that is preloaded
BOHR_FIRST_VERSION(void*, dlsym, (void* library, const char* name), (library, name))
#endif
BOHR_FIRST_VERSION(int, dlclose, (void* library), (library))
BOHR_FIRST_VERSION(char*, dlerror, (), ())
BOHR_FIRST_VERSION(int, dladdr, (const void* address, void* info), (address, info))

BOHR_FIRST_VERSION(int, pthread_create,
                   (void* thread, const void* attributes, void* (*start)(void*), void* argument),
                   (thread, attributes, start, argument))
BOHR_FIRST_VERSION(int, pthread_join, (unsigned long thread, void** result), (thread, result))
BOHR_FIRST_VERSION(int, pthread_detach, (unsigned long thread), (thread))
BOHR_FIRST_VERSION(int, pthread_once, (void* once, void (*function)()), (once, function))
BOHR_FIRST_VERSION(int, pthread_key_create, (unsigned* key, void (*destroy)(void*)), (key, destroy))
BOHR_FIRST_VERSION(int, __pthread_key_create, (unsigned* key, void (*destroy)(void*)),
                   (key, destroy))
BOHR_FIRST_VERSION(int, pthread_key_delete, (unsigned key), (key))
BOHR_FIRST_VERSION(void*, pthread_getspecific, (unsigned key), (key))
BOHR_FIRST_VERSION(int, pthread_setspecific, (unsigned key, const void* value), (key, value))
BOHR_FIRST_VERSION(int, pthread_mutex_trylock, (void* mutex), (mutex))
BOHR_FIRST_VERSION(int, pthread_rwlock_rdlock, (void* lock), (lock))
BOHR_FIRST_VERSION(int, pthread_rwlock_wrlock, (void* lock), (lock))
BOHR_FIRST_VERSION(int, pthread_rwlock_unlock, (void* lock), (lock))
BOHR_FIRST_VERSION(int, pthread_sigmask, (int how, const void* set, void* old), (how, set, old))

// C23's scanning functions (from glibc 2.38) differ from these by binary literals alone.
#define BOHR_C23_SCAN(result, name)                                                     \
  extern "C" result first_##name(const char* text, char** end, int radix);              \
  asm(".symver first_" #name ", " #name "@" BOHR_GLIBC_FIRST);                          \
  extern "C" result __isoc23_##name(const char* text, char** end, int radix) noexcept { \
    return first_##name(text, end, radix);                                              \
  }
BOHR_C23_SCAN(long, strtol)
BOHR_C23_SCAN(unsigned long, strtoul)
BOHR_C23_SCAN(long long, strtoll)
BOHR_C23_SCAN(unsigned long long, strtoull)

// 2.32. Claims that threads may run, which is always a safe answer.
extern "C" char single_threaded asm("__libc_single_threaded");
char single_threaded = 0;

// 2.33; before, headers made another call of it. On 64-bit machines its struct is the kernel's.
extern "C" int file_status(int file, void* status) asm("fstat");
extern "C" int file_status(int file, void* status) {
  return static_cast<int>(syscall(SYS_fstat, file, status));
}

// 2.36, asked for by std::random_device.
extern "C" std::uint32_t random_word() asm("arc4random");
extern "C" std::uint32_t random_word() {
  std::uint32_t word = 0;
  while (syscall(SYS_getrandom, &word, sizeof word, 0) != static_cast<long>(sizeof word)) {
  }
  return word;
}

// 2.35, asked for by libgcc's unwinder: which loaded object holds this address, and where its
// unwind table is. The struct is glibc's dl_find_object.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame;
  unsigned long long reserved[7];
};

namespace {

struct Search {
  std::uintptr_t address;
  FoundObject* found;
};

int holds_address(dl_phdr_info* info, std::size_t, void* data) {
  const Search& search = *static_cast<Search*>(data);
  bool inside = false;
  std::uintptr_t low = UINTPTR_MAX, high = 0, table = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) table = begin;
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t end = begin + part.p_memsz;
    if (begin < low) low = begin;
    if (end > high) high = end;
    inside = inside || (begin <= search.address && search.address < end);
  }
  if (!inside || table == 0) return 0;
  *search.found = FoundObject{.map_start = reinterpret_cast<void*>(low),
                              .map_end = reinterpret_cast<void*>(high),
                              .eh_frame = reinterpret_cast<void*>(table)};
  return 1;
}

}  // namespace

extern "C" int find_object(void* address, FoundObject* found) asm("_dl_find_object");
extern "C" int find_object(void* address, FoundObject* found) {
  Search search{reinterpret_cast<std::uintptr_t>(address), found};
  return dl_iterate_phdr(holds_address, &search) == 1 ? 0 : -1;
}

// SPDX-License-Identifier: Apache-2.0
#include "agent/kept_code.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agent/digest.h"
#include "agent/environment.h"
#include "agent/files.h"
#include "agent/recorder.h"

namespace bohr::agent {
namespace {

constexpr uint64_t kMostKept = uint64_t{256} << 20;  // bytes of one process

bool wanted() {
  static const char* const value = std::getenv(kKeepCodeVariable);
  return value && std::strcmp(value, "1") == 0;
}

std::string name_of(const CodeImage& image) {
  Digest digest;
  digest.add(image.begin, image.bytes);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest.value()));
  return text;
}

bool write(const std::string& path, const CodeImage& image) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool whole = append(file, {reinterpret_cast<const char*>(image.begin), image.bytes});
  close(file);
  if (!whole) unlink(path.c_str());
  return whole;
}

}  // namespace

std::string keep_code(Recorder& r, const CodeImage& image) {
  if (!wanted() || image.bytes == 0) return {};
  const std::string folder = r.stem + kCodeSuffix;
  std::string name = name_of(image);
  const std::string path = folder + "/" + name;
  if (file_exists(path)) return name;
  if (r.code_kept.fetch_add(image.bytes) + image.bytes > kMostKept) {
    r.code_kept.fetch_sub(image.bytes);
    if (!r.code_left_out.exchange(true))
      diagnose(r, "note", "not all machine code was kept: it has more than 256 MiB");
    return {};
  }
  mkdir(folder.c_str(), 0700);
  return write(path, image) ? name : std::string();
}

}  // namespace bohr::agent

// SPDX-License-Identifier: Apache-2.0
// Any bytes as an archive: a refusal, or files that come back as they are when written again.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "trace/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bohr::trace;
  const auto files = read_tar({data, size}, "fuzz");
  if (!files.ok()) {
    BOHR_CHECK(files.error().code == "input-tar");
    return 0;
  }
  for (const TarFile& file : files.value())
    if (file.name.size() > 99) return 0;  // another writer's, who has use for the last byte
  const auto again = read_tar(write_tar(files.value()), "fuzz");
  BOHR_CHECK(again.ok() && again.value().size() == files.value().size());
  for (size_t i = 0; i < again.value().size(); ++i) {
    BOHR_CHECK(again.value()[i].name == files.value()[i].name);
    BOHR_CHECK(again.value()[i].bytes == files.value()[i].bytes);
  }
  return 0;
}

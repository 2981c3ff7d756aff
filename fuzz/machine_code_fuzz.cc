// SPDX-License-Identifier: Apache-2.0
// Any text as a disassembler's listing: what is not known of a function triggers nothing either.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "trace/machine_code.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bohr::trace;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const GridCodes once = read_machine_code(text);
  for (const auto& [name, code] : once) {
    BOHR_CHECK(!name.empty());
    BOHR_CHECK(code.wait != GridWait::unknown || !code.triggers);
  }
  return 0;
}

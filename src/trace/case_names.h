// SPDX-License-Identifier: Apache-2.0
// What the names and labels of a case stand for. Declared names share one table; events and tokens
// need no declaration and are kept by the builder.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "trace/case_lexer.h"

namespace bohr::trace::text {

enum class NameKind : uint8_t { stream, thread, agent, lifetime, view, pool, graph };

struct Named {
  NameKind kind = NameKind::stream;
  int32_t index = 0;  // into the table of its kind
  int32_t line = 0;   // 0: exists without being declared
};

class Names {
 public:
  // Fails with "case-duplicate" when the name is taken, by whatever kind of thing.
  Status declare(std::string_view name, Named named);

  // Null when the name is not known.
  const Named* find(std::string_view name) const;

  // The index of a name of this kind, or "case-unknown-name".
  Result<int32_t> get(std::string_view name, NameKind kind, int32_t line) const;

 private:
  std::unordered_map<std::string_view, Named> names_;
};

const char* kind_phrase(NameKind kind);  // "a stream"

Error unknown_name(std::string_view name, const char* what, int32_t line);

}  // namespace bohr::trace::text

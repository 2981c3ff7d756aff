// SPDX-License-Identifier: Apache-2.0
// Values without behaviour, as a pickle or a JSON text holds them: numbers, texts, lists and
// dictionaries. A list may stand in several places, and even in itself, so a reader follows names
// that it knows and never walks all of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bohr::trace {

struct PlainValue {
  enum class Kind : uint8_t { nothing, boolean, integer, real, text, list, dictionary };
  Kind kind = Kind::nothing;
  // An integer in two's complement, a boolean, the bits of a double, or an index into the tables.
  uint64_t bits = 0;
};

struct PlainValues {
  PlainValue root;
  std::vector<std::string> texts;
  std::vector<std::vector<PlainValue>> lists;  // of a dictionary: key, value, key, value, …

  PlainValue text(std::string value) {
    texts.push_back(std::move(value));
    return {PlainValue::Kind::text, texts.size() - 1};
  }
  PlainValue list(PlainValue::Kind kind, std::vector<PlainValue> items = {}) {
    lists.push_back(std::move(items));
    return {kind, lists.size() - 1};
  }

  // Null where the value is something else.
  const std::vector<PlainValue>* list_of(const PlainValue* value) const {
    return value && value->kind == PlainValue::Kind::list ? &lists[value->bits] : nullptr;
  }
  const std::string* text_of(const PlainValue* value) const {
    return value && value->kind == PlainValue::Kind::text ? &texts[value->bits] : nullptr;
  }
  // Of a dictionary with at most kMostKeys keys; null where there is none of that name.
  const PlainValue* find(const PlainValue& dictionary, std::string_view key) const {
    if (dictionary.kind != PlainValue::Kind::dictionary) return nullptr;
    const std::vector<PlainValue>& items = lists[dictionary.bits];
    if (items.size() > 2 * kMostKeys) return nullptr;
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (const std::string* name = text_of(&items[i]); name && *name == key) return &items[i + 1];
    return nullptr;
  }
  static constexpr size_t kMostKeys = 64;
};

}  // namespace bohr::trace

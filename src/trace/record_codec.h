// SPDX-License-Identifier: Apache-2.0
// Bytes -> records (encode.h is the other direction), and what must hold in a record besides.
// Nothing is believed: every length is compared with the bytes that are left before it is used, and
// numbers must fit their fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "trace/record_words.h"
#include "trace/writer/encode.h"
#include "trace/writer/records.h"

namespace bohr::trace {

// Turns the code of a number, boolean or enumeration back into its value; false when it has none.
template <Scalar T>
bool scalar_from_code(uint64_t code, T* value) {
  if constexpr (std::is_enum_v<T>) {
    if (code > words_of(T{}).size() - 1) return false;
    *value = static_cast<T>(code);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (code > 1) return false;
    *value = code == 1;
  } else if constexpr (std::is_signed_v<T>) {
    *value = static_cast<T>(unfold_sign(code));
    return *value == unfold_sign(code);
  } else {
    *value = static_cast<T>(code);
    return *value == code;
  }
  return true;
}

// Reads fields one after the other. Fields that the bytes no longer hold keep their defaults, since
// an older writer did not know them; bytes that are left over are fields of a newer one.
class BodyReader {
 public:
  BodyReader(std::span<const uint8_t> bytes, size_t string_count)
      : bytes_(bytes), string_count_(string_count) {}

  template <Scalar T>
  void operator()(const char*, T& value) {
    if (absent()) return;
    if (!scalar_from_code(varint(), &value)) ok_ = false;
  }
  void operator()(const char*, Text& text) {
    (*this)("", text.id);
    if (text.id >= string_count_) ok_ = false;
  }
  void operator()(const char*, std::string& text) {
    if (absent()) return;
    const auto block = take(varint());
    text.assign(block.begin(), block.end());
  }
  void operator()(const char*, Bytes& bytes) {
    if (absent()) return;
    const auto block = take(varint());
    bytes.assign(block.begin(), block.end());
  }
  void operator()(const char*, Numbers& numbers) {
    if (absent()) return;
    const uint64_t count = varint();
    if (count > bytes_.size()) ok_ = false;  // each takes a byte at least
    if (!ok_) return;
    numbers.resize(count);
    for (uint64_t& number : numbers) number = varint();
  }
  void operator()(const char*, Call& call) {
    (*this)("", call.seq), (*this)("", call.exit);
    (*this)("", call.thread), (*this)("", call.stack);
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) break;
      const uint8_t byte = bytes_.front();
      bytes_ = bytes_.subspan(1);
      if (shift == 63 && byte > 1) break;
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  bool ok() const { return ok_; }

 private:
  bool absent() const { return bytes_.empty() || !ok_; }
  std::span<const uint8_t> take(uint64_t size) {
    if (size > bytes_.size()) ok_ = false;
    if (!ok_) return {};
    const auto block = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return block;
  }

  std::span<const uint8_t> bytes_;
  size_t string_count_;
  bool ok_ = true;
};

// Lists that belong together are of one length, and string ids exist.
template <class R>
bool lists_agree(const R&, size_t) {
  return true;
}
inline bool lists_agree(const Stack& stack, size_t string_count) {
  const size_t frames = stack.functions.size();
  if (stack.files.size() != frames || stack.lines.size() != frames) return false;
  if (stack.python.size() != frames) return false;
  for (const Numbers* ids : {&stack.functions, &stack.files}) {
    for (uint64_t id : *ids) {
      if (id >= string_count) return false;
    }
  }
  return true;
}
inline bool lists_agree(const Function& function, size_t) {
  return function.offsets.size() == function.sizes.size();
}
inline bool lists_agree(const Clock& clock, size_t) {
  return clock.seqs.size() == clock.times.size();
}
inline bool lists_agree(const Edges& edges, size_t) {
  return edges.from.size() == edges.to.size() && edges.from.size() == edges.types.size();
}

// False when the body is no record of this kind.
template <class R>
bool read_body(BodyReader& reader, size_t string_count, R* record) {
  R::fields(reader, *record);
  return reader.ok() && lists_agree(*record, string_count);
}

}  // namespace bohr::trace

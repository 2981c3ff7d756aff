// SPDX-License-Identifier: Apache-2.0
// Messages between whoever asks for replays and the process that can run them, over a socket of
// one machine: a frame is its length (4 bytes), a kind (1 byte) and a body. Numbers are 8 bytes in
// the machine's own order, lists their count and their elements. A body is read as a whole and
// refused as a whole (`remote-message`), so a broken peer changes nothing.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "replay/replayer.h"

namespace bohr::replay {

constexpr uint64_t kMostFrame = uint64_t{2} << 30;

struct Message {
  uint8_t kind = 0;
  Bytes body;
};

// Both wait; an error (`remote-lost`) means that the peer is gone, which is no fault of ours.
Status send(int socket, const Message& message);
Result<Message> receive(int socket);

class BodyWriter {
 public:
  void number(uint64_t value) { raw(&value, sizeof value); }
  void text(const std::string& text) {
    block({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  void block(std::span<const uint8_t> bytes) {
    number(bytes.size());
    raw(bytes.data(), bytes.size());
  }
  void ranges(std::span<const ByteRange> ranges) {
    list(ranges, [this](const ByteRange& range) { number(range.begin), number(range.end); });
  }
  template <class Numbers>
  void numbers(const Numbers& values) {
    list(values, [this](auto value) { number(static_cast<uint64_t>(value)); });
  }
  template <class Items, class Put>
  void list(const Items& items, Put&& put) {
    number(items.size());
    for (const auto& item : items) put(item);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void raw(const void* data, size_t size) {
    const auto* from = static_cast<const uint8_t*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  Bytes bytes_;
};

// Past the end, and on a list that cannot be as long as it says, everything is empty and ok() is
// false.
class BodyReader {
 public:
  explicit BodyReader(std::span<const uint8_t> bytes) : left_(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    raw(&value, sizeof value);
    return value;
  }
  std::string text() {
    const Bytes bytes = block();
    return {bytes.begin(), bytes.end()};
  }
  Bytes block() {
    const uint64_t size = count(1);
    Bytes bytes(size);
    raw(bytes.data(), size);
    return bytes;
  }
  std::vector<ByteRange> ranges() {
    return list<ByteRange>(16, [this] {
      const uint64_t begin = number();
      return ByteRange{begin, number()};
    });
  }
  template <class Number>
  std::vector<Number> numbers() {
    return list<Number>(8, [this] { return static_cast<Number>(number()); });
  }
  // `least`: bytes that one element takes at least.
  template <class Item, class Get>
  std::vector<Item> list(uint64_t least, Get&& get) {
    std::vector<Item> items;
    const uint64_t size = count(least);
    items.reserve(size);
    for (uint64_t i = 0; i < size && ok_; ++i) items.push_back(get());
    return items;
  }
  bool ok() const { return ok_; }
  // All of it was read, and there was nothing more.
  bool done() const { return ok_ && left_.empty(); }

 private:
  uint64_t count(uint64_t least) {
    const uint64_t size = number();
    if (size <= left_.size() / least) return size;
    ok_ = false;
    return 0;
  }
  void raw(void* to, size_t size) {
    if (!ok_ || size > left_.size()) {
      ok_ = false;
      return;
    }
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }
  std::span<const uint8_t> left_;
  bool ok_ = true;
};

void put_error(BodyWriter* body, const Error& error);
Error get_error(BodyReader* body);
Error bad_message(const std::string& what);

}  // namespace bohr::replay

// SPDX-License-Identifier: Apache-2.0
// Each instruction takes at least one byte and makes at most one value, and a value that is used
// again is named by its number, not copied: so nothing grows beyond the input. There is no
// recursion.
#include "trace/pickle.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace bohr::trace {

namespace {

constexpr uint8_t kNewestProtocol = 5;
using Kind = PlainValue::Kind;

class Machine {
 public:
  Machine(std::span<const uint8_t> bytes, const std::string& source)
      : bytes_(bytes), source_(source) {}

  Result<PlainValues> run() {
    while (!stopped_) {
      at_ = next_;
      uint8_t code = 0;
      if (!byte(&code)) return damaged("it ends before its last instruction");
      const Step step = execute(code);
      if (step == Step::damaged) return damaged("an instruction that cannot be followed");
      if (step == Step::refused) return refused(code);
    }
    return std::move(values_);
  }

 private:
  enum class Step : uint8_t { done, damaged, refused };

  Error damaged(const char* why) const {
    return {"history-damaged", source_, "byte " + std::to_string(at_), why, "save it again"};
  }
  Error refused(uint8_t code) const {
    return {"history-object", source_, "byte " + std::to_string(at_),
            "it holds instruction " + std::to_string(code) +
                ", which makes or runs objects; a memory snapshot has none",
            "give the file that torch.cuda.memory._dump_snapshot wrote"};
  }

  bool take(size_t count, const uint8_t** from) {
    if (count > bytes_.size() - next_) return false;
    *from = bytes_.data() + next_;
    next_ += count;
    return true;
  }
  bool byte(uint8_t* value) {
    const uint8_t* from = nullptr;
    if (!take(1, &from)) return false;
    *value = *from;
    return true;
  }
  // An unsigned number of so many bytes, lowest first.
  bool number(size_t size, uint64_t* value) {
    const uint8_t* from = nullptr;
    if (!take(size, &from)) return false;
    *value = 0;
    for (size_t i = 0; i < size; ++i) *value |= uint64_t{from[i]} << (8 * i);
    return true;
  }

  Step push(PlainValue value) {
    stack_.push_back(value);
    return Step::done;
  }
  Step integer(size_t size, bool is_signed) {
    uint64_t value = 0;
    if (!number(size, &value)) return Step::damaged;
    if (is_signed) value = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
    return push({Kind::integer, value});
  }
  // Up to 64 bits in two's complement, or 64 without a sign, which take a ninth byte of zeros.
  Step long_integer() {
    uint64_t size = 0, value = 0;
    const uint8_t* from = nullptr;
    if (!number(1, &size) || size > 9 || !take(size, &from)) return Step::damaged;
    if (size == 9 && from[8] != 0) return Step::damaged;
    for (size_t i = 0; i < std::min<size_t>(size, 8); ++i) value |= uint64_t{from[i]} << (8 * i);
    const bool negative = size > 0 && size < 8 && (from[size - 1] & 0x80) != 0;
    if (negative) value |= ~uint64_t{0} << (8 * size);
    return push({Kind::integer, value});
  }
  Step real() {
    const uint8_t* from = nullptr;
    if (!take(8, &from)) return Step::damaged;
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; ++i) bits = bits << 8 | from[i];
    return push({Kind::real, bits});
  }
  Step text(size_t size_of_size) {
    uint64_t size = 0;
    const uint8_t* from = nullptr;
    if (!number(size_of_size, &size) || size > bytes_.size() || !take(size, &from))
      return Step::damaged;
    return push(values_.text({reinterpret_cast<const char*>(from), size}));
  }
  Step skip(size_t count) {
    const uint8_t* from = nullptr;
    return take(count, &from) ? Step::done : Step::damaged;
  }

  // The newest mark's values leave the stack.
  bool above_mark(std::vector<PlainValue>* items) {
    if (marks_.empty()) return false;
    const auto from = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    items->assign(from, stack_.end());
    stack_.erase(from, stack_.end());
    marks_.pop_back();
    return true;
  }
  // What the instructions below the newest mark must not reach.
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  Step make(Kind kind) {
    std::vector<PlainValue> items;
    if (!above_mark(&items) || (kind == Kind::dictionary && items.size() % 2 != 0))
      return Step::damaged;
    return push(values_.list(kind, std::move(items)));
  }
  Step tuple(size_t count) {
    if (stack_.size() < floor() + count) return Step::damaged;
    const auto from = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<PlainValue> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    return push(values_.list(Kind::list, std::move(items)));
  }
  Step extend(Kind kind, const std::vector<PlainValue>& items) {
    if (stack_.size() <= floor() || stack_.back().kind != kind) return Step::damaged;
    if (kind == Kind::dictionary && items.size() % 2 != 0) return Step::damaged;
    std::vector<PlainValue>& list = values_.lists[stack_.back().bits];
    list.insert(list.end(), items.begin(), items.end());
    return Step::done;
  }
  Step extend_above_mark(Kind kind) {
    std::vector<PlainValue> items;
    return above_mark(&items) ? extend(kind, items) : Step::damaged;
  }
  Step extend_by(Kind kind, size_t count) {
    if (stack_.size() < floor() + count) return Step::damaged;
    const auto from = stack_.end() - static_cast<std::ptrdiff_t>(count);
    const std::vector<PlainValue> items(from, stack_.end());
    stack_.erase(from, stack_.end());
    return extend(kind, items);
  }

  Step remember(size_t size) {
    uint64_t number_of = memo_.size();
    if (size > 0 && !number(size, &number_of)) return Step::damaged;
    if (stack_.size() <= floor()) return Step::damaged;
    memo_[number_of] = stack_.back();
    return Step::done;
  }
  Step recall(size_t size) {
    uint64_t number_of = 0;
    if (!number(size, &number_of)) return Step::damaged;
    const auto found = memo_.find(number_of);
    return found == memo_.end() ? Step::damaged : push(found->second);
  }
  Step pop() {
    if (stack_.size() <= floor()) return Step::damaged;
    stack_.pop_back();
    return Step::done;
  }
  Step stop() {
    if (stack_.size() != 1 || !marks_.empty()) return Step::damaged;
    values_.root = stack_.back();
    stopped_ = true;
    return Step::done;
  }
  Step protocol() {
    uint8_t version = 0;
    return byte(&version) && version <= kNewestProtocol ? Step::done : Step::damaged;
  }

  // By the letters and numbers that the pickle module's own table (pickletools) gives them.
  Step execute(uint8_t code) {
    switch (code) {
      case 0x80:
        return protocol();
      case 0x95:  // FRAME
        return skip(8);
      case '.':
        return stop();
      case '(':
        marks_.push_back(stack_.size());
        return Step::done;
      case '0':
        return pop();
      case 'N':
        return push({});
      case 0x88:
      case 0x89:
        return push({Kind::boolean, code == 0x88 ? uint64_t{1} : uint64_t{0}});
      case 'J':
        return integer(4, true);
      case 'K':
        return integer(1, false);
      case 'M':
        return integer(2, false);
      case 0x8a:
        return long_integer();
      case 'G':
        return real();
      default:
        return execute_composed(code);
    }
  }

  Step execute_composed(uint8_t code) {
    switch (code) {
      case 0x8c:  // texts and bytes, by the size of their size
      case 'U':
      case 'C':
        return text(1);
      case 'X':
      case 'T':
      case 'B':
        return text(4);
      case 0x8d:
      case 0x8e:
        return text(8);
      case ']':
      case ')':
        return push(values_.list(Kind::list));
      case '}':
        return push(values_.list(Kind::dictionary));
      case 'l':
      case 't':
        return make(Kind::list);
      case 'd':
        return make(Kind::dictionary);
      case 0x85:
      case 0x86:
      case 0x87:
        return tuple(static_cast<size_t>(code - 0x84));
      case 'a':
        return extend_by(Kind::list, 1);
      case 'e':
        return extend_above_mark(Kind::list);
      case 's':
        return extend_by(Kind::dictionary, 2);
      case 'u':
        return extend_above_mark(Kind::dictionary);
      case 'q':
        return remember(1);
      case 'r':
        return remember(4);
      case 0x94:
        return remember(0);
      case 'h':
        return recall(1);
      case 'j':
        return recall(4);
      default:
        return Step::refused;
    }
  }

  std::span<const uint8_t> bytes_;
  const std::string& source_;
  size_t next_ = 0;
  size_t at_ = 0;  // of the current instruction
  bool stopped_ = false;
  PlainValues values_;
  std::vector<PlainValue> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, PlainValue> memo_;
};

}  // namespace

bool looks_like_pickle(std::span<const uint8_t> bytes) {
  return bytes.size() > 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= kNewestProtocol;
}

Result<PlainValues> read_pickle(std::span<const uint8_t> bytes, const std::string& source) {
  return Machine(bytes, source).run();
}

}  // namespace bohr::trace

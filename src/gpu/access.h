// SPDX-License-Identifier: Apache-2.0
// Memory as a kernel's block, or the host, may touch it: through views that are cut out of the
// declared ranges and of nothing else. What breaks a declaration touches no memory and is noted;
// the runtime ends the run with it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/check.h"
#include "gpu/types.h"

namespace bohr::gpu {

// The first use of memory that no declaration covers.
struct Violation {
  bool happened = false;
  uint64_t address = 0;
  uint64_t bytes = 0;
  Mode mode = Mode::read;
};

enum class Declared : uint8_t { all, early, rest };

class Accessor;

// `count` values of T, or none where the declaration did not cover them. Values are copied in and
// out, so they need no alignment.
template <class T>
class View {
 public:
  View(Accessor* accessor, uint8_t* bytes, uint64_t address, uint64_t count, Mode mode)
      : accessor_(accessor), bytes_(bytes), address_(address), count_(count), mode_(mode) {}
  uint64_t size() const { return count_; }

 protected:
  // Where value i lies; null, and noted, when it is outside.
  uint8_t* at(uint64_t i) const;
  T load(uint64_t i) const {
    T value{};
    if (const uint8_t* from = at(i)) std::memcpy(&value, from, sizeof(T));
    return value;
  }
  void store(uint64_t i, const T& value) const {
    if (uint8_t* to = at(i)) std::memcpy(to, &value, sizeof(T));
  }

 private:
  Accessor* accessor_;
  uint8_t* bytes_;
  uint64_t address_;
  uint64_t count_;
  Mode mode_;
};

template <class T>
struct ReadView : View<T> {
  using View<T>::View;
  T get(uint64_t i) const { return this->load(i); }
};

template <class T>
struct WriteView : View<T> {
  using View<T>::View;
  void put(uint64_t i, const T& value) const { this->store(i, value); }
};

template <class T>
struct UpdateView : View<T> {
  using View<T>::View;
  T get(uint64_t i) const { return this->load(i); }
  void put(uint64_t i, const T& value) const { this->store(i, value); }
};

template <class T>
struct AtomicView : View<T> {
  using View<T>::View;
  void add(uint64_t i, const T& value) const {
    this->store(i, static_cast<T>(this->load(i) + value));
  }
};

class Accessor {
 public:
  // `base` is where the byte of address `origin` lies.
  Accessor(std::span<const Access> declared, Declared part, uint8_t* base, uint64_t origin)
      : declared_(declared), part_(part), base_(base), origin_(origin) {}

  template <class T>
  ReadView<T> read(uint64_t address, uint64_t count = 1) {
    return view<ReadView<T>, T>(address, count, Mode::read);
  }
  template <class T>
  WriteView<T> write(uint64_t address, uint64_t count = 1) {
    return view<WriteView<T>, T>(address, count, Mode::write);
  }
  template <class T>
  UpdateView<T> update(uint64_t address, uint64_t count = 1) {
    return view<UpdateView<T>, T>(address, count, Mode::update);
  }
  template <class T>
  AtomicView<T> atomic(uint64_t address, uint64_t count = 1) {
    return view<AtomicView<T>, T>(address, count, Mode::atomic);
  }

  const Violation& violation() const { return violation_; }
  void note(uint64_t address, uint64_t bytes, Mode mode) {
    if (!violation_.happened) violation_ = {true, address, bytes, mode};
  }

 private:
  template <class V, class T>
  V view(uint64_t address, uint64_t count, Mode mode) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return V(this, nullptr, address, 0, mode);
    const uint64_t bytes = count * sizeof(T);
    if (bytes / count != sizeof(T) || !covered(address, bytes, mode)) {
      note(address, bytes, mode);
      return V(this, nullptr, address, 0, mode);
    }
    return V(this, base_ + (address - origin_), address, count, mode);
  }
  bool covered(uint64_t address, uint64_t bytes, Mode mode) const;

  std::span<const Access> declared_;
  Declared part_;
  uint8_t* base_;
  uint64_t origin_;
  Violation violation_;
};

template <class T>
uint8_t* View<T>::at(uint64_t i) const {
  if (i < count_) return bytes_ + i * sizeof(T);
  accessor_->note(address_ + i * sizeof(T), sizeof(T), mode_);
  return nullptr;
}

// What a block keeps from the early part of its kernel to the rest.
using Registers = std::array<uint64_t, 8>;

// One block of a grid.
class Block : public Accessor {
 public:
  Block(const Accessor& memory, const KernelLaunch& launch, uint32_t index, Registers* registers,
        uint64_t clock)
      : Accessor(memory), launch_(launch), index_(index), registers_(registers), clock_(clock) {}

  uint32_t index() const { return index_; }
  uint32_t count() const { return launch_.blocks; }
  template <class T>
  T param(size_t i) const {
    BOHR_CHECK(i < launch_.params.sizes().size() && launch_.params.sizes()[i] == sizeof(T));
    T value;
    std::memcpy(&value, launch_.params.image().data() + launch_.params.offsets()[i], sizeof(T));
    return value;
  }
  Registers& registers() { return *registers_; }
  // A counter of the device, as kernels can read one: other with every run.
  uint64_t clock() const { return clock_; }

 private:
  const KernelLaunch& launch_;
  uint32_t index_;
  Registers* registers_;
  uint64_t clock_;
};

}  // namespace bohr::gpu

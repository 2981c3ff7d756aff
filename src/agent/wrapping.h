// SPDX-License-Identifier: Apache-2.0
// A wrapper for a function of the driver, made from the struct that CUPTI describes its parameters
// with: one field for each parameter, in order. So there is one description of each call, whichever
// way the call comes.
#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <utility>

namespace bohr::agent {

struct Api;

using AnyFunction = void (*)();

// A wrapper of one function, and where it finds what it needs to know.
struct Wrapper {
  AnyFunction function;            // to be handed out for the driver's; has its type
  std::atomic<AnyFunction>* real;  // the driver's; set before the wrapper is handed out
  std::atomic<const Api*>* api;    // the same
};

// False: this call is not looked at.
bool wrapped_call_entered(const Api& api, const void* params);
void wrapped_call_left(const Api& api, const void* params, CUresult result);

namespace wrapping {

struct AnyField {
  template <class T>
  operator T() const;
};

template <class Params, size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Params{(static_cast<void>(I), AnyField{})...}; };
}

template <class Params, size_t kFields = 0>
constexpr size_t field_count() {
  if constexpr (takes<Params>(std::make_index_sequence<kFields + 1>())) {
    return field_count<Params, kFields + 1>();
  } else {
    return kFields;
  }
}

template <class... Fields>
using Call = CUresult(CUDAAPI*)(Fields...);

// A binding's own type is its field's.
template <class Params>
auto call_of([[maybe_unused]] Params all) {
  constexpr size_t kFields = field_count<Params>();
  if constexpr (kFields == 0) {
    return Call<>();
  } else if constexpr (kFields == 1) {
    auto& [a] = all;
    return Call<decltype(a)>();
  } else if constexpr (kFields == 2) {
    auto& [a, b] = all;
    return Call<decltype(a), decltype(b)>();
  } else if constexpr (kFields == 3) {
    auto& [a, b, c] = all;
    return Call<decltype(a), decltype(b), decltype(c)>();
  } else if constexpr (kFields == 4) {
    auto& [a, b, c, d] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d)>();
  } else if constexpr (kFields == 5) {
    auto& [a, b, c, d, e] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)>();
  } else if constexpr (kFields == 6) {
    auto& [a, b, c, d, e, f] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f)>();
  } else if constexpr (kFields == 7) {
    auto& [a, b, c, d, e, f, g] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g)>();
  } else if constexpr (kFields == 8) {
    auto& [a, b, c, d, e, f, g, h] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h)>();
  } else if constexpr (kFields == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h), decltype(i)>();
  } else if constexpr (kFields == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h), decltype(i), decltype(j)>();
  } else if constexpr (kFields == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h), decltype(i), decltype(j), decltype(k)>();
  } else if constexpr (kFields == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l)>();
  } else if constexpr (kFields == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l),
                decltype(m), decltype(n), decltype(o)>();
  } else {
    static_assert(kFields == 16, "no function of the driver that we record takes more");
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = all;
    return Call<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f),
                decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l),
                decltype(m), decltype(n), decltype(o), decltype(p)>();
  }
}

}  // namespace wrapping

// `id` keeps functions with the same parameters apart.
template <auto id, class Params, class Function = decltype(wrapping::call_of(Params()))>
struct Wrapping;

template <auto id, class Params, class... Fields>
struct Wrapping<id, Params, CUresult(CUDAAPI*)(Fields...)> {
  static CUresult CUDAAPI call(Fields... fields) {
    const auto driver =
        reinterpret_cast<wrapping::Call<Fields...>>(real.load(std::memory_order_acquire));
    const Api& row = *api.load(std::memory_order_acquire);
    const Params params{fields...};
    if (!wrapped_call_entered(row, &params)) return driver(fields...);
    const CUresult result = driver(fields...);
    wrapped_call_left(row, &params, result);
    return result;
  }

  static Wrapper wrapper() { return {reinterpret_cast<AnyFunction>(&call), &real, &api}; }

 private:
  static inline std::atomic<AnyFunction> real{nullptr};
  static inline std::atomic<const Api*> api{nullptr};
};

}  // namespace bohr::agent

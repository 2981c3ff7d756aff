// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that a user or a file can cause. Bugs of ours are BOHR_CHECKs.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace bohr {

// Names what was read, where in it, why it is refused and what to do, in that order. `code` is a
// row of docs/errors.md, for instance "case-syntax".
struct Error {
  std::string code;
  std::string what;
  std::string where;
  std::string why;
  std::string remedy;
};

// One line for people: "what: where: why (remedy)", leaving out what is empty.
std::string to_string(const Error& error);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() & {
    BOHR_CHECK(ok());
    return std::get<T>(state_);
  }
  const T& value() const& {
    BOHR_CHECK(ok());
    return std::get<T>(state_);
  }
  T&& value() && {
    BOHR_CHECK(ok());
    return std::get<T>(std::move(state_));
  }
  const Error& error() const {
    BOHR_CHECK(!ok());
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Nothing {};
using Status = Result<Nothing>;

}  // namespace bohr

#define BOHR_CONCAT_INNER(a, b) a##b
#define BOHR_CONCAT(a, b) BOHR_CONCAT_INNER(a, b)

// BOHR_TRY(name, expression): name = the value, or return the error from this function.
#define BOHR_TRY(name, expression)                                                 \
  auto BOHR_CONCAT(name, _result) = (expression);                                  \
  if (!BOHR_CONCAT(name, _result).ok()) return BOHR_CONCAT(name, _result).error(); \
  auto& name = BOHR_CONCAT(name, _result).value()

// BOHR_TRY_STATUS(expression): return the error from this function, if there is one.
#define BOHR_TRY_STATUS(expression)                                         \
  do {                                                                      \
    if (auto status_ = (expression); !status_.ok()) return status_.error(); \
  } while (false)

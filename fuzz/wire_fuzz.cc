// SPDX-License-Identifier: Apache-2.0
// Any bytes as the body of a message between an agent and whoever explores it. The first byte says
// which. A refusal, or a value that is the same when it is sent and read once more, and no longer
// than what came.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "replay/hold.h"
#include "replay/service.h"

namespace bohr::replay {
namespace {

Bytes body_again(const OwnedRequest& request) { return body_of(request.view()); }
template <class Value>
Bytes body_again(const Value& value) {
  return body_of(value);
}

template <auto read>
void check_body(std::span<const uint8_t> body) {
  const auto value = read(body);
  if (!value.ok()) {
    BOHR_CHECK(value.error().code == "remote-message");
    return;
  }
  const Bytes once = body_again(value.value());
  BOHR_CHECK(once.size() == body.size());
  const auto again = read(once);
  BOHR_CHECK(again.ok());
  BOHR_CHECK(body_again(again.value()) == once);
}

void check_error(std::span<const uint8_t> body) {
  BodyReader reader(body);
  const Error error = get_error(&reader);
  if (!reader.done()) return;
  BodyWriter writer;
  put_error(&writer, error);
  const Bytes again = writer.take();
  BOHR_CHECK(std::equal(again.begin(), again.end(), body.begin(), body.end()));
}

void check_message(uint8_t kind, std::span<const uint8_t> body) {
  switch (kind) {
    case 'q':
      return check_body<request_of>(body);
    case 'o':
      return check_body<outcome_of>(body);
    case 'l':
      return check_body<learned_of>(body);
    case 'f':
      return check_body<offer_of>(body);
    case 'a':
      return check_body<answer_of>(body);
    case 'e':
      return check_error(body);
    default:
      return;
  }
}

}  // namespace
}  // namespace bohr::replay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) bohr::replay::check_message(data[0], {data + 1, size - 1});
  return 0;
}

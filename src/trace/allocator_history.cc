// SPDX-License-Identifier: Apache-2.0
#include "trace/allocator_history.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "trace/pickle.h"
#include "trace/rmm_log.h"
#include "trace/torch_snapshot.h"

namespace bohr::trace {

namespace {

using Kind = PlainValue::Kind;

// Builds the values while the text is read, so that its depth costs no stack.
class JsonValues : public nlohmann::json_sax<nlohmann::json> {
 public:
  PlainValues values;
  size_t failed_at = 0;

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add({Kind::boolean, value ? 1u : 0u}); }
  bool number_integer(int64_t value) override {
    return add({Kind::integer, static_cast<uint64_t>(value)});
  }
  bool number_unsigned(uint64_t value) override { return add({Kind::integer, value}); }
  bool number_float(double, const std::string&) override { return add({Kind::real, 0}); }
  bool string(std::string& value) override { return add(values.text(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Kind::dictionary); }
  bool key(std::string& name) override { return add(values.text(std::move(name))); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(Kind::list); }
  bool end_array() override { return close(); }
  bool parse_error(size_t place, const std::string&, const nlohmann::json::exception&) override {
    failed_at = place;
    return false;
  }

 private:
  bool add(PlainValue value) {
    if (open_.empty())
      values.root = value;
    else
      values.lists[open_.back()].push_back(value);
    return true;
  }
  bool open(Kind kind) {
    const PlainValue value = values.list(kind);
    add(value);
    open_.push_back(value.bits);
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  std::vector<uint64_t> open_;
};

Result<PlainValues> read_json(std::string_view text, const std::string& source) {
  JsonValues reader;
  if (!nlohmann::json::sax_parse(text, &reader))
    return Error{"history-damaged", source, "byte " + std::to_string(reader.failed_at),
                 "it is no JSON", "save it again"};
  return std::move(reader.values);
}

}  // namespace

Result<AllocatorHistory> read_history(std::span<const uint8_t> bytes, const std::string& source) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (looks_like_rmm_log(text)) return history_of_rmm_log(text, source);
  if (looks_like_pickle(bytes)) {
    BOHR_TRY(values, read_pickle(bytes, source));
    return history_of_snapshot(values, source);
  }
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    BOHR_TRY(values, read_json(text, source));
    return history_of_snapshot(values, source);
  }
  return Error{
      "history-unknown", source, "", "it is neither a memory snapshot of PyTorch nor a log of RMM",
      "give what torch.cuda.memory._dump_snapshot or rmm::mr::logging_resource_adaptor wrote"};
}

}  // namespace bohr::trace

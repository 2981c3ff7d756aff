// SPDX-License-Identifier: Apache-2.0
// Every text of every record is given a kind by the record's and the field's names; a field that no
// row names is of kind `unknown`, so what a later version records is left out until it gets a row.
// Texts that no record names do not come along.
#include "app/share_log.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>

#include "trace/import_graphs.h"
#include "trace/import_index.h"

namespace bohr::app {

namespace {

using trace::Log;
using trace::Record;
using trace::Text;

struct Row {
  std::string_view record;
  std::string_view field;
  TextKind kind;
};
constexpr Row kRows[] = {
    {"process", "command", TextKind::command},
    {"process", "recorder", TextKind::plain},
    {"process", "driver_text", TextKind::plain},
    {"device", "name", TextKind::plain},
    {"thread", "name", TextKind::name},
    {"function", "name", TextKind::code},
    {"framework", "name", TextKind::plain},
    {"framework", "version", TextKind::plain},
    {"framework", "allocator", TextKind::plain},
    {"framework", "settings", TextKind::plain},
    {"name", "text", TextKind::name},
    {"graph", "name", TextKind::name},
    {"unmodelled", "api", TextKind::code},
    {"exec_change", "api", TextKind::code},
    {"diagnostic", "reason", TextKind::fixed},
    {"diagnostic", "text", TextKind::sentence},
};

TextKind kind_of(std::string_view record, std::string_view field) {
  for (const Row& row : kRows)
    if (row.record == record && row.field == field) return row.kind;
  return TextKind::unknown;
}

// All memory that the log names, the byte behind the end of each piece included: parameters point
// there, too.
class NamedMemory {
 public:
  explicit NamedMemory(const Log& log) {
    for (const Record& record : log.records) {
      if (const auto* alloc = std::get_if<trace::MemAlloc>(&record))
        add(alloc->address, alloc->bytes);
      if (const auto* entry = std::get_if<trace::History>(&record))
        add(entry->address, entry->bytes);
      if (const auto* segment = std::get_if<trace::Segment>(&record))
        add(segment->address, segment->bytes);
      if (const auto* block = std::get_if<trace::BlockAlloc>(&record)) add(block->address, 0);
      if (const auto* node = std::get_if<trace::Node>(&record);
          node && node->type == trace::kNodeMemAlloc)
        add(node->dst, node->width);
    }
    std::sort(pieces_.begin(), pieces_.end());
    size_t last = 0;
    for (size_t i = 1; i < pieces_.size(); ++i) {
      if (pieces_[i].first <= pieces_[last].second)
        pieces_[last].second = std::max(pieces_[last].second, pieces_[i].second);
      else
        pieces_[++last] = pieces_[i];
    }
    if (!pieces_.empty()) pieces_.resize(last + 1);
  }

  bool holds(uint64_t address) const {
    const auto above = std::upper_bound(pieces_.begin(), pieces_.end(),
                                        std::pair<uint64_t, uint64_t>(address, UINT64_MAX));
    return above != pieces_.begin() && address <= std::prev(above)->second;
  }

 private:
  void add(uint64_t address, uint64_t bytes) {
    if (address != 0) pieces_.emplace_back(address, std::max(address + bytes, address));
  }
  std::vector<std::pair<uint64_t, uint64_t>> pieces_;  // begin and last address
};

class LogScrubber {
 public:
  LogScrubber(const Log& log, ShareWords* words, int64_t* zeroed)
      : log_(log), words_(*words), zeroed_(*zeroed), memory_(log) {
    result_.strings.emplace_back();
    for (const Record& record : log.records) {
      if (const auto* function = std::get_if<trace::Function>(&record))
        functions_.try_emplace(function->function, function);
      if (const auto* map = std::get_if<trace::TensorMap>(&record))
        trace::add_tensor_map(*map, &tensor_maps_);
    }
  }

  Log run() {
    for (const Record& record : log_.records) {
      Record copy = record;
      std::visit([this](auto& r) { scrub(r); }, static_cast<trace::AnyRecord&>(copy));
      result_.records.push_back(std::move(copy));
    }
    return std::move(result_);
  }

 private:
  // Texts of one record, by their fields' names.
  struct Texts {
    LogScrubber& of;
    const char* record;
    void operator()(const char* field, Text& text) const {
      text.id = of.text(kind_of(record, field), text.id);
    }
    template <class T>
    void operator()(const char*, T&) const {}
  };

  template <class R>
  void scrub(R& record) {
    R::fields(Texts{*this, R::kName}, record);
    if constexpr (requires { record.params; }) scrub_params(record.function, &record.params);
    if constexpr (std::is_same_v<R, trace::Process>) record.start_unix_ns = 0;
    if constexpr (std::is_same_v<R, trace::Clock>) record.unix_ns = 0;
    if constexpr (std::is_same_v<R, trace::Stack>) {
      for (uint64_t& id : record.functions) id = text(TextKind::code, id);
      for (uint64_t& id : record.files) id = text(TextKind::path, id);
    }
  }

  uint32_t text(TextKind kind, uint64_t id) {
    const auto [known, added] = texts_.try_emplace(std::pair(kind, id), 0);
    if (added) {
      const std::string scrubbed = words_.scrub(kind, log_.strings.at(id));
      const auto [at, is_new] =
          ids_.try_emplace(scrubbed, static_cast<uint32_t>(result_.strings.size()));
      if (scrubbed.empty())
        at->second = 0;
      else if (is_new)
        result_.strings.push_back(scrubbed);
      known->second = at->second;
    }
    return known->second;
  }

  // Where the import looks for pointers: every eighth byte of each parameter or, where these are
  // not known, of the whole.
  void scrub_params(uint32_t function, trace::Bytes* image) {
    std::vector<bool> stays(image->size());
    keep_pointers(*image, 0, image->size(), &stays);
    if (const auto found = functions_.find(function); found != functions_.end()) {
      const trace::Function& known = *found->second;
      for (size_t i = 0; i < std::min(known.offsets.size(), known.sizes.size()); ++i)
        keep_pointers(*image, known.offsets[i], known.sizes[i], &stays);
    }
    keep_tensor_maps(*image, &stays);
    for (size_t i = 0; i < image->size(); ++i) {
      if (stays[i] || (*image)[i] == 0) continue;
      (*image)[i] = 0;
      ++zeroed_;
    }
  }

  // Known by all their bytes.
  void keep_tensor_maps(const trace::Bytes& image, std::vector<bool>* stays) const {
    for (size_t at = 0; at + trace::kTensorMapBytes <= image.size(); at += sizeof(uint64_t))
      if (trace::tensor_map_at(tensor_maps_, image, at))
        std::fill_n(stays->begin() + static_cast<std::ptrdiff_t>(at), trace::kTensorMapBytes, true);
  }

  void keep_pointers(const trace::Bytes& image, uint64_t begin, uint64_t size,
                     std::vector<bool>* stays) const {
    uint64_t value = 0;
    if (begin > image.size()) return;
    const uint64_t end = begin + std::min<uint64_t>(size, image.size() - begin);
    for (uint64_t at = begin; at + sizeof value <= end; at += sizeof value) {
      std::memcpy(&value, image.data() + at, sizeof value);
      if (!memory_.holds(value)) continue;
      std::fill_n(stays->begin() + static_cast<std::ptrdiff_t>(at), sizeof value, true);
    }
  }

  const Log& log_;
  ShareWords& words_;
  int64_t& zeroed_;
  NamedMemory memory_;
  std::unordered_map<uint32_t, const trace::Function*> functions_;
  trace::TensorMaps tensor_maps_;
  std::map<std::pair<TextKind, uint64_t>, uint32_t> texts_;
  std::map<std::string, uint32_t> ids_;
  Log result_;
};

}  // namespace

std::set<std::string> home_owners(std::span<const Log> logs) {
  std::set<std::string> owners;
  for (const Log& log : logs)
    for (const std::string& text : log.strings) add_home_owner(text, &owners);
  return owners;
}

Log scrub_log(const Log& log, ShareWords* words, int64_t* zeroed) {
  return LogScrubber(log, words, zeroed).run();
}

}  // namespace bohr::app

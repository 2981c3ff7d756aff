// SPDX-License-Identifier: Apache-2.0
// Names of blocks and labels of kernels may hold anything, "=" and "," among it. So a text is taken
// whole first, then cut at the first "=" before which something is named, and a list of labels is
// cut into the longest ones that some step has.
#include "app/watch.h"

#include <algorithm>
#include <charconv>

#include "explore/addresses.h"
#include "explore/suspects.h"
#include "trace/case_lexer.h"

namespace bohr::app {

namespace {

constexpr const char* kSyntax = "write NAME, NAME[lo:hi] or 0xADDR+BYTES";

// 0xADDR+BYTES.
std::optional<ByteRange> absolute(std::string_view text) {
  const size_t plus = text.find('+');
  if (!text.starts_with("0x") || plus == std::string_view::npos) return std::nullopt;
  ByteRange range;
  uint64_t bytes = 0;
  const auto read = std::from_chars(text.data() + 2, text.data() + plus, range.begin, 16);
  if (read.ec != std::errc() || read.ptr != text.data() + plus) return std::nullopt;
  if (trace::text::parse_size(text.substr(plus + 1), &bytes) != trace::text::SizeFault::none)
    return std::nullopt;
  if (bytes > UINT64_MAX - range.begin) return std::nullopt;
  range.end = range.begin + bytes;
  return range;
}

// What is watched, and which labels are expected to write it.
struct Parts {
  std::string_view memory;
  std::optional<std::string_view> labels;
};

WantedBytes wanted_in(const Program& program, std::string_view memory) {
  return parts_named(program, memory).empty() ? take_apart(memory)
                                              : WantedBytes{memory, std::nullopt};
}

bool is_known(const Program& program, std::string_view memory) {
  return absolute(memory) || !parts_named(program, wanted_in(program, memory).name).empty();
}

Parts parts_of(const Program& program, std::string_view text) {
  if (is_known(program, text)) return {text, std::nullopt};
  for (size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1))
    if (is_known(program, text.substr(0, at))) return {text.substr(0, at), text.substr(at + 1)};
  const size_t first = text.find('=');
  if (first == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, first), text.substr(first + 1)};
}

// Whether memory that is handed out and taken back while the program goes on is still its owner's.
bool is_live(const Program& program, const Lifetime& lifetime) {
  return !lifetime.free.known() || lifetime.free.graph.valid() ||
         static_cast<size_t>(lifetime.free.index) >= program.ops.size();
}

// As reports print it, without the number of the launch.
std::string node_label(const Program& program, const Step& step) {
  const std::string full = explore::name_of(program, step).label;
  return step.node.valid() ? full.substr(0, full.rfind('@')) : full;
}

// Whether a label names the step: its kernel's name, that with the node's number, and the whole
// with the number of the launch.
bool is_label(const Program& program, const Step& step, std::string_view label) {
  const std::string_view plain = label_of(program, work_of(program, step));
  if (!label.starts_with(plain)) return false;
  return label == plain || label == node_label(program, step) ||
         label == explore::name_of(program, step).label;
}

std::vector<Step> steps_labelled(const Program& program, std::span<const Step> steps,
                                 std::string_view label) {
  std::vector<Step> found;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(found),
               [&](const Step& step) { return is_label(program, step, label); });
  return found;
}

// A label from the front of the list: the longest that some step has, else up to the first comma.
std::string_view next_label(const Program& program, std::span<const Step> steps,
                            std::string_view list) {
  for (size_t end = list.size(); end != std::string_view::npos && end > 0;
       end = list.rfind(',', end - 1))
    if (!steps_labelled(program, steps, list.substr(0, end)).empty()) return list.substr(0, end);
  return list.substr(0, list.find(','));
}

bool may_write(const Access& access) {
  return writes(access.mode) || !direction_known(access.mode);
}

// Steps that name some of this memory and may write it. A kernel that runs in two parts is asked as
// a whole.
std::vector<Step> steps_naming(const Program& program, std::span<const Step> steps,
                               std::span<const ByteRange> memory) {
  const auto names = [&](const Step& step) {
    const auto accesses = work_accesses(program, step);
    return std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
      return may_write(access) &&
             std::any_of(memory.begin(), memory.end(),
                         [&](const ByteRange& range) { return range.overlaps(access.range); });
    });
  };
  std::vector<Step> found;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(found), names);
  return found;
}

Error refuse(const char* code, std::string_view memory, const std::string& why,
             const std::string& remedy) {
  return {code, "--watch", std::string(memory), why, remedy};
}

// Fills the watch's pieces. Returns all of what is named, watched or not.
Result<std::vector<ByteRange>> place_absolute(const Program& program, std::string_view memory,
                                              const ByteRange& range, Blocks blocks, Watch* watch) {
  if (range.empty()) return refuse("watch-range", memory, "the range is empty", kSyntax);
  if (blocks == Blocks::all && !without({&range, 1}, explore::memory_of(program)).empty())
    return refuse("watch-memory", memory, "the program has no memory there", kSyntax);
  const std::string name(memory.substr(0, memory.find('+')));
  watch->pieces.push_back({{name, 0, range.size()}, range});
  return std::vector<ByteRange>{range};
}

Result<std::vector<ByteRange>> place_named(const Program& program, const WantedBytes& wanted,
                                           Blocks blocks, Watch* watch) {
  std::vector<NamedPart> parts = parts_named(program, wanted.name);
  if (parts.empty())
    return refuse("watch-name", wanted.name, "no block or view has that name", kSyntax);
  if (blocks == Blocks::live_now)
    std::erase_if(parts, [&](const NamedPart& p) { return !is_live(program, *p.lifetime); });
  if (parts.empty())
    return refuse("watch-memory", wanted.name, "it was freed before a launch was held",
                  "watch what lives while the graph runs");
  watch->begin = wanted.bytes ? wanted.bytes->begin : 0;
  std::vector<ByteRange> named;
  uint64_t longest = 0;
  for (const NamedPart& part : parts) {
    longest = std::max(longest, part.bytes.size());
    for (NamedBytes& piece : pieces_of(part, wanted)) watch->pieces.push_back(std::move(piece));
    for (const NamedBytes& piece : pieces_of(part, {wanted.name, std::nullopt}))
      named.push_back(piece.range);
  }
  if (watch->pieces.empty())
    return refuse("watch-range", wanted.name, range_fault(wanted, longest), kSyntax);
  return named;
}

}  // namespace

WatchList::WatchList(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) items_.push_back({.text = text});
}

std::vector<Watch> WatchList::in(const Program& program, std::span<const Step> steps,
                                 Blocks blocks) {
  std::vector<Watch> watches;
  for (Item& item : items_) {
    auto watch = look(program, steps, blocks, &item);
    if (watch.ok())
      watches.push_back(std::move(watch).value());
    else
      item.error = watch.error();
  }
  return watches;
}

Result<Watch> WatchList::look(const Program& program, std::span<const Step> steps, Blocks blocks,
                              Item* item) {
  const Parts parts = parts_of(program, item->text);
  Watch watch;
  watch.text = item->text;
  std::vector<ByteRange> named;
  if (const auto range = absolute(parts.memory)) {
    BOHR_TRY(placed, place_absolute(program, parts.memory, *range, blocks, &watch));
    named = std::move(placed);
  } else {
    const WantedBytes wanted = wanted_in(program, parts.memory);
    if (!item->names) item->names.emplace(wanted.name);
    item->names->add_blocks(program);
    BOHR_TRY(placed, place_named(program, wanted, blocks, &watch));
    named = std::move(placed);
  }
  item->found = true;
  watch.listed = parts.labels.has_value();
  if (watch.listed)
    expect(program, steps, *parts.labels, item, &watch);
  else
    watch.expected = steps_naming(program, steps, named);
  return watch;
}

void WatchList::expect(const Program& program, std::span<const Step> steps, std::string_view labels,
                       Item* item, Watch* watch) {
  while (!labels.empty()) {
    const std::string_view label = next_label(program, steps, labels);
    labels.remove_prefix(std::min(labels.size(), label.size() + 1));
    const std::vector<Step> found = steps_labelled(program, steps, label);
    watch->expected.insert(watch->expected.end(), found.begin(), found.end());
    if (!found.empty()) {
      item->matched.emplace_back(label);
      continue;
    }
    Nearest& nearest = item->lacks.try_emplace(std::string(label), label).first->second;
    for (const Step& step : steps) nearest.add(node_label(program, step));
  }
  std::sort(watch->expected.begin(), watch->expected.end());
}

std::vector<Error> WatchList::unmet() const {
  std::vector<Error> errors;
  for (const Item& item : items_)
    for (Error& error : unmet(item)) errors.push_back(std::move(error));
  return errors;
}

std::vector<Error> WatchList::unmet(const Item& item) {
  std::vector<Error> errors;
  if (!item.found && item.error) errors.push_back(*item.error);
  if (!errors.empty() && errors.back().code == "watch-name" && !item.names->empty())
    errors.back().remedy = "the nearest names are " + item.names->text();
  for (const auto& [label, nearest] : item.lacks) {
    const auto& matched = item.matched;
    if (std::find(matched.begin(), matched.end(), label) != matched.end()) continue;
    errors.push_back({"watch-label", "--watch", item.text,
                      "no step has the label \"" + label + "\"",
                      nearest.empty() ? "the program has no steps"
                                      : "the nearest labels are " + nearest.text()});
  }
  return errors;
}

std::vector<std::string> WatchList::missing_in(const std::vector<std::string>& texts) const {
  std::vector<std::string> missing;
  for (const Item& item : items_)
    if ((item.found || !item.error) &&
        std::find(texts.begin(), texts.end(), item.text) == texts.end())
      missing.push_back(item.text);
  return missing;
}

Error by_name(Error error, std::span<const Watch> watched) {
  for (const Watch& watch : watched)
    for (const NamedBytes& piece : watch.pieces)
      if (address_text(piece.range) == error.where) {
        error.where.clear();
        error.why = watch.text + ": " + error.why;
        return error;
      }
  return error;
}

}  // namespace bohr::app

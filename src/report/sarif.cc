// SPDX-License-Identifier: Apache-2.0
// A rule for each class, a result for each cause. A result stands where its cause is mended: at the
// line that drops a block too early, else at the side that lacks a wait; the other lines are
// related locations. Code that was recorded without lines stands at the recording itself, with its
// function as logical location, since a result without a place is not shown.
//
// GitHub takes 25,000 results and shows 5,000 of them: what is beyond these is counted in a
// notification. A site is made of stacks, so it is the fingerprint as it is.
#include "report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "report/frames.h"
#include "report/layout.h"
#include "report/patch_lines.h"
#include "report/sentences.h"
#include "report/words.h"

namespace bohr::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostResults = 5000;
constexpr const char* kSchema = "https://json.schemastore.org/sarif-2.1.0.json";

const char* help_text(HazardClass cls) {
  constexpr std::array<const char*, kHazardClasses> kTexts = {
      "Two accesses to the same memory, at least one a write, and no order between them. Let the "
      "later stream wait for an event that is recorded behind the earlier access.",
      "A block went back to the allocator while another stream still used it, and was handed out "
      "again. Keep the last reference until the streams are joined, or record_stream() it.",
      "A block went back to the allocator while another stream still used it. Nobody has its bytes "
      "yet. Keep the last reference until the streams are joined, or record_stream() it.",
      "A graph replays an address that belongs to somebody else by now. Keep what it was captured "
      "with alive for as long as it is launched.",
      "The CPU and the GPU touch one buffer without order. Synchronise with the copy or kernel "
      "before the buffer is used again, or take another one.",
      "Something outside CUDA reads or writes memory without order. Signal it only once the work "
      "that it depends on is done.",
      "Launches of two graphs, or a launch and other work, touch the same memory without order. "
      "Let "
      "the later one's stream wait for the earlier one."};
  return kTexts[static_cast<size_t>(cls)];
}

Json text(std::string_view words) { return {{"text", printable(words)}}; }

std::string rule_id(HazardClass cls) { return std::string("bohr/") + to_string(cls); }

Json rule(HazardClass cls) {
  std::string title = class_words(cls);
  return {{"id", rule_id(cls)},
          {"name", std::string("bohr-") + to_string(cls)},
          {"shortDescription", text("GPU race: " + title)},
          {"fullDescription", text(help_text(cls))},
          {"help", text(help_text(cls))},
          {"defaultConfiguration", {{"level", cls == HazardClass::lifetime ? "warning" : "error"}}},
          {"properties",
           {{"tags", Json::array({"correctness", "concurrency", "gpu"})},
            {"precision", "high"},
            {"problem.severity", cls == HazardClass::lifetime ? "warning" : "error"}}}};
}

// Everything that is no unreserved character of a URI, but for the slashes of a path.
std::string uri_of_path(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string uri;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

class Run {
 public:
  Run(std::span<const Subject> subjects, const SarifOptions& options)
      : subjects_(subjects), options_(options) {}

  Json build() {
    for (const Entry& entry : finding_entries(subjects_)) add(entry, false);
    if (options_.candidates) {
      for (const Entry& entry : candidate_entries(subjects_)) add(entry, true);
    }
    Json rules = Json::array();
    for (size_t i = 0; i < kHazardClasses; ++i) rules.push_back(rule(static_cast<HazardClass>(i)));
    Json run = {{"tool",
                 {{"driver",
                   {{"name", "Bohr"},
                    {"semanticVersion", options_.version},
                    {"rules", std::move(rules)}}}}},
                {"columnKind", "utf16CodeUnits"},
                {"results", std::move(results_)},
                {"properties", properties()}};
    Json invocation = {{"executionSuccessful", true}};
    if (left_out_ > 0) {
      invocation["toolExecutionNotifications"].push_back(
          {{"level", "warning"},
           {"message", text(fmt::format("{} more causes are left out; bohr check --all lists them",
                                        count(left_out_)))}});
    }
    run["invocations"] = Json::array({std::move(invocation)});
    return run;
  }

 private:
  Json properties() const {
    Json coverage = Json::object();
    const auto merged = merged_coverage(subjects_);
    for (size_t i = 0; i < kHazardClasses; ++i)
      coverage[to_string(static_cast<HazardClass>(i))] = state_word(merged[i].state);
    return {{"result", outcome_word(merged_outcome(subjects_))}, {"coverage", std::move(coverage)}};
  }

  void add(const Entry& entry, bool candidate) {
    if (results_.size() >= kMostResults) {
      ++left_out_;
      return;
    }
    program_ = subjects_[entry.subject].program;
    const Finding& finding = *entry.finding;
    Json related = related_locations(entry);
    Json result = {{"ruleId", rule_id(finding.cls)},
                   {"ruleIndex", static_cast<int>(finding.cls)},
                   {"level", candidate      ? "note"
                             : entry.latent ? "warning"
                                            : "error"},
                   {"message", text(message(entry, candidate))},
                   {"locations", Json::array({primary_location(finding)})},
                   {"partialFingerprints",
                    {{"primaryLocationLineHash", entry.cause->site + ":1"},
                     {"bohrSite/v1", entry.cause->site}}},
                   {"properties", properties_of(entry, candidate)}};
    if (!related.empty()) result["relatedLocations"] = std::move(related);
    if (entry.suppressed) result["suppressions"] = Json::array({suppression(entry)});
    results_.push_back(std::move(result));
  }

  Json properties_of(const Entry& entry, bool candidate) const {
    Json json = {{"site", entry.cause->site},
                 {"hazard", to_string(entry.finding->hazard)},
                 {"places", entry.places},
                 {"graphs", entry.graphs},
                 {"processes", entry.subjects.size()}};
    if (candidate) json["undecided"] = entry.finding->reasons;
    return json;
  }

  std::string message(const Entry& entry, bool candidate) const {
    const Finding& finding = *entry.finding;
    std::string words = candidate ? "Undecided: " : "";
    words += fmt::format("{} ({}) and {} ({}): {}. ", label_text(finding.first.label),
                         finding.first.where, label_text(finding.second.label),
                         finding.second.where, class_words(finding.cls));
    words += what_happens(*program_, finding);
    const OrderFacts& order = finding.order;
    if (!order.stream.empty() && !order.needed.empty()) {
      words += fmt::format(" {} knows {} up to {}; it needs {}.", order.stream, order.other_stream,
                           order.known.empty() ? "nothing" : label_text(order.known),
                           label_text(order.needed));
    }
    for (const std::string& reason : finding.reasons)
      words += fmt::format(" Undecided: {}.", reason_words(reason));
    words += fmt::format(" {}", count(entry.places, "place"));
    if (entry.graphs > 0) words += " in " + count(entry.graphs, "graph");
    if (subjects_.size() > 1)
      words += " of " + count(static_cast<int64_t>(entry.subjects.size()), "process");
    return words + fmt::format("; bohr show FILE {}.", entry.cause->site);
  }

  Json suppression(const Entry& entry) const {
    Json json = {{"kind", "external"}, {"status", "accepted"}};
    const std::vector<Suppression>& rules = subjects_[entry.subject].verdict->suppressions;
    const int32_t by = entry.finding->suppression;
    if (by >= 0 && static_cast<size_t>(by) < rules.size())
      json["justification"] = printable(rules[static_cast<size_t>(by)].reason);
    return json;
  }

  // --- places ---

  std::string uri(std::string_view path) const {
    if (!path.starts_with('/')) return uri_of_path(path.starts_with("./") ? path.substr(2) : path);
    const std::string below = options_.root.ends_with('/') ? options_.root : options_.root + "/";
    if (path.size() > below.size() && path.starts_with(below))
      return uri_of_path(path.substr(below.size()));
    return "file://" + uri_of_path(path);
  }

  static Json region(int64_t line) {
    const int64_t at = std::max<int64_t>(line, 1);
    return {{"startLine", at}, {"startColumn", 1}, {"endLine", at}, {"endColumn", 2}};
  }

  static Json physical(const std::string& uri, int64_t line) {
    return {{"physicalLocation", {{"artifactLocation", {{"uri", uri}}}, {"region", region(line)}}}};
  }

  // `line`: of a case, where there is no stack.
  Json location(StackId stack, int64_t line) const {
    const Frame* frame = useful_frame(*program_, stack);
    if (frame != nullptr && frame->line > 0 && !frame->file.empty())
      return physical(uri(frame->file), frame->line);
    const std::string& source = program_->source;
    Json json = physical(source.empty() || source == "-" ? "stdin" : uri(source),
                         program_->recorded ? 1 : line);
    if (frame != nullptr)
      json["logicalLocations"] = Json::array(
          {{{"fullyQualifiedName", printable(frame_text(*frame))}, {"kind", "function"}}});
    return json;
  }

  int64_t line_of(const Side& side) const {
    if (side.graph.valid() && side.node.valid())
      return program_->graphs[side.graph.index()].nodes[side.node.index()].enter;
    return side.op.valid() ? program_->ops[side.op.index()].enter : 1;
  }

  const Lifetime* freed(const Finding& finding) const {
    const bool about_lifetime =
        finding.cls == HazardClass::reuse || finding.cls == HazardClass::lifetime;
    if (!about_lifetime || !finding.first.lifetime.valid()) return nullptr;
    const Lifetime& block = program_->lifetimes[finding.first.lifetime.index()];
    return useful_frame(*program_, block.free_stack) == nullptr ? nullptr : &block;
  }

  Json primary_location(const Finding& finding) const {
    if (const Lifetime* block = freed(finding)) return location(block->free_stack, 1);
    const Side& side = finding.cls == HazardClass::lifetime ? finding.first : finding.second;
    return location(side.stack, line_of(side));
  }

  void relate(Json* list, Json place, const std::string& words) const {
    place["id"] = list->size() + 1;
    place["message"] = text(words);
    list->push_back(std::move(place));
  }

  void relate_block(Json* list, LifetimeId id) const {
    if (!id.valid()) return;
    const Lifetime& block = program_->lifetimes[id.index()];
    if (useful_frame(*program_, block.alloc_stack) != nullptr)
      relate(list, location(block.alloc_stack, 1), block.name + " is allocated here");
    if (useful_frame(*program_, block.free_stack) != nullptr)
      relate(list, location(block.free_stack, 1), block.name + " is freed here");
  }

  Json related_locations(const Entry& entry) const {
    const Finding& finding = *entry.finding;
    Json list = Json::array();
    const auto relate_side = [&](const Side& side, const std::string& does) {
      relate(&list, location(side.stack, line_of(side)), label_text(side.label) + " " + does);
    };
    relate_side(finding.first, first_does(*program_, finding));
    if (finding.cls != HazardClass::lifetime)
      relate_side(finding.second, second_does(*program_, finding));
    relate_block(&list, finding.first.lifetime);
    if (finding.second.lifetime != finding.first.lifetime)
      relate_block(&list, finding.second.lifetime);
    relate_repair(&list, entry);
    return list;
  }

  // The preferred repair that was verified, line by line.
  void relate_repair(Json* list, const Entry& entry) const {
    const Subject& subject = subjects_[entry.subject];
    if (subject.repairs == nullptr) return;
    const auto& proposals = subject.repairs->proposals;
    const auto repair = std::ranges::find_if(
        proposals, [&](const Repair& one) { return one.cause == entry.cause->id && one.verified; });
    if (repair == proposals.end()) return;
    for (const PatchLine& line : patch_lines(*program_, *subject.verdict, *repair)) {
      const char* what = line.sign == '-' ? "Repair, instead of this: " : "Repair: ";
      relate(list, location(line.stack, 1), what + line.what);
    }
  }

  std::span<const Subject> subjects_;
  const SarifOptions& options_;
  const Program* program_ = nullptr;  // of the entry that is being added
  Json results_ = Json::array();
  int64_t left_out_ = 0;
};

}  // namespace

std::string render_sarif(std::span<const Subject> subjects, const SarifOptions& options) {
  const Json document = {{"$schema", kSchema},
                         {"version", "2.1.0"},
                         {"runs", Json::array({Run(subjects, options).build()})}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bohr::report
